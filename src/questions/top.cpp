#include "questions/top.hpp"

#include <utility>

#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"

namespace freegap::questions {
namespace {

constexpr std::uint64_t most_winners = 1'000'000;

/// The members with which the row of a winner begins in both mechanisms.
Json winner(const std::string& label, std::size_t rank, const NoiseDistribution& noise,
            const std::optional<std::int64_t>& gap) {
  return {{"rank", rank},
          {"item", label},
          {"gap", gap ? Json(noise.shown(*gap)) : Json()},
          {"gap_ticks", gap ? Json(*gap) : Json()}};
}

/// Adds the measurement of winner i, and its estimate, where there are some.
void add_values(Json& row, std::size_t i, const std::optional<MeasureRelease>& direct,
                const std::vector<Estimate>& estimates) {
  row["measured"] = direct ? Json(direct->value(i)) : Json();
  add_estimate_with_gap(row, estimates.empty() ? std::nullopt : std::optional(estimates[i]));
}

Outcome written(Selection& selection, const TopKRelease& release,
                const std::optional<MeasureRelease>& direct,
                const std::vector<std::string>& labels) {
  const bool gaps = !selection.asked.classic;
  std::vector<Estimate> estimates;
  if (direct) {
    estimates = gaps ? selection.estimator(release, *direct) : selection.estimator(*direct);
  }
  const std::vector<Claim> claims =
      gaps ? claims_ahead(release, selection.confidence) : std::vector<Claim>();

  Outcome outcome = selection.outcome("top_k", release.cost, direct);
  outcome.document["noise"] = noise(release.noise);
  Json& rows = outcome.document["winners"] = Json::array();
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    Json row = winner(labels[i], i + 1, release.noise, release.gap_ticks(i));
    add_values(row, i, direct, estimates);
    row["lead_at_least"] = claims.empty() ? Json() : number(claims[i].at_least);
    row["p_not_ahead"] = claims.empty() ? Json() : Json(claims[i].p_value);
    rows.push_back(std::move(row));
  }
  return outcome;
}

/// Refuses what items nobody listed cannot be combined with (docs/proofs/unknown_items.md).
void check_unknown_items(const TopOptions& options) {
  if (!options.data.candidates.unknown_items) {
    if (options.delta) {
      throw InvalidParameter("--delta",
                             "it goes with --unknown-items; declared candidates have no δ");
    }
    return;
  }
  const CandidateOptions& candidates = options.data.candidates;
  if (candidates.universe || !candidates.list.empty() || candidates.items_are_public) {
    throw InvalidParameter("--unknown-items",
                           "the items are declared already, which needs no δ; leave it out");
  }
  if (!options.delta) {
    throw InvalidParameter(
        "--delta",
        "--unknown-items needs one: the probability with which an item that one "
        "unit alone holds may appear, for example 1e-9, far below 1 in the number "
        "of units");
  }
  const QueryOptions& queries = options.data.queries;
  if (queries.kind.value_or(Kind::counts) != Kind::counts ||
      queries.sensitivity.value_or(1) != Rational(1) || options.data.range) {
    throw InvalidParameter("--unknown-items",
                           "an item that one unit alone holds must count 1: it goes with counts of "
                           "sensitivity 1, without --range");
  }
  if (queries.neighbours != Neighbours::add_remove) {
    throw InvalidParameter("--neighbours",
                           "--unknown-items is proven for add-remove neighbours alone");
  }
  if (options.constant_work) {
    throw InvalidParameter("--constant-work",
                           "with --unknown-items the work shows how many items occur");
  }
}

void add_threshold(Json& document, const HybridRelease& release) {
  if (release.estimates) {
    document["theta"] = release.estimates->theta.str();
    document["threshold"] = threshold(release.threshold, release.estimates->threshold_epsilon,
                                      release.threshold_noise.scale);
    document["branches"] = Json::array({branch(1, release.estimates->branch)});
    return;
  }
  document["threshold"] = threshold(release.threshold, std::nullopt, release.threshold_noise.scale);
  if (release.cost.delta.sign() == 0) {
    document["threshold_gap_ticks"] =
        release.threshold_gap_ticks ? Json(*release.threshold_gap_ticks) : Json();
  }
}

/// A winner's gap: over the threshold, or to the next winner and, for the last, to the runner-up.
std::int64_t gap_ticks(const HybridRelease& release, std::size_t i) {
  const bool last = i + 1 == release.winners.size();
  if (release.gap_to == GapTo::threshold || last) {
    return release.gap_ticks[i];
  }
  return difference_ticks(release.gap_ticks[i], release.gap_ticks[i + 1]);
}

Outcome written(Selection& selection, const HybridRelease& release,
                const std::optional<MeasureRelease>& direct,
                const std::vector<std::string>& labels) {
  const std::vector<Estimate> estimates =
      direct ? selection.estimator(release, *direct) : selection.estimator(release);
  const bool next = release.gap_to == GapTo::next;
  const std::vector<Claim> claims =
      next ? std::vector<Claim>() : claims_above(release, selection.confidence);

  Outcome outcome = selection.outcome("top_k_above", release.cost, direct);
  outcome.document["noise"] = noise(release.noise);
  add_threshold(outcome.document, release);
  if (!selection.parameters.contains("above")) {
    outcome.document["threshold"]["asked"] = Json();  // it follows from δ alone
  }
  Json& rows = outcome.document["winners"] = Json::array();
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    Json row = winner(labels[i], i + 1, release.noise, gap_ticks(release, i));
    row["gap_to"] = next ? "next" : "threshold";
    add_values(row, i, direct, estimates);
    row["lower"] = claims.empty() ? Json() : number(claims[i].at_least);
    row["p_not_above"] = claims.empty() ? Json() : Json(claims[i].p_value);
    rows.push_back(std::move(row));
  }
  return outcome;
}

