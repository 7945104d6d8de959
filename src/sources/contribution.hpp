#pragma once

/// @file
/// Contribution bounds: a unit that brings more than M distinct items keeps M of them, chosen
/// uniformly at random. What a unit keeps depends on its own items and on randomness that is drawn
/// for the run, never on another unit: docs/proofs/setting.md, "Contribution bounds", checked by
/// tests/sources/contribution_test.cpp. An item that nobody keeps counts 0 and stays among the
/// items: which ones there are must not depend on the cut.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "freegap/bits.hpp"
#include "sources/pair_set.hpp"

namespace freegap::sources {

class ItemTable;

/// Numbers drawn from one word.
struct Drawn {
  std::array<std::uint64_t, 8> numbers;  ///< the first `count` of them
  std::size_t count;                     ///< at least 1
};

/// Uniform and independent numbers below n, below n - 1, and so on: as many as one word is good
/// for, at most `most`. n and `most` must be above 0, and `most` at most n.
inline Drawn draw_falling(std::uint64_t n, std::uint64_t most, BitStream& bits) {
  // A word times n: the upper half is a number, the lower half goes on to the next. All together
  // the numbers are the digits of word * P / 2^64, rounded down, where P is the product of the
  // bounds. So many words lead to each of the P possibilities as to any other, once those are
  // refused whose last lower half is below 2^64 mod P (Brackett-Rozinsky and Lemire, "Batched
  // Ranged Random Integer Generation"). P is at most 2^48 where there are several, so that hardly
  // any word is refused.
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t at_once = n <= 1U << 6U    ? 8
                                : n <= 1U << 8U  ? 6
                                : n <= 1U << 12U ? 4
                                : n <= 1U << 24U ? 2
                                                 : 1;
  Drawn drawn;  // NOLINT(cppcoreguidelines-pro-type-member-init): only `count` numbers are used
  drawn.count = std::min(at_once, most);
  for (;;) {
    std::uint64_t rest = bits.word();
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < drawn.count; ++i) {
      const Wide both = static_cast<Wide>(rest) * (n - i);
      drawn.numbers[i] = static_cast<std::uint64_t>(both >> 64U);
      rest = static_cast<std::uint64_t>(both);
      product *= n - i;
    }
    if (rest >= product || rest >= (0 - product) % product) {
      return drawn;
    }
  }
}

/// Orders the items of named units. Each pair of a unit and an item has a rank, the SHA-256 of a
/// random key and both names, and a unit keeps the items of the smallest ranks. Engines compute
/// the same ranks (python/freegap/_contribution.py).
class ItemRanks {
 public:
  using Rank = std::array<unsigned char, 32>;

  /// Draws the key. Throws MachineFault if there is no SHA-256.
  explicit ItemRanks(BitStream& bits);
  ~ItemRanks();
  ItemRanks(const ItemRanks&) = delete;
  ItemRanks& operator=(const ItemRanks&) = delete;

  /// SHA-256 of the key in hexadecimal and of both names, each after its length and a colon.
  [[nodiscard]] Rank of(std::string_view unit, std::string_view item) const;
  /// 64 hexadecimal digits: one block of SHA-256.
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  struct Hash;
  std::string key_;
  std::unique_ptr<Hash> hash_;
};

/// Cuts units down to the bound.
class Cut {
 public:
  /// Bits for the cut: those of the system, or for a simulation those of a seed. They are not the
  /// bits that a seed gives to noise.
  static std::unique_ptr<BitStream> bits(const std::optional<std::uint64_t>& insecure_seed);

  /// `bits` must outlive this. `most` is at least 1.
  Cut(std::uint64_t most, BitStream& bits) : most_(most), bits_(bits) {}

  /// The bound.
  [[nodiscard]] std::uint64_t most() const { return most_; }
  /// Cuts the distinct items of one unit that has no name. Those that stay, drawn from the bits,
  /// are moved to the front, and returned.
  template <class Item>
  std::span<Item> unit(std::span<Item> items) {
    if (items.size() <= most_) {
      return items;
    }
    for (std::uint64_t done = 0; done < most_;) {
      const Drawn drawn = draw_falling(items.size() - done, most_ - done, bits_);
      for (std::size_t i = 0; i < drawn.count; ++i, ++done) {
        std::swap(items[done], items[done + drawn.numbers[i]]);
      }
    }
    return items.first(most_);
  }
  /// Removes what is cut away from sorted pairs of a named unit and an item, by their ranks.
  void units(PairSet::Pairs& pairs, const ItemTable& units, const ItemTable& items) const;

 private:
  std::uint64_t most_;
  BitStream& bits_;
};

}  // namespace freegap::sources
