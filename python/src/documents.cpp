#include "documents.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "freegap/errors.hpp"
#include "report/numbers.hpp"

namespace freegap::python {

using questions::Json;

namespace {

[[noreturn]] void refuse() {
  throw InvalidParameter("release", "a document that this version does not know");
}

/// The value that has this name in a document.
template <class Value>
Value named(const Json& text, std::initializer_list<Value> values) {
  for (const Value value : values) {
    if (text == name(value)) {
      return value;
    }
  }
  refuse();
}

Rational number_of(const Json& number) { return Rational::exactly(number.get<double>()); }

/// The same of what is never 0: documents come from files, and a crash would end the interpreter.
Rational positive_of(const Json& number) {
  Rational value = number_of(number);
  if (value.sign() <= 0) {
    refuse();
  }
  return value;
}

Rational fraction_of(const Json& text) { return report::written_fraction(text.get<std::string>()); }

Queries queries_of(const Json& parameters) {
  const Json& sensitivity =
      parameters.at(parameters.contains("sensitivity_used") ? "sensitivity_used" : "sensitivity");
  Queries queries{named(parameters.at("kind"), {Kind::counts, Kind::general}),
                  named(parameters.at("neighbours"), {Neighbours::add_remove, Neighbours::replace}),
                  positive_of(sensitivity)};
  if (parameters.contains("max_items")) {
    queries.max_items = parameters.at("max_items").get<std::uint64_t>();
  }
  return queries;
}

Distribution law_of(const Json& noise) {
  return named(noise.at("law"),
               {Distribution::exponential, Distribution::laplace, Distribution::geometric});
}

NoiseDistribution noise_of(const Json& noise) {
  return {law_of(noise), positive_of(noise.at("scale")), positive_of(noise.at("tick"))};
}

Cost cost_of(const Json& document) {
  const Json& epsilon = document.at("epsilon");
  return {fraction_of(epsilon.at("reserved")), fraction_of(epsilon.at("spent")),
          report::written_fraction(document.value("delta", "0"))};
}

/// The cost of a sparse vector, without that of its own measurement. It reserves all that it may
/// spend, so the share of the measurement is one of what was reserved.
Cost vector_cost_of(const Json& document) {
  const Cost cost = cost_of(document);
  const Json& parameters = document.at("parameters");
  if (!parameters.contains("measure")) {  // a stream is not measured
    return cost;
  }
  return {(Rational(1) - fraction_of(parameters.at("measure"))) * cost.reserved,
          fraction_of(document.at("epsilon").at("selection"))};
}

Threshold threshold_of(const Json& threshold, const Rational& tick) {
  const Rational used = number_of(threshold.at("used"));
  const mpz_class ticks = (used / tick).floor();
  if (!ticks.fits_slong_p()) {
    refuse();
  }
  const Json& asked = threshold.at("asked");  // of items nobody listed it may follow from δ alone
  return {asked.is_null() ? Rational(0) : number_of(asked), used, ticks.get_si()};
}

Branch branch_of(const Json& branch) {
  return {fraction_of(branch.at("epsilon")), positive_of(branch.at("scale")),
          branch.at("offset_ticks").get<std::int64_t>(),
          branch.at("cut_ticks").get<std::int64_t>()};
}

std::vector<Item> numbered(std::size_t count) {
  std::vector<Item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    items[i].id = static_cast<std::int64_t>(i);
  }
  return items;
}

/// The gaps of rows, each to the next, summed from the last: leads over the runner-up.
std::vector<std::int64_t> leads_of(const Json& rows) {
  std::vector<std::int64_t> leads(rows.size(), 0);
  std::int64_t lead = 0;
  for (std::size_t i = rows.size(); i-- > 0;) {
    const Json& gap = rows.at(i).at("gap_ticks");
    if (__builtin_add_overflow(lead, gap.is_null() ? 0 : gap.get<std::int64_t>(), &lead)) {
      refuse();
    }
    leads[i] = lead;
  }
  return leads;
}

}  // namespace

TopKRelease top_k_of(const Json& document) {
  const Json& parameters = document.at("parameters");
  const Json& rows = document.at("winners");
  const auto candidates = parameters.at("candidate_count").get<std::uint64_t>();
  return {queries_of(parameters),   noise_of(document.at("noise")),
          cost_of(document),        candidates,
          numbered(rows.size()),    leads_of(rows),
          rows.size() < candidates, parameters.at("kind") == "counts"};
}