/// The grids and the last parameters of a selection without a threshold.
void settle(Selection& selection, const Rational& tick) {
  selection.settle_grids(tick, selection.asked.k);
  selection.parameters["classic"] = selection.asked.classic;
}

Question hybrid_question(const TopOptions& options, const std::shared_ptr<Selection>& selection,
                         const std::shared_ptr<const LabelledCandidates>& labelled) {
  const Prefer prefer = options.prefer.value_or(Prefer::identity);
  const HybridOptions hybrid{.k = options.k,
                             .epsilon = selection->selecting,
                             .threshold = options.above.value_or(0),
                             .delta = options.delta,
                             .prefer = prefer,
                             .noise = options.noise.distribution,
                             .theta = value_of(options.theta),
                             .tick = value_of(options.noise.tick),
                             .threads = options.threads,
                             .constant_work = options.constant_work};
  const HybridPlan plan = plan_hybrid(labelled->candidates(), hybrid);
  selection->settle_grids(plan.grid.tick(), options.k);
  if (options.above) {
    selection->parameters["above"] = number(*options.above);
  }
  selection->parameters["prefer"] = name(prefer);
  return selection->question(
      "top", *labelled, plan.blank.cost, options.k, false, [=](ExactNoise& noise) {
        const HybridRelease release = top_k_above(labelled->candidates(), hybrid, noise);
        const auto direct = selection->measure_all(labelled->candidates(), release.winners, noise);
        return written(*selection, release, direct, labelled->labels(release.winners));
      });
}

}  // namespace

const char* name(Prefer prefer) { return prefer == Prefer::identity ? "identity" : "estimates"; }

void check(const TopOptions& options) {
  if (options.k > most_winners) {
    throw InvalidParameter("-k", "it must be at most 1000000");
  }
  const bool hybrid = options.above || options.data.candidates.unknown_items;
  if (!hybrid && (options.prefer || options.theta)) {
    throw InvalidParameter(options.prefer ? "--prefer" : "--theta",
                           "it goes with --above T or --unknown-items");
  }
  if (hybrid && options.classic) {
    throw InvalidParameter("--classic",
                           "with --above and --unknown-items the gaps are always released");
  }
  check_unknown_items(options);
  if (options.theta && options.prefer != Prefer::estimates) {
    throw InvalidParameter("--theta", "it goes with --prefer estimates");
  }
}

TopKOptions top_k_options(const TopOptions& options) {
  return {.k = options.k,
          .epsilon = Epsilon((Rational(1) - options.measure) * options.epsilon.value().value()),
          .noise = options.noise.distribution,
          .gaps = !options.classic,
          .tick = value_of(options.noise.tick),
          .threads = options.threads,
          .constant_work = options.constant_work};
}

Outcome top_outcome(const TopOptions& options, double confidence, const sources::DataSource& source,
                    const CandidateFacts& candidates, const TopKRelease& release,
                    const std::vector<std::string>& labels) {
  Selection selection(options, confidence, source, candidates);
  settle(selection, release.noise.tick);
  return written(selection, release, std::nullopt, labels);
}

Question top_question(const TopOptions& options, double confidence,
                      const std::shared_ptr<const LabelledCandidates>& labelled) {
  const auto selection =
      std::make_shared<Selection>(options, confidence, labelled->source(), labelled->facts());
  if (options.above || options.data.candidates.unknown_items) {
    return hybrid_question(options, selection, labelled);
  }
  const TopKOptions top = top_k_options(options);
  const TopKPlan plan = plan_top_k(labelled->candidates(), top);
  settle(*selection, plan.grid.tick());
  return selection->question("top", *labelled, plan.cost, options.k, false, [=](ExactNoise& noise) {
    const TopKRelease release = top_k(labelled->candidates(), top, noise);
    const auto direct = selection->measure_all(labelled->candidates(), release.winners, noise);
    return written(*selection, release, direct, labelled->labels(release.winners));
  });
}

}  // namespace freegap::questions
