#pragma once

/// @file
/// Memory for large tables with random access: in huge pages if the system has them, because a miss
/// in the translation buffer costs as much as the access itself.

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace freegap::sources {

/// An allocator that requests huge pages for allocations of at least one page.
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
      ::madvise(memory, bytes, MADV_HUGEPAGE);  // only an optimisation: failure is ignored
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
