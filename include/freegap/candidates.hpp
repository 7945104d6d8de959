#pragma once

/// @file
/// The secret side of a selection: the candidates and their answers. Candidates come dense (a span
/// of answers), grouped (values with multiplicities) or as a declared universe of ids of which only
/// those that occur in the data are listed, all others counting zero.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"

namespace freegap {

/// A range of public integer ids, both ends included.
struct Universe {
  std::int64_t first = 0;  ///< smallest id
  std::int64_t last = 0;   ///< largest id; not below `first`
};

/// A view of answers: whole numbers or reals. It does not own them.
class Answers {
 public:
  /// Nothing.
  Answers() = default;
  /// Whole numbers.
  Answers(std::span<const std::int64_t> whole)
      : values_(whole) {}  // NOLINT(google-explicit-constructor)
  /// Whole numbers of half the size.
  Answers(std::span<const std::int32_t> whole)
      : values_(whole) {}  // NOLINT(google-explicit-constructor)
  /// Real numbers.
  Answers(std::span<const double> real) : values_(real) {}  // NOLINT(google-explicit-constructor)

  /// How many there are.
  [[nodiscard]] std::size_t size() const;
  /// Answer number i.
  [[nodiscard]] Answer operator[](std::size_t i) const;
  /// Asks memory for answer number i, which will be read soon. Defined here: a call that does
  /// nothing else is left out by some compilers.
  void fetch(std::size_t i) const {
    __builtin_prefetch(
        std::visit([i](const auto& values) -> const void* { return values.data() + i; }, values_));
  }
  /// Calls `visitor` with the span of answers, of whichever type they are.
  template <class Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    return std::visit(visitor, values_);
  }
  /// Answer number i, on the grid.
  [[nodiscard]] std::int64_t ticks(std::size_t i, const Grid& grid) const {
    return grid.floor_ticks((*this)[i]);
  }
  /// The answers [first, last).
  [[nodiscard]] Answers part(std::size_t first, std::size_t last) const;
  /// Whether answer a is larger than answer b.
  [[nodiscard]] bool larger(std::size_t a, std::size_t b) const;
  /// Scans blocks of `block` answers: for each, `most` gets the largest and `next`, unless it is
  /// empty, the second largest (INT64_MIN without any). Whole numbers are taken as they are, reals
  /// on the grid.
  void peaks(std::size_t block, const Grid& grid, std::span<std::int64_t> most,
             std::span<std::int64_t> next) const;
  /// Positions within [first, last) of all answers that are not below `mark`, rising, and how many
  /// there are: whole numbers are compared as they are, reals on the grid. `positions` has room for
  /// one more than the range.
  std::size_t not_below(std::int64_t mark, std::size_t first, std::size_t last, const Grid& grid,
                        std::span<std::uint32_t> positions) const;
  /// Throws InvalidParameter when an answer is NaN or infinite.
  void check_finite() const;
  /// Whether they are whole numbers by type.
  [[nodiscard]] bool whole() const;

 private:
  std::variant<std::span<const std::int64_t>, std::span<const std::int32_t>,
               std::span<const double>>
      values_;
};

/// Candidates with their secret answers and the public facts about them. Holds views: the spans
/// passed in must outlive it.
class Candidates {
 public:
  /// Counts, one a candidate. Monotone under `add_remove`.
  static Candidates counting(std::span<const std::int64_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);
  /// The same with counts of half the size, which are scanned twice as fast.
  static Candidates counting(std::span<const std::int32_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);
  /// Answers that one unit more never lowers (sums of nonnegative parts). Monotone under
  /// `add_remove`.
  static Candidates growing(Answers answers, const Rational& sensitivity, Neighbours neighbours);
  /// Arbitrary answers.
  static Candidates general(Answers answers, const Rational& sensitivity, Neighbours neighbours);
  /// Distinct values with multiplicities: `multiplicities[g]` candidates have the answer
  /// `values[g]`. A winner's group and member are secret; show the label at that rank of that group
  /// instead, in an order of labels that does not depend on the noise.
  static Candidates grouped(Answers values, std::span<const std::int64_t> multiplicities,
                            const Queries& queries);
  /// All ids of a public universe: the listed ones have the listed counts, all others count 0.
  /// Listed ids outside the universe are dropped one by one; an id listed twice is refused.
  static Candidates universe(Universe universe, std::span<const std::int64_t> ids,
                             std::span<const std::int64_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);

