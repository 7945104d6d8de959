#pragma once

/// @file
/// Synthetic transactions after Agrawal and Srikant ("Fast algorithms for mining association
/// rules", 1994, section 2.4.3): customers buy sets of items that tend to go together. What comes
/// out is public and made from a seed; nothing here protects anybody.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "freegap/bits.hpp"

namespace freegap::experiments {

/// What the transactions look like. The defaults are T10I4D100K.
struct QuestOptions {
  std::uint64_t transactions = 100'000;  ///< how many; 1 or more
  double mean_size = 10;                 ///< mean number of items a transaction is made for
  double mean_pattern = 4;               ///< mean number of items of a pattern
  std::uint32_t patterns = 2000;         ///< sets of items that tend to be bought together
  std::uint32_t items = 1000;            ///< named 0 .. items - 1
  /// Mean share of a pattern's items that come from the pattern before it.
  double correlation = 0.25;
  /// Mean chance that one more item of a pattern is left out of a transaction; its variance over
  /// patterns is 0.1.
  double corruption = 0.5;
  /// Whether items differ in how often patterns take them up, with exponential weights (as in the
  /// data sets of these names), or are all alike (as the article has it).
  bool weighted_items = true;
  std::uint64_t seed = 1;  ///< the same seed makes the same transactions
};

/// "T10I4D100K" and "T40I10D100K": mean size, mean size of a pattern, number of transactions.
std::optional<QuestOptions> quest_preset(std::string_view name);

/// Numbers 0 .. n-1 with given probabilities, at one random word each (Walker's alias method).
class WeightedChoice {
 public:
  /// Weights are not negative, and one of them at least is positive.
  explicit WeightedChoice(std::span<const double> weights);
  /// One of them.
  std::uint32_t draw(BitStream& bits) const;

 private:
  struct Cell {
    std::uint32_t keep;   ///< chance to stay here, in units of 2^-32
    std::uint32_t other;  ///< where to go else
  };
  std::vector<Cell> cells_;
};

/// A stream of transactions.
class Quest {
 public:
  /// Makes up the patterns. Throws InvalidParameter for options that make no sense.
  explicit Quest(const QuestOptions& options);

  /// The next transaction, at most `options.transactions` of them: distinct items, rising; never
  /// empty. Valid until the next call.
  std::span<const std::uint32_t> next();

 private:
  struct Pattern {
    std::uint32_t first;      ///< its items start here in `pattern_items_`
    std::uint32_t size;       ///< and are so many
    std::uint32_t corrupted;  ///< chance to leave out one more, in units of 2^-32
  };

  void make_patterns();
  void make_pattern(const WeightedChoice& sizes, const WeightedChoice& items);
  void pick_pattern();
  void add_picked();

  QuestOptions options_;
  InsecureSeededBits bits_;
  std::vector<Pattern> patterns_;
  std::vector<std::uint32_t> pattern_items_;
  WeightedChoice sizes_;
  WeightedChoice choice_;
  std::vector<std::uint32_t> picked_;       ///< what is left of the pattern at hand
  bool held_over_ = false;                  ///< whether it waits for the next transaction
  std::vector<std::uint32_t> transaction_;  ///< the latest
  std::vector<std::uint64_t> seen_in_;      ///< by item: number of the latest transaction with it
  std::uint64_t number_ = 0;
};

/// How many transactions each item is in, by item.
std::vector<std::int64_t> quest_counts(const QuestOptions& options);

/// Writes all transactions, one a line, items separated by blanks.
void write_quest(const QuestOptions& options, std::ostream& out);

}  // namespace freegap::experiments
