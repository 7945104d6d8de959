#include "estimates.hpp"

#include <nanobind/stl/string.h>

#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "options.hpp"
#include "questions/document.hpp"
#include "release.hpp"

namespace freegap::python {

namespace nb = nanobind;
using questions::Json;

namespace {

/// The value that has this name in a document.
template <class Value>
Value named(const Json& text, std::initializer_list<Value> values) {
  for (const Value value : values) {
    if (text == name(value)) {
      return value;
    }
  }
  throw InvalidParameter("release", "a document that this version does not know");
}

Queries queries_of(const Json& parameters) {
  const Json& sensitivity =
      parameters.at(parameters.contains("sensitivity_used") ? "sensitivity_used" : "sensitivity");
  return {named(parameters.at("kind"), {Kind::counts, Kind::general}),
          named(parameters.at("neighbours"), {Neighbours::add_remove, Neighbours::replace}),
          Rational::exactly(sensitivity.get<double>())};
}

NoiseDistribution noise_of(const Json& noise) {
  return {named(noise.at("law"),
                {Distribution::exponential, Distribution::laplace, Distribution::geometric}),
          Rational::exactly(noise.at("scale").get<double>()),
          Rational::exactly(noise.at("tick").get<double>())};
}

/// Items are numbered by their place; who they are does not matter to estimates.
std::vector<Item> numbered(std::size_t count) {
  std::vector<Item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    items[i].id = static_cast<std::int64_t>(i);
  }
  return items;
}

TopKRelease selection_of(const Release& release) {
  const Json& document = release.document();
  if (document.at("mechanism") != "top_k" || document.at("parameters").at("classic").get<bool>()) {
    throw InvalidParameter("release",
                           "only the gaps of top_k are combined with measurements made apart; the "
                           "others measure in the same call: say measure=...");
  }
  const Json& parameters = document.at("parameters");
  const Json& rows = document.at("winners");
  TopKRelease selection{queries_of(parameters),
                        noise_of(document.at("noise")),
                        release.cost(),
                        parameters.at("candidate_count").get<std::uint64_t>(),
                        numbered(rows.size()),
                        std::vector<std::int64_t>(rows.size(), 0),
                        rows.size() < parameters.at("candidate_count").get<std::uint64_t>(),
                        parameters.at("kind") == "counts"};
  std::int64_t lead = 0;
  for (std::size_t i = rows.size(); i-- > 0;) {
    const Json& gap = rows.at(i).at("gap_ticks");
    lead += gap.is_null() ? 0 : gap.get<std::int64_t>();
    selection.lead_ticks[i] = lead;
  }
  return selection;
}

MeasureRelease measurement_of(const Release& release) {
  const Json& document = release.document();
  if (document.at("mechanism") != "measure") {
    throw InvalidParameter("measurement", "give a release of measure");
  }
  const Json& rows = document.at("measurements");
  MeasureRelease measurement{queries_of(document.at("parameters")),
                             noise_of(document.at("noise")),
                             release.cost(),
                             numbered(rows.size()),
                             {}};
  for (const Json& row : rows) {
    measurement.value_ticks.push_back(row.at("measured_ticks").get<std::int64_t>());
  }
  return measurement;
}

/// The estimates of the winners, as JSON.
std::string estimate(const Release& selection, const Release& measurement, nb::dict given) {
  Keywords keywords(given, "estimate");
  EstimateOptions options{.confidence = take_confidence(keywords)};
  options.method = take_method(keywords);
  keywords.finish();
  const TopKRelease selected = selection_of(selection);
  const MeasureRelease measured = measurement_of(measurement);
  const Json& winners = selection.document().at("winners");
  const Json& measurements = measurement.document().at("measurements");
  const bool same = std::equal(
      winners.begin(), winners.end(), measurements.begin(), measurements.end(),
      [](const Json& winner, const Json& row) { return winner.at("item") == row.at("item"); });
  if (!same) {
    throw InvalidParameter(
        "measurement", "it must be of the winners, in their order: items=[winner.item for ...]");
  }
  const std::vector<Estimate> estimates = Estimator(options)(selected, measured);
  Json rows = Json::array();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    Json row{{"item", winners.at(i).at("item")}};
    questions::add_estimate_with_gap(row, estimates[i]);
    rows.push_back(std::move(row));
  }
  return questions::line_of(rows);
}

}  // namespace

void bind_estimates(nb::module_& module) { module.def("estimate", &estimate); }

}  // namespace freegap::python
