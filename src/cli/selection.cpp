#include "selection.hpp"

#include <algorithm>
#include <utility>

#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

void add_if_given(Json& parameters, const char* name, const std::string& text) {
  if (!text.empty()) {
    parameters[name] = text;
  }
}

}  // namespace

Selection::Selection(const SelectionOptions& options, const OutputOptions& output, Secrecy secrecy)
    : whole(options.noise.distribution == "geometric" || counts_records(options.data)),
      distribution(distribution_of(options.noise.distribution)),
      queries(queries_of(options.data, Kind::counts, whole)),
      tick(tick_of(options.noise)),
      theta(options.theta.empty() ? std::nullopt
                                  : std::optional(rational_of("--theta", options.theta))),
      confidence(output.level()),
      share(share_of("--measure", options.measure)),
      measuring_and_selecting(epsilon_of("--epsilon", options.epsilon)),
      selecting((Rational(1) - share) * measuring_and_selecting.value()),
      labelled(LabelledCandidates::read(options.data, queries, whole, secrecy)),
      candidates(labelled.candidates()),
      estimator({.confidence = confidence}) {
  parameters["k"] = options.k;
  parameters["noise"] = name(distribution);
  describe(parameters, queries, labelled.unit());
  add_if_given(parameters, "tick", options.noise.tick);
  add_if_given(parameters, "theta", options.theta);
  parameters["candidates"] = labelled.mode();
  parameters["candidate_count"] = candidates.size();
  if (const auto& universe = labelled.universe()) {
    parameters["universe"] = {universe->first, universe->last};
  }
  parameters["measure"] = share.str();
  parameters["confidence"] = confidence;
}

void Selection::check_measuring(std::uint64_t most) const {
  if (share.sign() == 0) {
    return;
  }
  // One item has the narrowest noise and the finest grid, all of them the widest.
  for (const std::uint64_t t : {std::uint64_t{1}, std::max<std::uint64_t>(most, 1)}) {
    const Rational scale = Rational(t) * queries.sensitivity / measuring();
    const Grid measured = Grid::for_scale(queries.sensitivity, scale, tick);
    static_cast<void>(Rate(measured.tick() / (Rational(t) * measured.sensitivity() / measuring())));
  }
}

Rational Selection::worst_case(const Cost& selection) const {
  return selection.reserved + measuring();
}

std::optional<MeasureRelease> Selection::measure_all(const std::vector<Item>& winners,
                                                     ExactNoise& noise) {
  if (share.sign() == 0) {
    return std::nullopt;
  }
  return measure(candidates, winners, {.epsilon = Epsilon(measuring()), .tick = tick}, noise);
}

Outcome Selection::outcome(const std::string& mechanism, const Cost& selection,
                           const std::optional<MeasureRelease>& direct) const {
  const Rational measured = direct ? direct->cost.spent : Rational(0);
  const Cost cost{worst_case(selection), selection.spent + measured};
  Outcome outcome{head(mechanism, parameters, cost), cost.spent};
  outcome.document["epsilon"]["selection"] = selection.spent.str();
  outcome.document["epsilon"]["measurement"] = measured.str();
  if (direct) {
    outcome.document["measurement"] = noise(direct->noise);
  }
  return outcome;
}

Job job_of(const std::string& verb, const Selection& selection, const Rational& reserved,
           std::function<Outcome(ExactNoise&)> draw) {
  return {verb,     selection.labelled.unit(), selection.queries.neighbours,
          reserved, selection.parameters,      std::move(draw)};
}

}  // namespace freegap::cli
