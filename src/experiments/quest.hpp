#pragma once

/// @file
/// Synthetic transactions after Agrawal and Srikant ("Fast algorithms for mining association
/// rules", 1994, section 2.4.3): customers buy sets of items that tend to go together. The data are
/// public and generated from a seed; nothing here is private.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "freegap/bits.hpp"

namespace freegap::experiments {

/// Parameters of the generator. The defaults are those of T10I4D100K.
struct QuestOptions {
  std::uint64_t transactions = 100'000;  ///< number of transactions; 1 or more
  double mean_size = 10;                 ///< mean number of items a transaction is made for
  double mean_pattern = 4;               ///< mean number of items of a pattern
  std::uint32_t patterns = 2000;         ///< sets of items that tend to be bought together
  std::uint32_t items = 1000;            ///< named 0 .. items - 1
  /// Mean share of a pattern's items that come from the pattern before it.
  double correlation = 0.25;
  /// Mean probability that one more item of a pattern is left out of a transaction. Its variance
  /// over patterns is 0.1.
  double corruption = 0.5;
  /// Whether patterns choose items with exponential weights (as in the published data sets) or with
  /// equal weights (as in the article).
  bool weighted_items = true;
  std::uint64_t seed = 1;  ///< the same seed gives the same transactions
};

/// "T10I4D100K" and "T40I10D100K": mean size, mean size of a pattern, number of transactions.
std::optional<QuestOptions> quest_preset(std::string_view name);

/// Draws numbers 0 .. n-1 with given probabilities, one random word each (Walker's alias method).
class WeightedChoice {
 public:
  /// Weights must not be negative, and at least one must be positive.
  explicit WeightedChoice(std::span<const double> weights);
  /// Draws one number.
  std::uint32_t draw(BitStream& bits) const;

 private:
  struct Cell {
    std::uint32_t keep;   ///< probability of this number, in units of 2^-32
    std::uint32_t other;  ///< the number otherwise
  };
  std::vector<Cell> cells_;
};

/// A stream of transactions.
class Quest {
 public:
  /// Generates the patterns. Throws InvalidParameter for options out of range.
  explicit Quest(const QuestOptions& options);

  /// The next transaction, at most `options.transactions` of them: distinct items in rising order,
  /// never empty. Valid until the next call.
  std::span<const std::uint32_t> next();

 private:
  struct Pattern {
    std::uint32_t first;      ///< index of its first item in `pattern_items_`
    std::uint32_t size;       ///< number of its items
    std::uint32_t corrupted;  ///< probability of leaving out one more item, in units of 2^-32
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
  std::vector<std::uint32_t> picked_;       ///< the remaining items of the current pattern
  bool held_over_ = false;                  ///< whether `picked_` is kept for the next transaction
  std::vector<std::uint32_t> transaction_;  ///< the latest transaction
  std::vector<std::uint64_t> seen_in_;      ///< by item: number of the latest transaction with it
  std::uint64_t number_ = 0;
};

/// The number of transactions that contain each item, by item.
std::vector<std::int64_t> quest_counts(const QuestOptions& options);

/// Writes all transactions, one per line, items separated by blanks.
void write_quest(const QuestOptions& options, std::ostream& out);

}  // namespace freegap::experiments
