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
#include "freegap/queries.hpp"

namespace freegap {

/// Names one candidate. What may be shown of it is for the caller to see to: an id of a universe is
/// public, a position is only where the order of the list does not depend on the data, and a group
/// with a member never is, because which candidates share a value is secret. Turn positions and
/// groups into public labels before anything is shown (docs/mechanisms/candidates.md).
struct Item {
  std::int64_t id = 0;       ///< position in a dense span, number of a group, or id in a universe
  std::uint64_t member = 0;  ///< within a group: rank of the member, 0 <= member < multiplicity
  /// Same candidate.
  friend bool operator==(const Item&, const Item&) = default;
};

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
  /// Real numbers.
  Answers(std::span<const double> real) : values_(real) {}  // NOLINT(google-explicit-constructor)

  /// How many there are.
  [[nodiscard]] std::size_t size() const;
  /// Answer number i.
  [[nodiscard]] Answer operator[](std::size_t i) const;
  /// The largest of the answers [first, last), on the grid; the range must not be empty.
  [[nodiscard]] std::int64_t max_ticks(std::size_t first, std::size_t last, const Grid& grid) const;
  /// Throws InvalidParameter when an answer is NaN or infinite.
  void check_finite() const;
  /// Whether they are whole numbers by type.
  [[nodiscard]] bool whole() const;

 private:
  std::variant<std::span<const std::int64_t>, std::span<const double>> values_;
};

/// Candidates with their secret answers and the public facts about them. Holds views: the spans
/// passed in must outlive it.
class Candidates {
 public:
  /// Counts, one a candidate. Monotone under `add_remove`.
  static Candidates counting(std::span<const std::int64_t> counts, Neighbours neighbours,
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

  class Block;
  /// Shows all candidates, each in exactly one block, to `visit(const Block&)`; groups come by
  /// falling value, as far as whole units tell.
  template <std::invocable<const Block&> Visit>
  void for_each_block(const Grid& grid, Visit&& visit) const;

 private:
  enum class Shape : std::uint8_t { dense, grouped, universe };
  static constexpr std::size_t block_size = 256;

  Candidates(Shape shape, Answers answers, Queries queries);
  [[nodiscard]] std::int64_t implicit_id(std::uint64_t rank) const;

  Shape shape_;
  Answers answers_;
  Queries queries_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> multiplicities_;  // grouped: by group
  std::vector<std::size_t> order_;             // grouped: groups, largest value first
  Universe universe_;
  std::vector<std::pair<std::int64_t, std::size_t>> listed_;  // universe: (id, position), by id
};

/// A run of candidates: an upper bound for their answers, and each by its offset. Secret.
class Candidates::Block {
 public:
  /// Not below any answer of the block, in ticks.
  [[nodiscard]] std::int64_t max_ticks() const { return max_ticks_; }
  /// How many candidates it holds.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Whether every candidate's answer equals `max_ticks()`.
  [[nodiscard]] bool constant() const { return constant_; }
  /// The answer at an offset, in ticks.
  [[nodiscard]] std::int64_t ticks(std::uint64_t offset) const;
  /// The candidate at an offset.
  [[nodiscard]] Item item(std::uint64_t offset) const;

 private:
  friend class Candidates;
  enum class Names : std::uint8_t { positions, members, listed_ids, implicit_ids };
  Block(const Candidates& all, const Grid& grid, Names names, std::size_t first, std::uint64_t size,
        std::int64_t max_ticks, bool constant)
      : all_(&all),
        grid_(&grid),
        names_(names),
        first_(first),
        size_(size),
        max_ticks_(max_ticks),
        constant_(constant) {}

  const Candidates* all_;
  const Grid* grid_;
  Names names_;
  std::size_t first_;
  std::uint64_t size_;
  std::int64_t max_ticks_;
  bool constant_;
};

template <std::invocable<const Candidates::Block&> Visit>
void Candidates::for_each_block(const Grid& grid, Visit&& visit) const {
  using Names = Block::Names;
  if (shape_ == Shape::grouped) {
    for (const std::size_t group : order_) {
      if (multiplicities_[group] == 0) {
        continue;
      }
      visit(Block(*this, grid, Names::members, group, multiplicities_[group],
                  grid.floor_ticks(answers_[group]), true));
    }
    return;
  }
  const bool dense = shape_ == Shape::dense;
  const std::size_t listed = dense ? answers_.size() : listed_.size();
  for (std::size_t first = 0; first < listed; first += block_size) {
    const std::size_t last = std::min(first + block_size, listed);
    std::int64_t most = 0;
    if (dense) {
      most = answers_.max_ticks(first, last, grid);
    } else {
      most = grid.floor_ticks(answers_[listed_[first].second]);
      for (std::size_t i = first + 1; i < last; ++i) {
        most = std::max(most, grid.floor_ticks(answers_[listed_[i].second]));
      }
    }
    visit(Block(*this, grid, dense ? Names::positions : Names::listed_ids, first, last - first,
                most, false));
  }
  if (!dense && size_ > listed) {
    visit(Block(*this, grid, Names::implicit_ids, 0, size_ - listed, 0, true));
  }
}

}  // namespace freegap
