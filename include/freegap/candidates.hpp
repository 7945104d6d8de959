#pragma once

/// @file
/// The secret side of a selection: the candidates and their answers. Candidates come dense (a span
/// of answers), grouped (values with multiplicities), or as a declared universe of ids of which
/// only those that occur in the data are listed. All other ids of a universe count zero.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <variant>
#include <vector>

#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/queries.hpp"

namespace freegap {

template <class Value>
class View;

}  // namespace freegap

/// @cond
template <class Value>
inline constexpr bool std::ranges::enable_borrowed_range<freegap::View<Value>> = true;
/// @endcond

namespace freegap {

namespace detail {
class CandidateAccess;
}  // namespace detail

/// A range of public integer ids, both ends included.
struct Universe {
  std::int64_t first = 0;  ///< smallest id
  std::int64_t last = 0;   ///< largest id; not below `first`
};

/// A list of `Value` in one piece of memory: a vector, an array, a span.
template <class List, class Value>
concept ListOf = std::ranges::contiguous_range<List> && std::ranges::sized_range<List> &&
    std::same_as<std::ranges::range_value_t<List>, Value>;

/// What an answer may be: a whole number of 64 or 32 bits, or a double.
template <class Value>
concept AnswerValue = std::same_as<Value, std::int64_t> || std::same_as<Value, std::int32_t> ||
    std::same_as<Value, double>;

/// A list of answers.
template <class List>
concept AnswerList =
    ListOf<List, std::ranges::range_value_t<List>> && AnswerValue<std::ranges::range_value_t<List>>;

/// A view of a list that does not own it, as a span, but never of a temporary: the memory of a
/// temporary list is freed before it could be read.
template <class Value>
class View {
 public:
  /// No values.
  View() = default;
  /// A list that lives on: a variable, or a span.
  template <ListOf<Value> List>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a copy sees the same list
  requires std::ranges::borrowed_range<List> View(
      List&& list)  // NOLINT(google-explicit-constructor)
      : values_(std::ranges::data(list), std::ranges::size(list)) {}
  /// A temporary list.
  template <ListOf<Value> List>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a copy sees the same list
  requires(!std::ranges::borrowed_range<List>) View(List&& keep_the_list_in_a_variable)
  = delete;
  /// Numbers in braces are a temporary list.
  View(std::initializer_list<Value> keep_the_list_in_a_variable) = delete;

  /// Number of values.
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Value number i.
  [[nodiscard]] const Value& operator[](std::size_t i) const { return values_[i]; }
  /// The first value.
  [[nodiscard]] const Value* begin() const { return values_.data(); }
  /// Past the last value.
  [[nodiscard]] const Value* end() const { return values_.data() + values_.size(); }

 private:
  std::span<const Value> values_;
};

/// A view of answers: whole numbers or reals. It does not own them.
class Answers {
 public:
  /// No answers.
  Answers() = default;
  /// A list that lives on: a variable, or a span. Whole numbers of 32 bits are scanned twice as
  /// fast as those of 64.
  template <AnswerList List>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a copy sees the same list
  requires std::ranges::borrowed_range<List> Answers(
      List&& list)  // NOLINT(google-explicit-constructor)
      : values_(std::span<const std::ranges::range_value_t<List>>(std::ranges::data(list),
                                                                  std::ranges::size(list))) {}
  /// A temporary list, whose memory is freed before it could be read.
  template <AnswerList List>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a copy sees the same list
  requires(!std::ranges::borrowed_range<List>) Answers(List&& keep_the_list_in_a_variable)
  = delete;
  /// Numbers in braces are a temporary list.
  template <AnswerValue Value>
  Answers(std::initializer_list<Value> keep_the_list_in_a_variable) = delete;

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

/// Candidates with their secret answers and the public facts about them. Holds views: the lists
/// passed in must outlive it. Lists that cannot, such as a vector that a function returns, do not
/// compile. Arguments come in one order: the answers, the neighbours, the sensitivity.
class Candidates {
 public:
  /// Counts, one per candidate. Monotone under `add_remove`.
  static Candidates counting(View<std::int64_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);
  /// The same with counts of half the size, which are scanned twice as fast.
  static Candidates counting(View<std::int32_t> counts, Neighbours neighbours,
                             const Rational& sensitivity = 1);
  /// Answers that one more unit never lowers (sums of nonnegative parts). Monotone under
  /// `add_remove`.
  static Candidates growing(Answers answers, Neighbours neighbours, const Rational& sensitivity);
  /// Arbitrary answers.
  static Candidates general(Answers answers, Neighbours neighbours, const Rational& sensitivity);
  /// Distinct values with multiplicities: `multiplicities[g]` candidates have the answer
  /// `values[g]`. A winner's group and member are secret. Show the label at that rank of that group
  /// instead, in an order of labels that does not depend on the noise.
  static Candidates grouped(Answers values, View<std::int64_t> multiplicities,
                            const Queries& queries);
  /// All ids of a public universe: the listed ones have the listed counts, all others count 0.
  /// Listed ids outside the universe are dropped one by one; an id listed twice is refused.
  static Candidates universe(Universe universe, View<std::int64_t> ids, View<std::int64_t> counts,
                             Neighbours neighbours, const Rational& sensitivity = 1);

  /// Items nobody listed: those that occur, with the number of units that hold each. Neighbours add
  /// or remove one unit, which brings in `max_items` items at most. Which items occur is secret,
  /// how many do, and so a winner's position: show its label alone. `top_k_above` with a δ selects
  /// from them; there may be none. Throws InvalidParameter unless all counts are above 0.
  static Candidates unknown(View<std::int64_t> counts, std::uint64_t max_items);
  /// The same as distinct counts with multiplicities: see `grouped`.
  static Candidates unknown_grouped(View<std::int64_t> counts, View<std::int64_t> multiplicities,
                                    std::uint64_t max_items);
  /// The same candidates with a contribution bound: one unit contributes to `max_items` of them at
  /// most. The caller has seen to that, unit by unit.
  [[nodiscard]] Candidates bounded(std::uint64_t max_items) const;

  /// Number of candidates, at most 2^63. Public, unless nobody listed them.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The public facts about the queries.
  [[nodiscard]] const Queries& queries() const { return queries_; }
  /// Whether nobody listed the items, so that it is secret which ones occur.
  [[nodiscard]] bool unknown_items() const { return unknown_items_; }
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
  static Candidates in_groups(Answers values, View<std::int64_t> multiplicities,
                              const Queries& queries);

  Shape shape_;
  Answers answers_;
  Queries queries_;
  std::uint64_t size_ = 0;
  bool unknown_items_ = false;
  std::vector<std::uint64_t> multiplicities_;  // grouped: by group
  std::vector<std::size_t> order_;             // grouped: nonempty groups by falling value
  std::vector<std::uint64_t> before_;          // grouped: members before each place of `order_`
  Universe universe_;
  std::vector<std::int64_t> ids_;     // universe: listed ids, rising
  std::vector<std::int64_t> counts_;  // universe: of the listed ids
};

}  // namespace freegap
