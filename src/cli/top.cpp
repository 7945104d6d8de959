#include <CLI/CLI.hpp>
#include <utility>

#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/top_k.hpp"
#include "selection.hpp"
#include "verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap top sample.dat -k 5 --epsilon 0.7 --universe 0..999 --no-ledger

Names the k items with the largest noisy counts, with the gap by which each
beats the next, at no cost. Half of the budget (--measure) measures the winners;
gaps and measurements together give estimates with error bars. With --above T
only items above T are returned, and budget comes back where they are fewer than
k.)";

struct TopOptions : SelectionOptions {
  std::string above;
  std::string prefer;
  unsigned threads = 1;        ///< that scan the numbers
  bool constant_work = false;  ///< noise for every item
};

Json measured_value(const std::optional<MeasureRelease>& direct, std::size_t i) {
  return direct ? Json(direct->value(i)) : Json();
}

Outcome draw_top(Selection& selection, const TopKOptions& options, ExactNoise& noise) {
  const TopKRelease release = top_k(selection.candidates, options, noise);
  const std::optional<MeasureRelease> direct = selection.measure_all(release.winners, noise);
  std::vector<Estimate> estimates;
  if (direct) {
    estimates = options.gaps ? selection.estimator(release, *direct) : selection.estimator(*direct);
  }
  const std::vector<Claim> claims =
      options.gaps ? claims_ahead(release, selection.confidence) : std::vector<Claim>();

  Outcome outcome = selection.outcome("top_k", release.cost, direct);
  outcome.document["noise"] = cli::noise(release.noise);
  Json& rows = outcome.document["winners"] = Json::array();
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    const auto gap = release.gap_ticks(i);
    Json row = {{"rank", i + 1}, {"item", selection.labelled.label(release.winners[i])}};
    row["gap"] = gap ? Json(release.noise.shown(*gap)) : Json();
    row["gap_ticks"] = gap ? Json(*gap) : Json();
    row["measured"] = measured_value(direct, i);
    add_estimate(row, direct ? std::optional(estimates[i]) : std::nullopt);
    row["lead_at_least"] = claims.empty() ? Json() : number(claims[i].at_least);
    row["p_not_ahead"] = claims.empty() ? Json() : Json(claims[i].p_value);
    rows.push_back(std::move(row));
  }
  return outcome;
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
  document["threshold_gap_ticks"] =
      release.threshold_gap_ticks ? Json(*release.threshold_gap_ticks) : Json();
}

/// A winner's gap: over the threshold, or to the next winner and, for the last, to the runner-up.
std::int64_t gap_ticks(const HybridRelease& release, std::size_t i) {
  const bool last = i + 1 == release.winners.size();
  if (release.gap_to == GapTo::threshold || last) {
    return release.gap_ticks[i];
  }
  return difference_ticks(release.gap_ticks[i], release.gap_ticks[i + 1]);
}

Outcome draw_hybrid(Selection& selection, const HybridOptions& options, ExactNoise& noise) {
  const HybridRelease release = top_k_above(selection.candidates, options, noise);
  const std::optional<MeasureRelease> direct = selection.measure_all(release.winners, noise);
  const std::vector<Estimate> estimates =
      direct ? selection.estimator(release, *direct) : selection.estimator(release);
  const bool next = release.gap_to == GapTo::next;
  const std::vector<Claim> claims =
      next ? std::vector<Claim>() : claims_above(release, selection.confidence);

  Outcome outcome = selection.outcome("top_k_above", release.cost, direct);
  outcome.document["noise"] = cli::noise(release.noise);
  add_threshold(outcome.document, release);
  Json& rows = outcome.document["winners"] = Json::array();
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    const std::int64_t gap = gap_ticks(release, i);
    Json row = {{"rank", i + 1}, {"item", selection.labelled.label(release.winners[i])}};
    row["gap"] = release.noise.shown(gap);
    row["gap_ticks"] = gap;
    row["gap_to"] = next ? "next" : "threshold";
    row["measured"] = measured_value(direct, i);
    add_estimate(row, estimates.empty() ? std::nullopt : std::optional(estimates[i]));
    row["lower"] = claims.empty() ? Json() : number(claims[i].at_least);
    row["p_not_above"] = claims.empty() ? Json() : Json(claims[i].p_value);
    rows.push_back(std::move(row));
  }
  return outcome;
}

