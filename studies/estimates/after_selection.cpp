#include "studies/estimates/after_selection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/simulation.hpp"
#include "experiments/names.hpp"
#include "experiments/repeated_measure.hpp"
#include "experiments/simulation.hpp"
#include "freegap/candidates.hpp"
#include "freegap/estimate.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/measure.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "studies/estimates/coverage.hpp"
#include "studies/estimates/figures.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

using experiments::distribution_name;

/// Items that are selected in a smaller share of the runs are not judged.
constexpr double seldom = 0.005;
/// Items that are selected in at least this share of the runs decide when there are enough runs.
/// Others are judged with the runs that there are.
constexpr double often = 0.05;

/// Like testing::simulate, for a sparse vector whose threshold is drawn between the counts of rank
/// 2k and 8k, over counts in random order.
template <class Visit>
void simulate_drawn(const Setting& setting, std::span<const std::int64_t> counts,
                    std::uint64_t runs, std::uint64_t seed, const Visit& visit) {
  const Candidates candidates = experiments::candidates_of(counts, setting.kind);
  experiments::RepeatedSparseVector selection(counts, setting.kind,
                                              {.k = setting.k,
                                               .epsilon = Epsilon(setting.selecting),
                                               .threshold = 0,
                                               .noise = setting.distribution,
                                               .theta = setting.theta},
                                              experiments::paper_ranks(setting.k));
  experiments::RepeatedMeasure measurer(candidates);
  InsecureSeededNoise noise(seed);
  std::vector<double> answers;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const SparseVectorRelease release = selection.run(noise);
    const std::vector<Item> winners = experiments::passed(release);
    answers.clear();
    for (const Item& item : winners) {
      answers.push_back(static_cast<double>(counts[static_cast<std::size_t>(item.id)]));
    }
    const auto direct = [&]() -> const MeasureRelease& {
      return measurer.measure(winners, setting.measuring, noise);
    };
    visit(release, direct, std::span<const double>(answers));
  }
}

/// Squared errors of one method.
struct SquaredError {
  Ratio ratio;  ///< over that of measuring alone
  std::vector<Mean> by_rank;

  void add(const std::vector<Estimate>& estimates, std::span<const double> answers, double alone) {
    by_rank.resize(std::max(by_rank.size(), answers.size()));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      by_rank[i].add(std::pow(estimates[i].value - answers[i], 2));
    }
    ratio.add(testing::squared_error(estimates, answers), alone);
  }
};

/// The largest ratio of mean squared errors over ranks.
double worst_ratio(const SquaredError& of, const SquaredError& over) {
  double worst = 0;
  for (std::size_t i = 0; i < std::min(of.by_rank.size(), over.by_rank.size()); ++i) {
    if (std::min(of.by_rank[i].runs(), over.by_rank[i].runs()) >= enough_to_tell) {
      worst = std::max(worst, of.by_rank[i].value() / over.by_rank[i].value());
    }
  }
  return worst;
}

struct AfterSelection {
  Coverage likelihood;
  Coverage linear;
  Coverage measured;
  SquaredError likelihood_squared;
  SquaredError linear_squared;
  SquaredError measured_squared;
  Ratio gaps_alone_right;  ///< of all winners: no wrong interval from its gap alone; by run
  Share gaps_alone_shown;
  testing::ClaimOutcomes claims;
};

/// What the likelihood is compared with, and gaps without measurements, are tried in one of so many
/// runs: that leaves the time to the likelihood.
constexpr std::uint64_t compared_every = 10;

