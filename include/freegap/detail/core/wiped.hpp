#pragma once

/// @file
/// Memory that is overwritten when it is given up, so that noise which was added to an answer, or
/// drawn ahead, cannot be read from it later (SECURITY.md, "Memory after a release";
/// tests/noise/forgetting_test.cpp). Copies in registers and on the stack are out of its reach.

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace freegap::detail {

/// A secret value that is overwritten when it goes away.
template <class T>
requires std::is_trivially_copyable_v<T>
class Wiped {
 public:
  /// Zero.
  Wiped() = default;
  /// A value.
  Wiped(const T& value) : value_(value) {}       // NOLINT(google-explicit-constructor)
  Wiped(const Wiped&) = default;                 ///< The same value.
  Wiped(Wiped&&) noexcept = default;             ///< The same value; the other keeps it.
  Wiped& operator=(const Wiped&) = default;      ///< The same value.
  Wiped& operator=(Wiped&&) noexcept = default;  ///< The same value; the other keeps it.
  ~Wiped() { explicit_bzero(&value_, sizeof value_); }

  /// The value.
  operator const T&() const { return value_; }  // NOLINT(google-explicit-constructor)
  /// The value.
  [[nodiscard]] T& get() { return value_; }

 private:
  T value_{};
};

/// Allocates like the standard allocator, and overwrites what it frees.
template <class T>
struct WipingAllocator {
  using value_type = T;  ///< as allocators must say

  WipingAllocator() = default;
  /// For another type.
  template <class Other>
  WipingAllocator(const WipingAllocator<Other>& /*other*/) {
  }  // NOLINT(google-explicit-constructor)

  /// Memory for `n` values.
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  /// Overwrites and frees.
  void deallocate(T* memory, std::size_t n) {
    explicit_bzero(static_cast<void*>(memory), n * sizeof(T));
    std::allocator<T>().deallocate(memory, n);
  }
  /// Any of them frees the memory of any other.
  friend bool operator==(const WipingAllocator& /*a*/, const WipingAllocator& /*b*/) {
    return true;
  }
};

/// A list of secrets, overwritten when it is freed or grows.
template <class T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

}  // namespace freegap::detail
