#pragma once

/// @file
/// Contribution bounds: a unit that brings more than M distinct items keeps M of them, chosen
/// uniformly at random. What a unit keeps depends on its own items and on randomness that is drawn
/// for the run, never on another unit: docs/proofs/setting.md, "Contribution bounds", checked by
/// tests/sources/contribution_test.cpp. An item that nobody keeps counts 0 and stays among the
/// items: which ones there are must not depend on the cut.

#include <algorithm>
#include <array>
#include <bit>
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

/// Uniform and independent numbers below n, below n + 1, and so on: as many as one word is good
/// for, at most `most`. n and `most` must be above 0.
inline Drawn draw_rising(std::uint64_t n, std::uint64_t most, BitStream& bits) {
  // A word times n: the upper half is a number, the lower half goes on to the next. All together
  // the numbers are the digits of word * P / 2^64, rounded down, where P is the product of the
  // bounds. So many words lead to each of the P possibilities as to any other, once those are
  // refused whose last lower half is below 2^64 mod P (Brackett-Rozinsky and Lemire, "Batched
  // Ranged Random Integer Generation"). P is at most 2^48 where there are several, so that hardly
  // any word is refused.
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t largest = n + most - 1;
  const std::uint64_t at_once = largest <= 1U << 6U    ? 8
                                : largest <= 1U << 8U  ? 6
                                : largest <= 1U << 12U ? 4
                                : largest <= 1U << 24U ? 2
                                                       : 1;
  Drawn drawn;  // NOLINT(cppcoreguidelines-pro-type-member-init): only `count` numbers are used
  drawn.count = std::min(at_once, most);
  for (;;) {
    std::uint64_t rest = bits.word();
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < drawn.count; ++i) {
      const Wide both = static_cast<Wide>(rest) * (n + i);
      drawn.numbers[i] = static_cast<std::uint64_t>(both >> 64U);
      rest = static_cast<std::uint64_t>(both);
      product *= n + i;
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
  /// Cuts the distinct items of one unit that has no name: calls `keep(item)` for each that stays.
  /// Which ones is drawn from the bits. The items may change their places.
  template <class Item, class Keep>
  void unit(std::span<Item> items, Keep keep) {
    if (items.size() <= most_) {
      std::for_each(items.begin(), items.end(), keep);
    } else if (items.size() <= 64) {
      for (std::uint64_t rest = chosen(items.size()); rest != 0; rest &= rest - 1) {
        keep(items[static_cast<std::size_t>(std::countr_zero(rest))]);
      }
    } else {
      // The last steps of a shuffle: the place moves on, and its item goes to any place before it
      // or stays. Then the items of the last places are a uniform sample.
      for_each_drawn(items.size(), most_, [&](std::uint64_t place, std::uint64_t number) {
        std::swap(items[place], items[number]);
      });
      std::for_each(items.end() - static_cast<std::ptrdiff_t>(most_), items.end(), keep);
    }
  }
  /// Removes what is cut away from sorted pairs of a named unit and an item, by their ranks.
  void units(PairSet::Pairs& pairs, const ItemTable& units, const ItemTable& items) const;

 private:
  /// Calls `use(place, number)` for the last `many` of n places, where the number is drawn from
  /// those up to the place.
  template <class Use>
  void for_each_drawn(std::uint64_t n, std::uint64_t many, Use use) {
    for (std::uint64_t place = n - many; place < n;) {
      const Drawn drawn = draw_rising(place + 1, n - place, bits_);
      for (std::size_t i = 0; i < drawn.count; ++i, ++place) {
        use(place, drawn.numbers[i]);
      }
    }
  }
  /// A uniform set of `most` of n places, as bits. n is above `most`, and at most 64.
  std::uint64_t chosen(std::uint64_t n) {
    // Floyd's sample: the number, or the place itself if the number is in the set. To draw the
    // items that go, where these are fewer, was measured to be no faster.
    std::uint64_t set = 0;
    for_each_drawn(n, most_, [&](std::uint64_t place, std::uint64_t number) {
      const std::uint64_t taken = (set >> number) & 1U;
      set |= std::uint64_t{1} << (number + taken * (place - number));  // without a branch
    });
    return set;
  }

  std::uint64_t most_;
  BitStream& bits_;
};

}  // namespace freegap::sources