/// Adds so many runs to what was seen. Each `part` of the runs has noise of its own.
void try_out(const Case& one, std::span<const std::int64_t> t40, std::uint64_t runs,
             std::uint64_t part, AfterSelection& seen) {
  Estimator likelihood({confidence, Method::likelihood});
  Estimator linear({confidence, Method::linear});
  std::uint64_t run = 0;
  const auto compare = [&](const auto& release, const MeasureRelease& measured,
                           std::span<const double> answers, double alone) {
    const auto by_linear = linear(release, measured);
    const auto by_measuring = likelihood(measured);
    seen.linear.add(by_linear, answers);
    seen.measured.add(by_measuring, answers);
    seen.linear_squared.add(by_linear, answers, alone);
    seen.measured_squared.add(by_measuring, answers, alone);
    if constexpr (requires { likelihood(release); }) {
      const auto from_gaps = likelihood(release);
      double right = 0;
      for (std::size_t i = 0; i < from_gaps.size(); ++i) {
        const bool shown = from_gaps[i].interval.has_value();
        seen.gaps_alone_shown.add(shown);
        right += !shown || contains(from_gaps[i].interval, answers[i]) ? 1 : 0;
      }
      seen.gaps_alone_right.add(right, static_cast<double>(from_gaps.size()));
    }
  };
  const auto look = [&](const auto& release, auto& direct, std::span<const double> answers) {
    if (answers.empty()) {
      return;
    }
    const MeasureRelease& measured = direct();
    const double alone = testing::squared_error(measured, answers);
    const auto by_likelihood = likelihood(release, measured);
    seen.likelihood.add(by_likelihood, answers);
    seen.likelihood_squared.add(by_likelihood, answers, alone);
    if (run++ % compared_every == 0) {
      compare(release, measured, answers, alone);
    }
    if (one.of_figure) {
      const testing::Claimed claimed = testing::claimed(release, one.setting, answers, confidence);
      seen.claims.add(claimed.claims, claimed.truth, claimed.bar, 1 - confidence);
    }
  };
  const std::uint64_t seed = seed_of(one.what() + ", part " + std::to_string(part));
  if (one.drawn_threshold) {
    simulate_drawn(one.setting, t40, runs, seed, look);
  } else {
    testing::simulate(one.setting, runs, seed, look);
  }
}

/// Checks the intervals by likelihood, for each item given that it was selected, on average over
/// winners and all at once; and shows their lengths.
void judge_coverage(const Case& one, const AfterSelection& seen, std::vector<Row>& rows) {
  const std::string section = "(d) 95 % intervals after selection";
  const Coverage& shown = seen.likelihood;
  const std::string what = one.what();
  constexpr double bar = 0.945;
  if (const auto worst = shown.worst_item(bar, seldom)) {
    rows.push_back(at_least(section, what, "item " + std::to_string(worst->id) + ", the worst",
                            worst->value, worst->error, bar));
    // How well a seldom selected item is covered would take too many runs to settle.
    const auto often_selected = shown.worst_item(bar, often);
    rows.back().margin =
        often_selected ? (often_selected->value - bar) / often_selected->error : HUGE_VAL;
  }
  rows.push_back(at_least(section, what, "average over winners", shown.average.value(),
                          shown.average.error(), confidence));
  const auto [rank, share] = worst_rank(shown.by_rank, confidence, true);
  if (share.trials > 0) {
    rows.push_back(note(section, what, "rank " + std::to_string(rank + 1) + ", the worst",
                        share.value(), share.error_if(confidence)));
  }
  rows.push_back(at_least(section, what, "simultaneous", shown.simultaneous.value(),
                          shown.simultaneous.error_if(confidence), confidence));
  const auto [at, at_once] = worst_rank(shown.by_rank_simultaneous, confidence, true);
  if (at_once.trials > 0) {
    rows.push_back(at_least(section, what, "simultaneous, rank " + std::to_string(at + 1),
                            at_once.value(), at_once.error_if(confidence), confidence));
  }
  const double alone = seen.measured.marginal_length.value();
  rows.push_back(
      note(section, what, "length / measured alone", shown.marginal_length.value() / alone, 0));
  rows.push_back(
      note(section, what, "linear: length / same", seen.linear.marginal_length.value() / alone, 0));
  rows.push_back(note(section, what, "linear: average coverage", seen.linear.average.value(),
                      seen.linear.average.error()));
  rows.push_back(note(section, what, "simultaneous length / same",
                      shown.simultaneous_length.value() / seen.measured.simultaneous_length.value(),
                      0));
  // An interval from a gap alone is shown only if a claim can be made. As with claims, the
  // guarantee is that few of the selected winners get a wrong one. Given that it is shown, it may
  // be wrong more often: a small gap with a claim is mostly luck.
  if (seen.gaps_alone_shown.trials > 0) {
    // Intervals of one run miss together, by the noise of their threshold.
    const Ratio& right = seen.gaps_alone_right;
    const Share& shown_alone = seen.gaps_alone_shown;
    rows.push_back(at_least(section, what, "gaps alone, none wrong", right.value(),
                            std::max(right.error(), shown_alone.error_if(confidence)), confidence));
    rows.back().margin = HUGE_VAL;  // a claim, which is proven: not worth more runs
    rows.push_back(
        note(section, what, "gaps alone, shown", shown_alone.value(), shown_alone.error_if(0.5)));
  }
}

