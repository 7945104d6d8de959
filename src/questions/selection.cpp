#include "questions/selection.hpp"

#include <algorithm>
#include <utility>

namespace freegap::questions {

sources::Declaration SelectionOptions::declaration(Secrecy secrecy, bool stream) const {
  sources::Declaration declared = data.declaration(stream ? Kind::general : Kind::counts, secrecy);
  declared.stream = stream;
  declared.whole_noise = noise.distribution == Distribution::geometric;
  return declared;
}

std::vector<Missing> selection_missing(const SelectionOptions& options, Secrecy secrecy) {
  std::vector<Missing> missing = missing_about(options.data.input, options.declaration(secrecy));
  if (const std::optional<Missing> candidates = missing_candidates(options.data.candidates)) {
    missing.push_back(*candidates);
  }
  return missing;
}

std::shared_ptr<const LabelledCandidates> read_candidates(const SelectionOptions& options,
                                                          Secrecy secrecy) {
  return std::make_shared<const LabelledCandidates>(
      options.data.candidates,
      sources::DataSource(options.data.input, options.declaration(secrecy)), secrecy);
}

Json selection_parameters(const SelectionOptions& options, const sources::DataSource& source) {
  Json parameters;
  parameters["k"] = options.k;
  parameters["noise"] = name(options.noise.distribution);
  describe(parameters, source);
  if (options.noise.tick) {
    parameters["tick"] = options.noise.tick->text;
  }
  if (options.theta) {
    parameters["theta"] = options.theta->text;
  }
  return parameters;
}

Selection::Selection(const SelectionOptions& options, double level, const sources::DataSource& from,
                     const CandidateFacts& candidates)
    : asked(options),
      confidence(level),
      selecting((Rational(1) - options.measure) * options.epsilon.value().value()),
      source(from),
      estimator({.confidence = confidence, .method = options.estimator}) {
  parameters = selection_parameters(options, source);
  candidates.describe(parameters);
  parameters["measure"] = options.measure.str();
  parameters["estimator"] = name(options.estimator);
  parameters["confidence"] = confidence;
}

void Selection::settle_grids(const Rational& tick, std::uint64_t most) {
  std::vector<Rational> ticks{tick};
  if (asked.measure.sign() == 0) {
    describe_limit(parameters, source, ticks);
    return;
  }
  const Queries& queries = source.queries();
  // One item has the narrowest noise and the finest grid, all of them the widest.
  for (const std::uint64_t t : {std::uint64_t{1}, std::max<std::uint64_t>(most, 1)}) {
    const Rational share = Rational(queries.most_changed(t)) / measuring();
    const Grid measured = Grid::for_scale(queries.sensitivity, share * queries.sensitivity,
                                          value_of(asked.noise.tick));
    static_cast<void>(Rate(measured.tick() / (share * measured.sensitivity())));
    ticks.push_back(measured.tick());
  }
  describe_limit(parameters, source, ticks);
}

std::optional<MeasureRelease> Selection::measure_all(const Candidates& candidates,
                                                     const std::vector<Item>& winners,
                                                     ExactNoise& noise) const {
  if (asked.measure.sign() == 0) {
    return std::nullopt;
  }
  return freegap::measure(candidates, winners,
                          {.epsilon = Epsilon(measuring()),
                           .tick = value_of(asked.noise.tick),
                           .constant_work = asked.constant_work},
                          noise);
}

Outcome Selection::outcome(const std::string& mechanism, const Cost& selection,
                           const std::optional<MeasureRelease>& direct) const {
  // A release with a δ gives nothing back, not even where nothing was measured.
  const Rational measured = selection.delta.sign() > 0 ? measuring()
                            : direct                   ? direct->cost.spent
                                                       : Rational(0);
  const Cost cost{selection.reserved + measuring(), selection.spent + measured, selection.delta};
  Outcome outcome{head(mechanism, parameters, cost), cost.spent};
  outcome.document["epsilon"]["selection"] = selection.spent.str();
  outcome.document["epsilon"]["measurement"] = measured.str();
  if (direct) {
    outcome.document["measurement"] = noise(direct->noise);
  }
  return outcome;
}

Question Selection::question(const std::string& verb, const LabelledCandidates& labelled,
                             const Cost& selection, std::uint64_t most, bool lists_all,
                             std::function<Outcome(ExactNoise&)> draw) const {
  const std::uint64_t all = lists_all ? labelled.facts().count : 0;
  const std::uint64_t winners = labelled.at_most(most);
  return {.verb = verb,
          .source = source,
          .reserved = selection.reserved + measuring(),
          .delta = selection.delta,
          .parameters = parameters,
          .draw = std::move(draw),
          .candidate_list = labelled.facts().list,
          .largest_release =
              bytes_of_rows(winners, all, labelled.name_bytes(lists_all ? all : winners))};
}

}  // namespace freegap::questions
