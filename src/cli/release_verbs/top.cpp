#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/colour.hpp"
#include "cli/explanations.hpp"
#include "cli/release_verb_table.hpp"
#include "cli/selection.hpp"
#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/top_k.hpp"

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

const Names<Prefer> preferences{{"identity", Prefer::identity}, {"estimates", Prefer::estimates}};

struct TopOptions : SelectionOptions {
  std::optional<Rational> above;
  std::optional<Prefer> prefer;
  unsigned threads = 1;
};

/// The members with which the row of a winner begins in both mechanisms.
Json winner(const Selection& selection, const Item& item, std::size_t rank,
            const NoiseDistribution& noise, const std::optional<std::int64_t>& gap) {
  return {{"rank", rank},
          {"item", selection.labelled.label(item)},
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
                const std::optional<MeasureRelease>& direct) {
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
    Json row = winner(selection, release.winners[i], i + 1, release.noise, release.gap_ticks(i));
    add_values(row, i, direct, estimates);
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

Outcome written(Selection& selection, const HybridRelease& release,
                const std::optional<MeasureRelease>& direct) {
  const std::vector<Estimate> estimates =
      direct ? selection.estimator(release, *direct) : selection.estimator(release);
  const bool next = release.gap_to == GapTo::next;
  const std::vector<Claim> claims =
      next ? std::vector<Claim>() : claims_above(release, selection.confidence);

  Outcome outcome = selection.outcome("top_k_above", release.cost, direct);
  outcome.document["noise"] = noise(release.noise);
  add_threshold(outcome.document, release);
  Json& rows = outcome.document["winners"] = Json::array();
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    Json row = winner(selection, release.winners[i], i + 1, release.noise, gap_ticks(release, i));
    row["gap_to"] = next ? "next" : "threshold";
    add_values(row, i, direct, estimates);
    row["lower"] = claims.empty() ? Json() : number(claims[i].at_least);
    row["p_not_above"] = claims.empty() ? Json() : Json(claims[i].p_value);
    rows.push_back(std::move(row));
  }
  return outcome;
}

std::string winners_table(const Json& document, bool hybrid) {
  const Json& parameters = document["parameters"];
  const Json& rows = document["winners"];
  const std::string what = hybrid ? fmt::format("Up to {} items above {}", shown(parameters["k"]),
                                                shown(document["threshold"]["used"]))
                                  : fmt::format("Top {}", shown(parameters["k"]));
  std::string text = heading(fmt::format("{} of {}", what, shown(parameters["candidate_count"]))) +
                     "\n" + setting(document) + "\n\n";
  if (rows.empty()) {
    text += "Nothing is above the threshold.\n";
  } else {
    std::vector<Column> columns{{"rank", "rank"}, {"item", "item", 18, true}, {"gap", "gap"}};
    if (hybrid) {
      columns.push_back({"to", "gap_to", 9, true});
    }
    columns.push_back({"estimate ± error", "estimate", 26});
    columns.push_back({percent(document) + " interval", "interval", 28});
    if (says_who_is_on_top(document)) {
      columns.push_back({"sure?", "sure"});
    }
    text += table(for_people(rows), columns) + footnotes(document, rows);
  }
  return text + "\n" + cost(document);
}

std::string top_table(const Json& document) { return winners_table(document, false); }
std::string hybrid_table(const Json& document) { return winners_table(document, true); }

/// The members of a winner, in order: those that both mechanisms have, and `more` where they go.
std::vector<std::string> csv_columns(const std::vector<std::string>& after_gap,
                                     const std::vector<std::string>& at_the_end) {
  std::vector<std::string> columns{"rank", "item", "gap", "gap_ticks"};
  const auto append = [&](const std::vector<std::string>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  append(after_gap);
  append({"measured"});
  append(estimate_columns());
  append({"used_gap"});
  append(at_the_end);
  return columns;
}

constexpr std::uint64_t most_winners = 1'000'000;

void check_combinations(const TopOptions& options) {
  if (options.k > most_winners) {
    throw InvalidParameter("-k", "it must be at most 1000000");
  }
  if (!options.above && (options.prefer || options.theta)) {
    throw InvalidParameter(options.prefer ? "--prefer" : "--theta", "it goes with --above T");
  }
  if (options.above && options.classic) {
    throw InvalidParameter("--classic", "with --above the gaps are always released");
  }
  if (options.theta && options.prefer != Prefer::estimates) {
    throw InvalidParameter("--theta", "it goes with --prefer estimates");
  }
}

Question hybrid_question(const std::shared_ptr<Selection>& selection, const TopOptions& options) {
  const Prefer prefer = options.prefer.value_or(Prefer::identity);
  const HybridOptions hybrid{.k = options.k,
                             .epsilon = selection->selecting,
                             .threshold = *options.above,
                             .prefer = prefer,
                             .noise = options.noise.distribution,
                             .theta = value_of(options.theta),
                             .tick = value_of(options.noise.tick),
                             .threads = options.threads,
                             .constant_work = options.constant_work};
  const HybridPlan plan = plan_hybrid(selection->labelled.candidates(), hybrid);
  selection->settle_grids(plan.grid, options.k);
  selection->parameters["above"] = number(*options.above);
  selection->parameters["prefer"] =
      std::find_if(preferences.begin(), preferences.end(), [&](const auto& named) {
        return named.second == prefer;
      })->first;
  return selection->question("top", plan.blank.cost, options.k, false, [=](ExactNoise& noise) {
    const HybridRelease release = top_k_above(selection->labelled.candidates(), hybrid, noise);
    return written(*selection, release, selection->measure_all(release.winners, noise));
  });
}

Question make_question(const TopOptions& options, const OutputOptions& output, Secrecy secrecy) {
  check_combinations(options);
  const auto selection = std::make_shared<Selection>(options, output, secrecy);
  if (options.above) {
    return hybrid_question(selection, options);
  }
  const TopKOptions top{.k = options.k,
                        .epsilon = selection->selecting,
                        .noise = options.noise.distribution,
                        .gaps = !options.classic,
                        .tick = value_of(options.noise.tick),
                        .threads = options.threads,
                        .constant_work = options.constant_work};
  const TopKPlan plan = plan_top_k(selection->labelled.candidates(), top);
  selection->settle_grids(plan.grid, options.k);
  selection->parameters["classic"] = options.classic;
  return selection->question("top", plan.cost, options.k, false, [=](ExactNoise& noise) {
    const TopKRelease release = top_k(selection->labelled.candidates(), top, noise);
    return written(*selection, release, selection->measure_all(release.winners, noise));
  });
}

RegisteredVerb add(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* verb = parent.add_subcommand("top", "The k largest, with the gaps between them");
  options->measure = Rational(1, 2);
  add_input(*verb, options->data.input);
  add_number(*verb, "-k", options->k, "How many winners")->required();
  add_parsed(*verb, "--epsilon", options->epsilon, "Budget for all of it, for example 0.7 or 7/10",
             Epsilon::parse)
      ->required();
  add_parsed(*verb, "--measure", options->measure,
             "Share of the budget that measures the winners (default 0.5; 0 for none)",
             parse_share);
  add_parsed(*verb, "--above", options->above, "Only items above this threshold", Rational::parse);
  add_choice(*verb, "--prefer", options->prefer,
             "With --above: identity (less noise, the default) or estimates (a gap over the "
             "threshold for every winner)",
             preferences);
  add_parsed(*verb, "--theta", options->theta,
             "With --prefer estimates: share of the threshold (default: the best)",
             WrittenNumber::parse);
  verb->add_flag("--classic", options->classic, "Without gaps");
  add_number(*verb, "--threads", options->threads, "That scan the numbers (default 1)", 1, 1024);
  add_constant_work(*verb, options->constant_work);
  add_candidates(*verb, options->data.candidates, true);
  add_queries(*verb, options->data);
  add_noise(*verb, options->noise);
  add_estimator(*verb, options->estimator);
  verb->footer(example);
  return {verb,
          [=](const OutputOptions& output, const Context&) {
            return make_question(*options, output, secrecy);
          },
          [=] { return selection_missing(*options, secrecy); }};
}

}  // namespace

ReleaseVerb top_verb() {
  return {add,
          {{"top_k", top_table, "winners", csv_columns({}, {"lead_at_least", "p_not_ahead"})},
           {"top_k_above", hybrid_table, "winners",
            csv_columns({"gap_to"}, {"lower", "p_not_above"})}}};
}

}  // namespace freegap::cli