HybridRelease hybrid_of(const Json& document) {
  const Json& rows = document.at("winners");
  const Json& threshold = document.at("threshold");
  HybridRelease release;
  release.queries = queries_of(document.at("parameters"));
  release.noise = noise_of(document.at("noise"));
  release.threshold_noise = release.noise;
  release.threshold_noise.scale = positive_of(threshold.at("scale"));
  release.threshold = threshold_of(threshold, release.noise.tick);
  release.k = document.at("parameters").at("k").get<std::uint64_t>();
  release.cost = cost_of(document);
  release.winners = numbered(rows.size());
  const bool next = !rows.empty() && rows.at(0).at("gap_to") == "next";
  release.gap_to = next ? GapTo::next : GapTo::threshold;
  release.gap_ticks = leads_of(rows);
  if (!next) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      release.gap_ticks[i] = rows.at(i).at("gap_ticks").get<std::int64_t>();
    }
  }
  if (document.contains("threshold_gap_ticks") && !document.at("threshold_gap_ticks").is_null()) {
    release.threshold_gap_ticks = document.at("threshold_gap_ticks").get<std::int64_t>();
  }
  if (document.contains("branches")) {
    release.estimates = HybridRelease::Estimates{fraction_of(document.at("theta")),
                                                 fraction_of(threshold.at("epsilon")),
                                                 branch_of(document.at("branches").at(0))};
  }
  return release;
}

SparseVectorRelease sparse_vector_of(const Json& document) {
  const Json& threshold = document.at("threshold");
  SparseVectorRelease release;
  release.queries = queries_of(document.at("parameters"));
  release.distribution = law_of(document.at("noise"));
  release.tick = positive_of(document.at("noise").at("tick"));
  release.theta = fraction_of(document.at("theta"));
  release.threshold = threshold_of(threshold, release.tick);
  release.threshold_epsilon = fraction_of(threshold.at("epsilon"));
  release.threshold_scale = positive_of(threshold.at("scale"));
  for (const Json& branch : document.at("branches")) {
    release.branches.push_back(branch_of(branch));
  }
  release.stop_rule = named(document.at("stop_rule"), {StopRule::afford, StopRule::paper});
  const Json& stop_after = document.at("parameters").at("stop_after");
  if (!stop_after.is_null()) {
    release.stop_after = stop_after.get<std::uint64_t>();
  }
  release.cost = vector_cost_of(document);
  std::int64_t passed = 0;
  for (const Json& row : document.at("answers")) {
    SparseVectorAnswer answer;
    answer.above = row.at("above").get<bool>();
    if (answer.above) {
      answer.item.id = passed++;  // as in a measurement of those that passed
      answer.branch = row.at("branch").get<std::size_t>();
      if (answer.branch < 1 || answer.branch > release.branches.size()) {
        refuse();
      }
      if (!row.at("gap_ticks").is_null()) {
        answer.gap_ticks = row.at("gap_ticks").get<std::int64_t>();
      }
    }
    release.answers.push_back(answer);
  }
  if (!document.at("parameters").contains("answers")) {  // else those below are not listed
    release.asked = release.answers.size();
  }
  return release;
}

MeasureRelease measurement_of(const Json& document) {
  if (document.at("mechanism") != "measure") {
    throw InvalidParameter("measurement", "give a release of measure");
  }
  const Json& rows = document.at("measurements");
  MeasureRelease measurement{queries_of(document.at("parameters")),
                             noise_of(document.at("noise")),
                             cost_of(document),
                             numbered(rows.size()),
                             {}};
  for (const Json& row : rows) {
    measurement.value_ticks.push_back(row.at("measured_ticks").get<std::int64_t>());
  }
  return measurement;
}

std::optional<MeasureRelease> own_measurement_of(const Json& document, const Json& rows) {
  if (!document.contains("measurement") || rows.empty()) {
    return std::nullopt;
  }
  MeasureRelease measurement{queries_of(document.at("parameters")),
                             noise_of(document.at("measurement")),
                             cost_of(document),
                             numbered(rows.size()),
                             {}};
  const double tick = measurement.noise.tick.shown();
  for (const Json& row : rows) {
    const double ticks = row.at("measured").get<double>() / tick;
    if (!(std::abs(ticks) < 0x1p62)) {
      refuse();
    }
    measurement.value_ticks.push_back(std::llround(ticks));
  }
  return measurement;
}

}  // namespace freegap::python