void judge_claims(const std::string& what, const Setting& setting,
                  const testing::ClaimOutcomes& outcomes, std::vector<Row>& rows) {
  const std::string section = "(e) claims after selection";
  rows.push_back(
      note(section, what, "claims made", outcomes.made.value(), outcomes.made.error_if(0.5)));
  // Claims of one run may be false together, by the noise of their threshold.
  rows.push_back(at_least(
      section, what, "no false claim", 1 - outcomes.all_false.value(),
      std::max(outcomes.all_false_by_run.error(), outcomes.all_false.error_if(0.05)), 0.949));
  // Claims from a Laplace sparse vector hold for each query, given that it passed, and not for each
  // place in the order of passing.
  const auto [rank, share] = worst_rank(outcomes.false_claims, 0.05, false);
  const std::string place = "no false claim, rank " + std::to_string(rank + 1);
  if (share.trials > 0) {
    const double error = share.error_if(0.05);
    rows.push_back(setting.distribution == Distribution::laplace
                       ? note(section, what, place, 1 - share.value(), error)
                       : at_least(section, what, place, 1 - share.value(), error, 0.949));
  }
  const Share low = outcomes.low_p_values();
  if (low.trials > 0) {
    rows.push_back(at_most(section, what, "p <= 0.05, no true winner", low.value(),
                           std::max(outcomes.low_p_value_by_run.error(), low.error_if(0.05)),
                           0.05));
  }
}

void judge_squared(const Case& one, const AfterSelection& seen, std::vector<Row>& rows) {
  const std::string section = "(f) mean squared error over measuring alone";
  const std::string what = one.what();
  const Ratio& ours = seen.likelihood_squared.ratio;
  const Ratio& paper = seen.linear_squared.ratio;
  rows.push_back(
      at_most(section, what, "likelihood", ours.value(), ours.error(), one.most_squared));
  rows.push_back(note(section, what, "likelihood, worst rank",
                      worst_ratio(seen.likelihood_squared, seen.measured_squared), 0));
  rows.push_back(note(section, what, "linear (the paper)", paper.value(), paper.error()));
  rows.push_back(note(section, what, "linear, worst rank",
                      worst_ratio(seen.linear_squared, seen.measured_squared), 0));
}

std::vector<Row> judge(const Case& one, const AfterSelection& seen) {
  std::vector<Row> rows;
  if (one.of_figure) {
    judge_claims(one.what(), one.setting, seen.claims, rows);
    for (Row& row : rows) {
      row.margin = HUGE_VAL;  // claims are proven: not worth more runs
    }
  }
  judge_coverage(one, seen, rows);
  judge_squared(one, seen, rows);
  return rows;
}

/// Number of runs until the next look, after `runs` of them: those needed to settle the least
/// settled verdict, plus 10 %. At least a quarter of `runs`, and at most `runs`.
std::uint64_t until_next_look(std::uint64_t runs, const std::vector<Row>& rows) {
  if (runs == 0) {
    return 20'000;
  }
  double least = enough_margin;
  for (const Row& row : rows) {
    least = std::min(least, row.margin);
  }
  const double wanted = least > 0 ? 1.1 * std::pow(enough_margin / least, 2) - 1 : 1;
  return static_cast<std::uint64_t>(static_cast<double>(runs) * std::clamp(wanted, 0.25, 1.0));
}

}  // namespace

std::vector<Row> after_selection(const Case& one, const Study& study, Figures& figures) {
  const std::uint64_t most = runs_of(one.setting.k, study.runs);
  const Setting& setting = one.setting;
  AfterSelection seen;
  std::vector<Row> rows;
  std::uint64_t runs = 0;
  for (std::uint64_t part = 0; runs < most; ++part) {
    const std::uint64_t more = std::min(most - runs, until_next_look(runs, rows));
    try_out(one, study.t40, more, part, seen);
    runs += more;
    rows = judge(one, seen);
    if (std::all_of(rows.begin(), rows.end(), settled)) {
      break;
    }
  }
  rows.push_back(
      note("(d) 95 % intervals after selection", one.what(), "runs", static_cast<double>(runs), 0));
  if (one.of_figure) {
    figures.add(&Figures::selection,
                name(setting.selection) + (setting.branches > 1 ? " (2 branches)" : "") + "," +
                    distribution_name(setting.distribution) + ",\"" + one.data + "\"," +
                    text(seen.linear_squared.ratio.value()) + "," +
                    text(seen.likelihood_squared.ratio.value()) + "," +
                    text(worst_ratio(seen.linear_squared, seen.measured_squared)) + "," +
                    text(worst_ratio(seen.likelihood_squared, seen.measured_squared)));
  }
  return rows;
}

}  // namespace freegap::studies
