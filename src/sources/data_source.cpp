#include "sources/data_source.hpp"

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

}  // namespace

Queries answered(const Queries& declared, bool whole) {
  if (declared.sensitivity.sign() <= 0) {
    throw InvalidParameter("--sensitivity", "it must be above 0");
  }
  Queries result = declared;
  const RealGrid grid = RealGrid::of(declared.sensitivity);
  if (!whole) {
    result.sensitivity = grid.sensitivity;
  } else if (declared.sensitivity < Rational(1)) {
    throw InvalidParameter("--sensitivity",
                           "whole numbers change by 1 or more, so it is at least 1");
  }
  return result;
}

DataSource::DataSource(Input input, const Declaration& declared)
    : input_(std::move(input)), records_(declared.stream ? Records::stream : records_of(input_)) {
  input_.numbers = numbers_of(records_, declared);
  queries_ = answered(declared.queries, whole());
  if (!whole()) {
    input_.step = RealGrid::of(declared.queries.sensitivity).step;
  }
}

std::string DataSource::unit() const {
  return records_ == Records::transactions ? "transaction" : input_.unit.value_or("row");
}

Values DataSource::read() const { return sources::read(input_); }

Values DataSource::check() const { return sources::check(input_); }

std::optional<Answer> DataSource::number(std::string_view text) const {
  if (!whole()) {
    const std::optional<double> real = parse_real(text);
    return real ? std::optional<Answer>(floor_to_step(*real, *input_.step)) : std::nullopt;
  }
  const std::optional<std::int64_t> value = parse_whole(text);
  const bool counts = input_.numbers == Numbers::counts;
  return value && !(counts && *value < 0) ? std::optional<Answer>(*value) : std::nullopt;
}

}  // namespace freegap::sources
