#include "estimates.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "documents.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"
#include "options.hpp"
#include "questions/document.hpp"
#include "release.hpp"

namespace freegap::python {

namespace nb = nanobind;
using questions::Json;

namespace {

/// The release that an object is; null where it is none, or was made without __init__.
const Release* release_in(nb::handle object) {
  return nb::isinstance<Release>(object) && nb::inst_ready(object) ? nb::inst_ptr<Release>(object)
                                                                   : nullptr;
}

/// A selection, read from its document.
struct Selected {
  std::string mechanism;
  bool vector;              // whether it is a sparse vector
  bool classic;             // whether it has no gaps
  Json rows;                // its winners, or the answers above
  std::vector<Json> names;  // theirs
};

Selected selected(const Json& document) {
  Selected result;
  result.mechanism = document.at("mechanism").get<std::string>();
  result.vector =
      result.mechanism == "sparse_vector" || result.mechanism == "adaptive_sparse_vector";
  if (!result.vector && result.mechanism != "top_k" && result.mechanism != "top_k_above") {
    throw InvalidParameter("release",
                           "give one of top_k, top_k_above or sparse_vector: no other selects "
                           "items that can be measured");
  }
  result.classic = document.at("parameters").value("classic", false);
  result.rows = Json::array();
  for (const Json& row : document.at(result.vector ? "answers" : "winners")) {
    if (!result.vector || row.at("above").get<bool>()) {
      result.rows.push_back(row);
      result.names.push_back(row.at(result.vector ? "query" : "item"));
    }
  }
  return result;
}

/// The measurement that is given, which must be of the winners in their order.
MeasureRelease given_measurement(const Selected& selected, const Json& document) {
  MeasureRelease measured = measurement_of(document);
  const Json& rows = document.at("measurements");
  const bool same =
      std::equal(selected.names.begin(), selected.names.end(), rows.begin(), rows.end(),
                 [](const Json& name, const Json& row) { return name == row.at("item"); });
  if (!same) {
    throw InvalidParameter(
        "measurement", "it must be of the winners, in their order: items=[winner.item for ...]");
  }
  return measured;
}

/// The same estimates that the questions write: from gaps and measurements, or from either. None
/// where the release gives none.
std::vector<Estimate> made_from(const Json& document, const Selected& selected,
                                const std::optional<MeasureRelease>& direct,
                                const EstimateOptions& options) {
  Estimator estimator(options);
  if (selected.classic && direct) {
    return estimator(*direct);
  }
  if (!direct && (selected.classic || selected.mechanism == "top_k")) {
    return {};
  }
  if (selected.vector) {
    const SparseVectorRelease release = sparse_vector_of(document);
    return direct ? estimator(release, *direct) : estimator(release);
  }
  if (selected.mechanism == "top_k") {
    return estimator(top_k_of(document), *direct);
  }
  const HybridRelease release = hybrid_of(document);
  return direct ? estimator(release, *direct) : estimator(release);
}

/// One estimate for each winner.
std::vector<Estimate> estimates_of(const Json& document, const Selected& selected,
                                   const std::optional<MeasureRelease>& direct,
                                   const EstimateOptions& options) {
  if (selected.rows.empty()) {
    return {};
  }
  std::vector<Estimate> estimates = made_from(document, selected, direct, options);
  if (estimates.empty()) {
    throw InvalidParameter("measurement",
                           "gaps between winners, or no gaps at all, give no estimates, and "
                           "estimator=\"measured\" uses no gaps: measure the winners, and give "
                           "that release too");
  }
  return estimates;
}

/// The estimates of the winners, as JSON.
std::string estimate(nb::handle selection, nb::handle measurement, nb::dict given) {
  const Release* const given_selection = release_in(selection);
  if (given_selection == nullptr) {
    throw nb::type_error(
        "release: give one release of top_k, top_k_above or sparse_vector; of a list, one after "
        "another");
  }
  Keywords keywords(given, "estimate");
  EstimateOptions options{.confidence = take_confidence(keywords)};
  options.method = take_method(keywords);
  keywords.finish();
  const Release* const given_apart = release_in(measurement);
  if (!measurement.is_none() && given_apart == nullptr) {
    throw nb::type_error("measurement: give a release of freegap.measure, or None");
  }
  const Json& document = given_selection->document();
  const Json* const apart = given_apart == nullptr ? nullptr : &given_apart->document();
  const nb::gil_scoped_release no_gil;
  const Selected found = selected(document);
  const std::optional<MeasureRelease> direct =
      apart == nullptr ? own_measurement_of(document, found.rows)
                       : std::optional(given_measurement(found, *apart));
  const std::vector<Estimate> estimates = estimates_of(document, found, direct, options);
  Json rows = Json::array();
  for (std::size_t i = 0; i < found.names.size(); ++i) {
    Json row{{"item", found.names[i]}};
    questions::add_estimate_with_gap(row, estimates[i]);
    rows.push_back(std::move(row));
  }
  return questions::line_of(rows);
}

}  // namespace

void bind_estimates(nb::module_& module) {
  module.def("estimate", &estimate, nb::arg("selection").none(), nb::arg("measurement").none(),
             nb::arg("options"));
}

}  // namespace freegap::python
