#pragma once

/// @file
/// The secret side of a selection: the candidates and their answers. Candidates come dense (a span
/// of answers), grouped (values with multiplicities), or as a declared universe of ids of which
/// only those that occur in the data are listed. All other ids of a universe count zero.

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"

namespace freegap {

namespace detail {
class CandidateAccess;
}  // namespace detail

/// A range of public integer ids, both ends included.
struct Universe {
  std::int64_t first = 0;  ///< smallest id
  std::int64_t last = 0;   ///< largest id; not below `first`
};

/// A view of answers: whole numbers or reals. It does not own them.
class Answers {
 public:
  /// No answers.
  Answers() = default;
  /// Whole numbers.
  Answers(std::span<const std::int64_t> whole)
      : values_(whole) {}  // NOLINT(google-explicit-constructor)
  /// Whole numbers of half the size, which are scanned twice as fast.
  Answers(std::span<const std::int32_t> whole)
      : values_(whole) {}  // NOLINT(google-explicit-constructor)
  /// Real numbers.
  Answers(std::span<const double> real) : values_(real) {}  // NOLINT(google-explicit-constructor)

  /// Number of answers.
  [[nodiscard]] std::size_t size() const;
  /// Answer number i.
  [[nodiscard]] Answer operator[](std::size_t i) const;
  /// Whether they are whole numbers by type.
  [[nodiscard]] bool whole() const;
  /// Calls `visitor` with the span of answers, of whichever type they are.
  template <class Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    return std::visit(visitor, values_);
  }

 private:
  std::variant<std::span<const std::int64_t>, std::span<const std::int32_t>,
               std::span<const double>>
      values_;
};

/// Candidates with their secret answers and the public facts about them. Holds views: the spans
/// passed in must outlive it.
class Candidates {
 public:
  /// Counts, one per candidate. Monotone under `add_remove`.
  static Candidates counting(std::span<const std::int64_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);
  /// The same with counts of half the size, which are scanned twice as fast.
  static Candidates counting(std::span<const std::int32_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);
  /// Answers that one more unit never lowers (sums of nonnegative parts). Monotone under
  /// `add_remove`.
  static Candidates growing(Answers answers, const Rational& sensitivity, Neighbours neighbours);
  /// Arbitrary answers.
  static Candidates general(Answers answers, const Rational& sensitivity, Neighbours neighbours);
  /// Distinct values with multiplicities: `multiplicities[g]` candidates have the answer
  /// `values[g]`. A winner's group and member are secret. Show the label at that rank of that group
  /// instead, in an order of labels that does not depend on the noise.
  static Candidates grouped(Answers values, std::span<const std::int64_t> multiplicities,
                            const Queries& queries);
  /// All ids of a public universe: the listed ones have the listed counts, all others count 0.
  /// Listed ids outside the universe are dropped one by one; an id listed twice is refused.
  static Candidates universe(Universe universe, std::span<const std::int64_t> ids,
                             std::span<const std::int64_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);

  /// Number of candidates (public), at most 2^63.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The public facts about the queries.
  [[nodiscard]] const Queries& queries() const { return queries_; }
  /// Whether all answers are whole numbers.
  [[nodiscard]] bool whole() const { return answers_.whole(); }
  /// Whether candidates are a plain list, one answer each.
  [[nodiscard]] bool dense() const { return shape_ == Shape::dense; }
  /// Whether the item names one of these candidates.
  [[nodiscard]] bool contains(const Item& item) const;

 private:
  friend class detail::CandidateAccess;
  enum class Shape : std::uint8_t { dense, grouped, universe };

  Candidates(Shape shape, Answers answers, Queries queries);

  Shape shape_;
  Answers answers_;
  Queries queries_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> multiplicities_;  // grouped: by group
  std::vector<std::size_t> order_;             // grouped: nonempty groups by falling value
  std::vector<std::uint64_t> before_;          // grouped: members before each place of `order_`
  Universe universe_;
  std::vector<std::int64_t> ids_;     // universe: listed ids, rising
  std::vector<std::int64_t> counts_;  // universe: of the listed ids
};

}  // namespace freegap
