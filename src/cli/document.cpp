#include "cli/document.hpp"

#include "freegap/version.hpp"

namespace freegap::cli {
namespace {

/// Low and high end, or null.
Json interval(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
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
}

void describe(Json& parameters, const sources::DataSource& source) {
  describe(parameters, source.queries());
  parameters["unit"] = source.unit();
}

Json head(const std::string& mechanism, const Json& parameters, const Cost& cost) {
  Json document;
  document["freegap"] = version;
  document["mechanism"] = mechanism;
  document["parameters"] = parameters;
  document["epsilon"] = {{"reserved", cost.reserved.str()}, {"spent", cost.spent.str()}};
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
  row["interval"] = estimate ? interval(estimate->interval) : Json();
  row["simultaneous"] = estimate ? interval(estimate->simultaneous) : Json();
}

}  // namespace freegap::cli
