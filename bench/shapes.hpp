#pragma once

// Made-up counts in the orders that scans find easy and hard.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shapes {

enum class Shape : std::uint8_t { zipf, equal, uniform, spikes, ascending, descending, crowded };

/// What a scan that skips makes of a shape.
enum class Kind : std::uint8_t {
  easy,
  hard,     ///< made to defeat it
  hopeless  ///< so many are near the largest that each has to be looked at; no bar
};

struct Named {
  Shape shape;
  const char* name;
  Kind kind;
};
constexpr Named all[] = {
    {Shape::zipf, "zipf", Kind::easy},           {Shape::equal, "equal", Kind::easy},
    {Shape::uniform, "uniform", Kind::easy},     {Shape::spikes, "spikes", Kind::hard},
    {Shape::ascending, "ascending", Kind::hard}, {Shape::descending, "descending", Kind::hard},
    {Shape::crowded, "crowded", Kind::hopeless},
};

/// A number below `n` that looks random: the same for the same i.
inline std::uint64_t scattered(std::uint64_t i, std::uint64_t n) {
  i = (i + 1) * 0x9e3779b97f4a7c15U;
  i = (i ^ (i >> 30U)) * 0xbf58476d1ce4e5b9U;
  i = (i ^ (i >> 27U)) * 0x94d049bb133111ebU;
  return (i ^ (i >> 31U)) % n;
}

/// Count number i of n that fall off as of items in baskets: largest / rank^1.1, with ranks at
/// random.
inline std::int64_t zipf_count(std::uint64_t i, std::uint64_t n, double largest) {
  return static_cast<std::int64_t>(largest /
                                   std::pow(static_cast<double>(1 + scattered(i, n)), 1.1));
}

/// Count number i of n.
inline std::int64_t count(Shape shape, std::uint64_t i, std::uint64_t n) {
  const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  switch (shape) {
    case Shape::zipf:
      return zipf_count(i, n, static_cast<double>(n));
    case Shape::equal:
      return 1'000;
    case Shape::uniform:
      return whole(scattered(i, 1'000'000'000));
    case Shape::crowded:
      return whole(scattered(i, 1'000'000));
    case Shape::spikes:  // one in every block is large
      return i % 512 == 0 ? 1'000'000 : whole(scattered(i, 1'000));
    case Shape::ascending:
      return whole(i);
    case Shape::descending:
      return whole(n - i);
  }
  return 0;
}

template <class T>
void fill(Shape shape, std::span<T> counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = static_cast<T>(count(shape, i, counts.size()));
  }
}

}  // namespace shapes
