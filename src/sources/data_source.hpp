#pragma once

/// @file
/// What an input is. Format, unit and type of numbers are decided here, once, from what was
/// declared and never from what the data holds; all others ask.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "freegap/grid.hpp"
#include "freegap/queries.hpp"
#include "sources/clamp.hpp"
#include "sources/source.hpp"

namespace freegap::sources {

/// Whether a release about ready-made numbers needs a unit of its own: the unit that they count.
/// Counted rows need one in any case.
enum class UnitRule : std::uint8_t {
  needed,       ///< numbers need one
  from_dataset  ///< the data set in the ledger may say it
};

/// What is declared about an input, besides where it is.
struct Declaration {
  Queries queries;                   ///< kind, neighbours and sensitivity
  bool stream = false;               ///< `name,value` lines, answered as they arrive
  bool whole_noise = false;          ///< the noise is whole, and so must be all numbers
  bool secret = true;                ///< false where nothing is released: units need not be said
  bool numbers_said = false;         ///< what numbers are was said; else they must be counts
  UnitRule unit = UnitRule::needed;  ///< of ready-made numbers
  std::optional<Range> range = std::nullopt;  ///< of ready-made numbers: clamped into it
};

/// What is missing of an input's declaration, for the user; nothing if it is complete. Of
/// ready-made numbers, "row" is no unit. Throws InvalidParameter where the input makes no sense.
std::optional<std::string> missing_unit(const Input& input, const Declaration& declared);

/// Refuses a table whose columns are not those that are declared, as reading it would. Looks at the
/// first line of a file alone; what cannot be read twice is not looked at. Throws InvalidParameter.
void check_columns(const Input& input, const Declaration& declared);

/// Refuses the same for numbers that were not declared: values that are not counts.
void check_numbers(Input input, const Declaration& declared);

/// Queries as they are answered. Real numbers are put on a public grid when they are read, and
/// their sensitivity is rounded up to it (docs/sources.md); that of whole numbers must be at least
/// 1. The grid holds the range, if there is one. Throws InvalidParameter.
Queries answered(const Queries& declared, bool whole,
                 const std::optional<Range>& range = std::nullopt);

/// An input with all that follows from its declaration. Holds no data.
class DataSource {
 public:
  /// Throws InvalidParameter where the input or the declaration makes no sense.
  DataSource(Input input, const Declaration& declared);
  /// Numbers that are in memory already, which are exact as they are. `whole` is their type.
  /// `counted` says that rows were counted, by the column `unit`. Nothing can be read from it; into
  /// the range, if there is one, `clamp` clamps. Throws InvalidParameter where the declaration
  /// makes no sense.
  DataSource(const Queries& queries, std::optional<std::string> unit, bool whole, bool counted,
             const std::optional<Range>& range = std::nullopt);

  /// What its records are.
  [[nodiscard]] Records records() const { return records_; }
  /// What is protected, as declared: "transaction", the column of units or "row", what ready-made
  /// numbers were said to count. Nothing where it is for the data set in the ledger to say.
  [[nodiscard]] std::optional<std::string> unit() const;
  /// Whether all its numbers are whole: counts, all that is counted here, and all that gets noise
  /// of whole numbers.
  [[nodiscard]] bool whole() const { return input_.numbers != Numbers::real; }
  /// What is asked, with the sensitivity of the numbers as they are read.
  [[nodiscard]] const Queries& queries() const { return queries_; }
  /// The sensitivity as it was declared.
  [[nodiscard]] const Rational& declared_sensitivity() const { return declared_sensitivity_; }
  /// The range that numbers are clamped into, if one was declared.
  [[nodiscard]] const std::optional<Range>& range() const { return input_.range; }
  /// The size beyond which ready-made numbers are clamped without a range; nothing for what is
  /// counted here.
  [[nodiscard]] std::optional<Rational> limit() const;
  /// Clamps numbers into the range.
  [[nodiscard]] Clamp clamp() const { return Clamp(input_); }
  /// What an item counts that is not in the data: 0, clamped into the range.
  [[nodiscard]] std::int64_t absent_whole() const { return clamp().whole(0); }
  /// The same for reals.
  [[nodiscard]] double absent_real() const { return clamp().real(0); }

  /// Reads and counts: see sources::read. Not for streams.
  [[nodiscard]] Values read() const;
  /// Collects malformed records: see sources::check. Not for streams.
  [[nodiscard]] Values check() const;
  /// A number of a stream, put on the grid as those of a file are; nothing if it is malformed.
  [[nodiscard]] std::optional<Answer> number(std::string_view text) const;

 private:
  void take_range(const std::optional<Range>& range);

  Input input_;
  Records records_;
  Queries queries_;
  Rational declared_sensitivity_;
};

}  // namespace freegap::sources
