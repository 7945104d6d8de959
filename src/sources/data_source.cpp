#include "sources/data_source.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include "freegap/errors.hpp"
#include "sources/number.hpp"

namespace freegap::sources {
namespace {

Numbers numbers_of(Records records, const Declaration& declared) {
  if (declared.queries.kind == Kind::counts) {
    return Numbers::counts;
  }
  const bool counted = records == Records::transactions || records == Records::rows;
  return counted || declared.whole_noise ? Numbers::whole : Numbers::real;
}

/// Refuses a sensitivity that whole numbers cannot have.
void check_whole(const Rational& sensitivity) {
  if (sensitivity < Rational(1)) {
    throw InvalidParameter("--sensitivity",
                           "whole numbers change by 1 or more, so it is at least 1");
  }
}

RealGrid grid_of(const Rational& sensitivity, const std::optional<Range>& range) {
  return range ? RealGrid::of(sensitivity, *range) : RealGrid::of(sensitivity);
}

}  // namespace

std::optional<std::string> missing_unit(const Input& input, const Declaration& declared) {
  if (!declared.secret || declared.stream) {
    return std::nullopt;
  }
  const Records records = records_of(input);
  if (records == Records::numbers && input.unit == "row") {
    return "a row of ready-made numbers is an item, and no one's presence. Say --unit NAME, for "
           "example\n  --unit customer: what the numbers count. (Or let freegap count rows: "
           "--item COLUMN --unit row.)";
  }
  if (input.unit) {
    return std::nullopt;
  }
  if (records == Records::rows) {
    return "whose rows are they? Say --unit COLUMN (each of its values counts once per item), or "
           "--unit row\n  if one row is all that is to be protected.";
  }
  if (records == Records::numbers && declared.unit == UnitRule::needed) {
    return "what do the numbers count? Say --unit NAME, for example --unit customer: whose "
           "presence in the\n  data is protected.";
  }
  return std::nullopt;
}

void check_columns(const Input& input, const Declaration& declared) {
  if (!declared.stream && records_of(input) != Records::transactions) {
    sources::check_header(input);
  }
}

void check_numbers(Input input, const Declaration& declared) {
  input.counts_only = !declared.numbers_said;
  check_columns(input, declared);
}

Queries answered(const Queries& declared, bool whole, const std::optional<Range>& range) {
  if (declared.sensitivity.sign() <= 0) {
    throw InvalidParameter("--sensitivity", "it must be above 0");
  }
  Queries result = declared;
  const RealGrid grid = grid_of(declared.sensitivity, whole ? std::nullopt : range);
  if (!whole) {
    result.sensitivity = grid.sensitivity;
  } else {
    check_whole(declared.sensitivity);
  }
  return result;
}

DataSource::DataSource(Input input, const Declaration& declared)
    : input_(std::move(input)), records_(declared.stream ? Records::stream : records_of(input_)) {
  if (!declared.stream) {
    if (const auto missing = missing_unit(input_, declared)) {
      throw InvalidParameter("--unit", *missing);
    }
  }
  input_.numbers = numbers_of(records_, declared);
  input_.counts_only = !declared.numbers_said;
  take_range(declared.range);
  declared_sensitivity_ = declared.queries.sensitivity;
  queries_ = answered(declared.queries, whole(), input_.range);
  queries_.max_items = bound_of(input_, records_);
  if (declared.secret && input_.insecure_seed) {
    throw std::logic_error("what is secret is not cut by a seed");
  }
  if (!whole()) {
    input_.step = grid_of(declared.queries.sensitivity, input_.range).step;
  }
  static_cast<void>(clamp());  // refuses a range without whole numbers
}

DataSource::DataSource(const Queries& queries, std::optional<std::string> unit, bool whole,
                       bool counted, const std::optional<Range>& range)
    : records_(counted ? Records::rows : Records::numbers),
      queries_(queries),
      declared_sensitivity_(queries.sensitivity) {
  input_.unit = std::move(unit);
  input_.numbers = !whole                         ? Numbers::real
                   : queries.kind == Kind::counts ? Numbers::counts
                                                  : Numbers::whole;
  if (queries.sensitivity.sign() <= 0) {
    throw InvalidParameter("--sensitivity", "it must be above 0");
  }
  if (whole) {
    check_whole(queries.sensitivity);
  }
  take_range(range);
  static_cast<void>(clamp());  // refuses a range without whole numbers
}

void DataSource::take_range(const std::optional<Range>& range) {
  if (!range) {
    return;
  }
  if (records_ == Records::transactions || records_ == Records::rows) {
    throw InvalidParameter("--range", "it is for ready-made numbers; what is counted needs none");
  }
  if (range->low > range->high) {
    throw InvalidParameter("--range", "its first end must not be above the second");
  }
  input_.range = range;
}

std::optional<std::string> DataSource::unit() const {
  switch (records_) {
    case Records::transactions:
      return "transaction";
    case Records::rows:
      return input_.unit.value_or("row");
    default:
      return input_.unit;
  }
}

std::optional<Rational> DataSource::limit() const {
  if (records_ == Records::transactions || records_ == Records::rows) {
    return std::nullopt;
  }
  if (whole()) {
    return Rational(std::numeric_limits<std::int64_t>::max());
  }
  return input_.step ? Rational::power_of_two(*input_.step + 53)
                     : Rational::exactly(std::numeric_limits<double>::max());
}

Values DataSource::read() const { return sources::read(input_); }

Values DataSource::check() const { return sources::check(input_); }

std::optional<Answer> DataSource::number(std::string_view text) const {
  const Clamp clamp(input_);
  if (!whole()) {
    const std::optional<double> real = parse_real(text);
    return real ? std::optional<Answer>(clamp.real(floor_to_step(*real, *input_.step)))
                : std::nullopt;
  }
  const std::optional<std::int64_t> value = parse_whole(text);
  const bool counts = input_.numbers == Numbers::counts;
  return value && !(counts && *value < 0) ? std::optional<Answer>(clamp.whole(*value))
                                          : std::nullopt;
}

}  // namespace freegap::sources
