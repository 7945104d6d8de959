#pragma once

/// @file
/// Memory for large tables that are looked up at random: in huge pages where the system has them,
/// since finding a small page's place costs as much as reading it.

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace freegap::sources {

/// An allocator that asks for huge pages for whatever fills one.
template <class T>
class HugePages {
 public:
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= page) {
      ::madvise(memory, bytes, MADV_HUGEPAGE);  // if it fails, it is only slower
    }
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) { ::operator delete(memory, alignment(n * sizeof(T))); }

  friend bool operator==(const HugePages& /*a*/, const HugePages& /*b*/) { return true; }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21U;
  static constexpr std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= page ? page : 64};
  }
};

}  // namespace freegap::sources