constexpr std::uint64_t most_winners = 1'000'000;

void check_combinations(const TopOptions& options) {
  if (options.k > most_winners) {
    throw InvalidParameter("-k", "it must be at most 1000000");
  }
  if (options.above.empty() && !(options.prefer.empty() && options.theta.empty())) {
    throw InvalidParameter(options.prefer.empty() ? "--theta" : "--prefer",
                           "it goes with --above T");
  }
  if (!options.above.empty() && options.classic) {
    throw InvalidParameter("--classic", "with --above the gaps are always released");
  }
  if (options.constant_work && !options.data.universe.empty()) {
    throw InvalidParameter("--constant-work", "it is for a list of items, not for --universe");
  }
  if (!options.theta.empty() && options.prefer != "estimates") {
    throw InvalidParameter("--theta", "it goes with --prefer estimates");
  }
}

Job hybrid_job(const std::shared_ptr<Selection>& selection, const TopOptions& options) {
  const Rational bar = rational_of("--above", options.above);
  const bool estimates = options.prefer == "estimates";
  const HybridOptions hybrid{.k = options.k,
                             .epsilon = selection->selecting,
                             .threshold = bar,
                             .prefer = estimates ? Prefer::estimates : Prefer::identity,
                             .noise = selection->distribution,
                             .theta = selection->theta,
                             .tick = selection->tick,
                             .threads = options.threads,
                             .constant_work = options.constant_work};
  const HybridPlan plan = plan_hybrid(selection->candidates, hybrid);
  selection->check_measuring(options.k);
  selection->parameters["above"] = number(bar);
  selection->parameters["prefer"] = estimates ? "estimates" : "identity";
  return job_of("top", *selection, selection->worst_case(plan.blank.cost),
                [=](ExactNoise& noise) { return draw_hybrid(*selection, hybrid, noise); });
}

Job make_job(const TopOptions& options, const OutputOptions& output, Secrecy secrecy) {
  check_combinations(options);
  const auto selection = std::make_shared<Selection>(options, output, secrecy);
  if (!options.above.empty()) {
    return hybrid_job(selection, options);
  }
  const TopKOptions top{.k = options.k,
                        .epsilon = selection->selecting,
                        .noise = selection->distribution,
                        .gaps = !options.classic,
                        .tick = selection->tick,
                        .threads = options.threads,
                        .constant_work = options.constant_work};
  const TopKPlan plan = plan_top_k(selection->candidates, top);
  selection->check_measuring(options.k);
  selection->parameters["classic"] = options.classic;
  return job_of("top", *selection, selection->worst_case(plan.cost),
                [=](ExactNoise& noise) { return draw_top(*selection, top, noise); });
}

}  // namespace

Verb add_top(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<TopOptions>();
  auto output = std::make_shared<OutputOptions>();
  CLI::App* verb = parent.add_subcommand("top", "The k largest, with the gaps between them");
  options->measure = "0.5";
  add_input(*verb, options->data);
  verb->add_option("-k", options->k, "How many winners")->check(at_least_one())->required();
  verb->add_option("--epsilon", options->epsilon, "Budget for all of it, for example 0.7 or 7/10")
      ->required();
  verb->add_option("--measure", options->measure,
                   "Share of the budget that measures the winners (default 0.5; 0 for none)");
  verb->add_option("--above", options->above, "Only items above this threshold");
  verb->add_option("--prefer", options->prefer,
                   "With --above: identity (less noise, the default) or estimates (a gap over the "
                   "threshold for every winner)")
      ->check(CLI::IsMember({"identity", "estimates"}));
  verb->add_option("--theta", options->theta,
                   "With --prefer estimates: share of the threshold (default: the best)");
  verb->add_flag("--classic", options->classic, "Without gaps");
  verb->add_option("--threads", options->threads, "That scan the numbers (default 1)")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--constant-work", options->constant_work,
                 "Noise for every item, so that time tells less of the data");
  add_candidates(*verb, options->data, true);
  add_queries(*verb, options->data);
  add_noise(*verb, options->noise);
  return finished(*verb, output, secrecy, example,
                  [=] { return make_job(*options, *output, secrecy); });
}

}  // namespace freegap::cli
