#include "questions/document.hpp"

#include <algorithm>

#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/version.hpp"

namespace freegap::questions {
namespace {

/// Adds both ends, together and each by itself; nulls where there is no interval.
void add_interval(Json& row, const std::string& name, const std::optional<Interval>& interval) {
  row[name] = interval ? Json::array({interval->low, interval->high}) : Json();
  row[name + "_low"] = interval ? Json(interval->low) : Json();
  row[name + "_high"] = interval ? Json(interval->high) : Json();
}

}  // namespace

Json number(const Rational& value) {
  const auto words = value.words();
  return words && words->denominator == 1 ? Json(words->numerator) : Json(value.shown());
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json noise(const NoiseDistribution& distribution) {
  return {{"law", name(distribution.distribution)},
          {"scale", distribution.scale.shown()},
          {"tick", distribution.tick.shown()}};
}

void describe(Json& parameters, const Queries& queries) {
  parameters["kind"] = name(queries.kind);
  parameters["sensitivity"] = number(queries.sensitivity);
  parameters["neighbours"] = name(queries.neighbours);
  parameters["monotone"] = queries.monotone();
  if (queries.max_items) {
    parameters["max_items"] = *queries.max_items;
  }
}

void describe(Json& parameters, const sources::DataSource& source) {
  describe(parameters, source.queries());
  parameters["sensitivity"] = number(source.declared_sensitivity());
  if (source.declared_sensitivity() != source.queries().sensitivity) {
    parameters["sensitivity_used"] = number(source.queries().sensitivity);
  }
  if (const std::optional<std::string> unit = source.unit()) {
    parameters["unit"] = *unit;
  }
  if (source.range()) {
    parameters["range"] = {number(source.range()->low), number(source.range()->high)};
  }
}

void describe_limit(Json& parameters, const sources::DataSource& source,
                    const std::vector<Rational>& ticks) {
  std::optional<Rational> limit = source.limit();
  if (!limit) {
    return;
  }
  for (const Rational& tick : ticks) {
    limit = std::min(*limit, Rational(Grid::limit_ticks) * tick);
  }
  if (!source.range()) {
    parameters["limit"] = number(*limit);
    return;
  }
  if (std::max(source.range()->high, Rational(0) - source.range()->low) > *limit) {
    throw InvalidParameter("--range",
                           "it is too wide for the grid of the noise, which holds numbers up to " +
                               line_of(number(*limit)) +
                               ". Declare a narrower range, or a coarser grid with --tick");
  }
}

Json head(const std::string& mechanism, const Json& parameters, const Cost& cost) {
  Json document;
  document["freegap"] = version;
  document["mechanism"] = mechanism;
  document["parameters"] = parameters;
  document["epsilon"] = {{"reserved", cost.reserved.str()}, {"spent", cost.spent.str()}};
  if (cost.delta.sign() > 0) {
    document["delta"] = cost.delta.str();
  }
  return document;
}

Json threshold(const Threshold& threshold, const std::optional<Rational>& epsilon,
               const Rational& scale) {
  Json result = {{"asked", number(threshold.asked)}, {"used", number(threshold.used)}};
  if (epsilon) {
    result["epsilon"] = epsilon->str();
  }
  result["scale"] = scale.shown();
  return result;
}

Json branch(std::size_t b, const Branch& branch) {
  return {{"branch", b},
          {"epsilon", branch.epsilon.str()},
          {"scale", branch.scale.shown()},
          {"offset_ticks", branch.offset_ticks},
          {"cut_ticks", branch.cut_ticks}};
}

void add_estimate(Json& row, const std::optional<Estimate>& estimate) {
  row["estimate"] = estimate ? Json(estimate->value) : Json();
  row["standard_error"] = estimate ? Json(estimate->standard_error) : Json();
  add_interval(row, "interval", estimate ? estimate->interval : std::nullopt);
  add_interval(row, "simultaneous", estimate ? estimate->simultaneous : std::nullopt);
}

void add_estimate_with_gap(Json& row, const std::optional<Estimate>& estimate) {
  add_estimate(row, estimate);
  row["used_gap"] = estimate ? Json(estimate->used_gap) : Json();
}

std::vector<std::string> estimate_columns() {
  return {"estimate",      "standard_error", "interval",         "interval_low",
          "interval_high", "simultaneous",   "simultaneous_low", "simultaneous_high"};
}

}  // namespace freegap::questions