  /// How many candidates there are (public), at most 2^63.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The public facts about the queries.
  [[nodiscard]] const Queries& queries() const { return queries_; }
  /// Whether all answers are whole numbers.
  [[nodiscard]] bool whole() const { return answers_.whole(); }
  /// Whether candidates are a plain list, one answer each.
  [[nodiscard]] bool dense() const { return shape_ == Shape::dense; }
  /// Whether the item names one of these candidates.
  [[nodiscard]] bool contains(const Item& item) const;
  /// The answer of a candidate, on the grid. The item must be one of these candidates.
  [[nodiscard]] std::int64_t ticks(const Item& item, const Grid& grid) const;

  /// Answers that stand in a list, one a candidate: all of a dense list, the listed ones of a
  /// universe, none of groups.
  [[nodiscard]] Answers listed() const;
  /// The candidate at a place of that list.
  [[nodiscard]] Item listed_item(std::size_t i) const;

  class Block;
  /// Shows all candidates that do not stand in a list, each in exactly one block, to
  /// `visit(const Block&)`: groups by falling value, one by one as far as the first `m` candidates
  /// go and then in runs of growing length; the ids of a universe that are not listed as one block.
  template <std::invocable<const Block&> Visit>
  void for_each_block(std::uint64_t m, const Grid& grid, Visit&& visit) const;

  /// An answer and how many candidates have it, or about as many as it stands for. Secret.
  struct Pile {
    std::int64_t ticks = 0;  ///< the answer
    std::uint64_t size = 0;  ///< how many
  };
  /// All answers with how many candidates have them: one by one in a list, else by group; in an
  /// order that `pile_item` knows.
  [[nodiscard]] std::vector<Pile> piles(const Grid& grid) const;
  /// A member of a pile; 0 <= member < its size.
  [[nodiscard]] Item pile_item(std::size_t pile, std::uint64_t member) const;
  /// What the candidates are like, told by a few of them: evenly spread ones of a list, the largest
  /// groups.
  [[nodiscard]] std::vector<Pile> sample(const Grid& grid) const;

 private:
  enum class Shape : std::uint8_t { dense, grouped, universe };

  Candidates(Shape shape, Answers answers, Queries queries);
  [[nodiscard]] std::int64_t implicit_id(std::uint64_t rank) const;
  [[nodiscard]] std::uint64_t implicit() const { return size_ - listed().size(); }

  Shape shape_;
  Answers answers_;
  Queries queries_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> multiplicities_;  // grouped: by group
  std::vector<std::size_t> order_;             // grouped: groups that are not empty, falling
  std::vector<std::uint64_t> before_;          // grouped: by place in `order_`, and all at the end
  Universe universe_;
  std::vector<std::int64_t> ids_;     // universe: listed ids, rising
  std::vector<std::int64_t> counts_;  // universe: of the listed ids
};

/// A run of candidates whose answers fall, each by its offset. Secret.
class Candidates::Block {
 public:
  /// The largest answer of the block, in ticks.
  [[nodiscard]] std::int64_t max_ticks() const { return max_ticks_; }
  /// How many candidates it holds.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Whether every candidate's answer equals `max_ticks()`.
  [[nodiscard]] bool constant() const { return last_ - first_ <= 1; }
  /// The answer at an offset, in ticks.
  [[nodiscard]] std::int64_t ticks(std::uint64_t offset) const;
  /// The candidate at an offset.
  [[nodiscard]] Item item(std::uint64_t offset) const;

 private:
  friend class Candidates;
  /// Groups [first, last) in the order of falling values.
  Block(const Candidates& all, const Grid& grid, std::size_t first, std::size_t last);
  /// The ids of a universe that are not listed.
  explicit Block(const Candidates& all) : all_(&all), size_(all.implicit()) {}
  [[nodiscard]] std::size_t place(std::uint64_t offset) const;

  const Candidates* all_;
  const Grid* grid_ = nullptr;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::uint64_t size_;
  std::int64_t max_ticks_ = 0;
};

template <std::invocable<const Candidates::Block&> Visit>
void Candidates::for_each_block(std::uint64_t m, const Grid& grid, Visit&& visit) const {
  if (shape_ == Shape::universe && implicit() > 0) {
    visit(Block(*this));
  }
  std::size_t run = 1;
  for (std::size_t first = 0; first < order_.size(); first += run) {
    run = before_[first] < m ? 1 : 8 * run;
    visit(Block(*this, grid, first, std::min(first + run, order_.size())));
  }
}

}  // namespace freegap
