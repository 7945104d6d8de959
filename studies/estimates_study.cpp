// The full-size Monte-Carlo study of estimates, error bars and claims: the real mechanisms on data
// whose answers are known. Prints rows with verdicts as settings are done, the cheapest first; exit
// status 1 if any verdict fails. Sections (a) and (c) make N runs of each setting (a tenth of that
// for 100 winners), (b) makes N / 2k, so that there are as many winners for each k. (d), (e) and
// (f) make up to N, and stop once every verdict is settled, apart from those on items that are
// seldom selected; rows say how many.
//
//   estimates_study [--runs N] [--only REGEX] [--skip N] [--data FOLDER] [--csv DIR] [--threads N]
//
// --skip leaves out the first settings, the cheapest: a study that was stopped goes on behind them.
// REGEX picks settings by section and name, such as "(def) top-k, exponential, k = 10: 2,000
// equal": "^.a" picks section (a). FOLDER holds T40I10D100K-counts.csv, with columns item and
// count; without it the settings on that data are left out.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "experiments/names.hpp"
#include "experiments/simulation.hpp"
#include "freegap/confidence.hpp"
#include "freegap/estimate.hpp"
#include "freegap/exponential.hpp"
#include "freegap/planning.hpp"
#include "studies/table.hpp"

namespace freegap::studies {
namespace {

using experiments::distribution_name;
using testing::Mean;
using testing::Ratio;
using testing::Selection;
using testing::Setting;
using testing::Shape;
using testing::Share;

/// Lines of the figures' data, added by tasks in several threads.
struct Figures {
  std::mutex mutex;
  std::vector<std::string> reduction;  // mechanism,distribution,k,theory,linear,likelihood
  std::vector<std::string> selection;  // mechanism,distribution,shape,linear,likelihood and both at
                                       // their worst rank

  void add(std::vector<std::string> Figures::*table, std::string line) {
    const std::lock_guard lock(mutex);
    (this->*table).push_back(std::move(line));
  }
};

struct Study {
  std::uint64_t runs = 1'000'000;
  std::vector<std::int64_t> t40;  ///< counts of T40I10D100K, falling; empty if not given
  Figures figures;
};

std::string name(Selection selection) {
  switch (selection) {
    case Selection::top_k:
      return "top-k";
    case Selection::sparse_vector:
      return "sparse vector";
    case Selection::identity_first:
      return "identity first";
    case Selection::estimates_first:
      return "estimates first";
  }
  return {};
}

std::string name(const Setting& s) {
  return name(s.selection) + (s.branches > 1 ? " (2 branches)" : "") + ", " +
         distribution_name(s.distribution) + (s.kind == Kind::general ? ", general" : "") +
         ", k = " + std::to_string(s.k);
}

/// Seeds differ between settings, and are the same in every run of the study.
std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 1469598103934665603U;
  for (const char c : text) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return seed;
}

/// Runs of a setting; fewer where there are many winners.
std::uint64_t runs_of(std::uint64_t k, std::uint64_t runs) { return k < 100 ? runs : runs / 10; }

/// The time of a setting, roughly: that of its estimates, and of a sparse vector's queries.
double cost_of(const Setting& setting, std::uint64_t runs) {
  const double queries = setting.selection == Selection::sparse_vector
                             ? 0.02 * static_cast<double>(setting.shape.size())
                             : 0;
  return static_cast<double>(runs) * (static_cast<double>(setting.k) + queries);
}

constexpr std::array all_distributions{Distribution::exponential, Distribution::laplace,
                                       Distribution::geometric};
constexpr double confidence = 0.95;

// Closed forms, independent of the library --------------------------------------------------------

/// Variance of noise on a tick.
double variance(const NoiseDistribution& noise) {
  const double a = noise.tick.shown() / noise.scale.shown();
  const double one_sided = 1 / std::pow(2 * std::sinh(a / 2), 2) * std::pow(noise.tick.shown(), 2);
  return noise.distribution == Distribution::laplace ? 2 * one_sided : one_sided;
}

/// Variances of a measurement and of the linear estimate.
struct Theory {
  double direct = 0;
  double linear = 0;
};

Theory theory(const TopKRelease& release, const MeasureRelease& direct) {
  const auto k = static_cast<double>(release.winners.size());
  const double alpha = variance(direct.noise);
  const double lambda = variance(release.noise) / alpha;
  return {alpha, alpha * (1 + lambda * k) / (k * (1 + lambda))};
}

Theory theory(const SparseVectorRelease& release, const MeasureRelease& direct) {
  const double alpha = variance(direct.noise);
  const double gap =
      variance(release.branch_noise(release.branches.size())) + variance(release.threshold_noise());
  return {alpha, alpha * gap / (alpha + gap)};
}

Theory theory(const HybridRelease& /*release*/, const MeasureRelease& /*direct*/) { return {}; }

// (a) Closed forms --------------------------------------------------------------------------------

/// Linear estimates on well-separated data.
std::vector<Row> closed_forms(const Setting& setting, std::uint64_t runs) {
  Estimator linear({confidence, Method::linear});
  testing::EstimateOutcomes outcomes;
  Ratio ratio;
  Theory expected;
  testing::simulate(setting, runs, seed_of(name(setting)),
                    [&](const auto& release, auto& direct, std::span<const double> answers) {
                      const MeasureRelease& measured = direct();
                      if (expected.direct == 0) {
                        expected = theory(release, measured);
                      }
                      const auto estimates = linear(release, measured);
                      outcomes.add(estimates, answers);
                      ratio.add(testing::squared_error(estimates, answers),
                                testing::squared_error(measured, answers));
                    });
  const std::string section = "(a) linear estimates against closed forms";
  const std::string what = name(setting);
  const Mean& covered = outcomes.run_covered;
  // Intervals allow for ticks: on coarse ones they are slightly too wide.
  const bool exact = covered.value() + 4 * covered.error() >= confidence &&
                     covered.value() - 4 * covered.error() <= confidence + 0.001;
  return {equal(section, what, "variance", outcomes.run_squared.value(),
                outcomes.run_squared.error(), expected.linear),
          {section, what, "coverage", covered.value(), covered.error(), "= 0.95", exact},
          equal(section, what, "reduction", 1 - ratio.value(), ratio.error(),
                1 - expected.linear / expected.direct)};
}

std::vector<Task> section_a(Study& study) {
  std::vector<Task> tasks;
  for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
    for (const Distribution distribution : all_distributions) {
      for (const Kind kind : {Kind::counts, Kind::general}) {
        for (const std::uint64_t k : {2U, 10U}) {
          Setting setting = testing::setting_for(selection, distribution, k, testing::separated(k));
          setting.kind = kind;
          // The linear combination takes about a tenth of the time.
          tasks.push_back({"(a) " + name(setting), cost_of(setting, study.runs) / 10,
                           [=, &study] { return closed_forms(setting, study.runs); }});
        }
      }
    }
  }
  return tasks;
}

// (b) Reduction against k -------------------------------------------------------------------------

std::vector<Row> reduction(const Setting& setting, std::uint64_t runs, Figures& figures) {
  Estimator likelihood;
  Estimator linear({confidence, Method::linear});
  Ratio of_likelihood;
  Ratio of_linear;
  Theory expected;
  testing::simulate(
      setting, runs, seed_of(name(setting)) + 1,
      [&](const auto& release, auto& direct, std::span<const double> answers) {
        const MeasureRelease& measured = direct();
        if (expected.direct == 0) {
          expected = theory(release, measured);
        }
        const double alone = testing::squared_error(measured, answers);
        of_likelihood.add(testing::squared_error(likelihood(release, measured), answers), alone);
        of_linear.add(testing::squared_error(linear(release, measured), answers), alone);
      });
  const std::string section = "(b) reduction of the mean squared error, separated counts";
  const std::string what = name(setting);
  const double wanted = 1 - expected.linear / expected.direct;
  const double by_linear = 1 - of_linear.value();
  const double by_likelihood = 1 - of_likelihood.value();
  figures.add(&Figures::reduction, name(setting.selection) + "," +
                                       distribution_name(setting.distribution) + "," +
                                       std::to_string(setting.k) + "," + text(wanted, 6) + "," +
                                       text(by_linear, 6) + "," + text(by_likelihood, 6));
  return {{section, what, "linear", by_linear, of_linear.error(), "= " + text(wanted),
           std::fabs(by_linear - wanted) <= std::max(0.01, 4 * of_linear.error())},
          at_least(section, what, "likelihood", by_likelihood, of_likelihood.error(), wanted)};
}

std::vector<Task> section_b(Study& study) {
  std::vector<Task> tasks;
  for (const Selection selection : {Selection::sparse_vector, Selection::top_k}) {
    for (const Distribution distribution : {Distribution::laplace, Distribution::exponential}) {
      for (std::uint64_t k = 2; k <= 24; ++k) {
        Setting setting = testing::setting_for(selection, distribution, k, testing::separated(k));
        setting.selecting = setting.measuring;  // half and half
        const std::uint64_t runs = study.runs / (2 * k);
        tasks.push_back({"(b) " + name(setting), cost_of(setting, runs),
                         [=, &study] { return reduction(setting, runs, study.figures); }});
      }
    }
  }
  return tasks;
}

// Coverage ----------------------------------------------------------------------------------------

bool contains(const std::optional<Interval>& interval, double answer) {
  return interval && interval->low <= answer && answer <= interval->high;
}

double length(const std::optional<Interval>& interval) { return interval->high - interval->low; }

/// Coverage and lengths of the intervals of one method. Members of a group of equal candidates are
/// exchangeable, so that a group counts as one item.
struct Coverage {
  std::map<std::int64_t, Ratio> by_item;    ///< given that it was selected; by run
  std::vector<Share> by_rank;               ///< marginal intervals
  std::vector<Share> by_rank_simultaneous;  ///< simultaneous intervals
  Mean average;                             ///< share of a run's intervals that cover
  Share simultaneous;                       ///< runs in which all simultaneous intervals cover
  Mean marginal_length;
  Mean simultaneous_length;

  void add(const std::vector<Estimate>& estimates, std::span<const double> answers) {
    const std::size_t n = estimates.size();
    if (by_rank.size() < n) {
      by_rank.resize(n);
      by_rank_simultaneous.resize(n);
    }
    std::map<std::int64_t, Share> items;
    Share held;
    bool all = true;
    double lengths = 0;
    double simultaneous_lengths = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool holds = contains(estimates[i].interval, answers[i]);
      const bool holds_at_once = contains(estimates[i].simultaneous, answers[i]);
      items[estimates[i].item.id].add(holds);
      by_rank[i].add(holds);
      by_rank_simultaneous[i].add(holds_at_once);
      held.add(holds);
      all = all && holds_at_once;
      lengths += length(estimates[i].interval);
      simultaneous_lengths += length(estimates[i].simultaneous);
    }
    for (const auto& [id, share] : items) {
      by_item[id].add(static_cast<double>(share.happened), static_cast<double>(share.trials));
      selections_[id] += share.trials;
    }
    average.add(held.value());
    simultaneous.add(all);
    marginal_length.add(lengths / static_cast<double>(n));
    simultaneous_length.add(simultaneous_lengths / static_cast<double>(n));
  }

  /// An item with its coverage and its standard error.
  struct Item {
    std::int64_t id = 0;
    double value = 1;
    double error = 0;
  };
  /// The item that is furthest below `bar`, in standard errors, among those selected in at least
  /// this share of the runs and at least a thousand times.
  [[nodiscard]] std::optional<Item> worst_item(double bar, double least_share) const {
    std::optional<Item> worst;
    double most = -HUGE_VAL;
    for (const auto& [id, ratio] : by_item) {
      const auto often = static_cast<double>(selections_.at(id));
      if (often < 1000 ||
          static_cast<double>(ratio.runs()) < least_share * static_cast<double>(average.runs())) {
        continue;
      }
      // Where hardly any interval fails, the spread seen is too small.
      const double error = std::max(ratio.error(), std::sqrt(bar * (1 - bar) / often));
      if ((bar - ratio.value()) / error > most) {
        most = (bar - ratio.value()) / error;
        worst = Item{id, ratio.value(), error};
      }
    }
    return worst;
  }

 private:
  std::map<std::int64_t, std::uint64_t> selections_;
};

/// Ranks with fewer winners are not judged: four standard errors would be too wide.
constexpr std::uint64_t enough_to_tell = 1000;
/// Items that are selected in a smaller share of the runs are not judged.
constexpr double seldom = 0.005;
/// Items that are selected in at least this share of the runs decide when there are enough runs.
/// Others are judged with the runs that there are.
constexpr double often = 0.05;

/// The rank that is furthest on the wrong side of `p`, in standard errors, among those with enough
/// winners; an empty share if there is none.
std::pair<std::size_t, Share> worst_rank(const std::vector<Share>& shares, double p,
                                         bool want_high) {
  std::pair<std::size_t, Share> worst{0, {}};
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double off =
        (want_high ? p - shares[i].value() : shares[i].value() - p) / shares[i].error_if(p);
    if (shares[i].trials >= enough_to_tell && off > most) {
      most = off;
      worst = {i, shares[i]};
    }
  }
  return worst;
}

// (c) Coverage on well-separated data -------------------------------------------------------------

std::vector<Row> separated_coverage(const Setting& setting, std::uint64_t runs) {
  Estimator likelihood;
  Coverage coverage;
  Coverage measured_alone;
  testing::simulate(setting, runs, seed_of(name(setting)) + 2,
                    [&](const auto& release, auto& direct, std::span<const double> answers) {
                      const MeasureRelease& measured = direct();
                      coverage.add(likelihood(release, measured), answers);
                      measured_alone.add(likelihood(measured), answers);
                    });
  const std::string section = "(c) 95 % intervals on well-separated data";
  const std::string what = name(setting);
  const double covered = coverage.average.value();
  const double error = coverage.average.error();
  const bool within = covered - 4 * error <= 0.955 && covered + 4 * error >= confidence;
  return {{section, what, "marginal coverage", covered, error, "0.95-0.955", within},
          at_least(section, what, "simultaneous coverage", coverage.simultaneous.value(),
                   coverage.simultaneous.error_if(confidence), confidence),
          at_most(section, what, "length / measured alone",
                  coverage.marginal_length.value() / measured_alone.marginal_length.value(), 0, 1),
          at_most(section, what, "simultaneous length / same",
                  coverage.simultaneous_length.value() / measured_alone.simultaneous_length.value(),
                  0, 1)};
}

std::vector<Task> section_c(const Study& study) {
  std::vector<Task> tasks;
  for (const std::uint64_t k : {100U, 10U, 2U, 1U}) {
    for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
      for (const Distribution distribution : all_distributions) {
        const Setting setting =
            testing::setting_for(selection, distribution, k, testing::separated(k));
        const std::uint64_t runs = runs_of(k, study.runs);
        tasks.push_back({"(c) " + name(setting), cost_of(setting, runs),
                         [=] { return separated_coverage(setting, runs); }});
      }
    }
  }
  return tasks;
}

// (d), (e), (f) After selection, on all shapes ----------------------------------------------------

/// A setting, and what is wanted of it.
struct Case {
  Setting setting;
  std::string data;              ///< in the table
  double most_squared = 1.01;    ///< mean squared error over that of measuring alone
  bool of_figure = false;        ///< whether claims are judged and the figure shows it
  bool drawn_threshold = false;  ///< a sparse vector on T40, with the paper's thresholds and order

  [[nodiscard]] std::string what() const { return name(setting) + ": " + data; }
};

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
  Share gaps_alone_wrong;  ///< of all winners: a wrong interval from its gap alone
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
      for (std::size_t i = 0; i < from_gaps.size(); ++i) {
        const bool shown = from_gaps[i].interval.has_value();
        seen.gaps_alone_shown.add(shown);
        seen.gaps_alone_wrong.add(shown && !contains(from_gaps[i].interval, answers[i]));
      }
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
  if (seen.gaps_alone_wrong.trials > 0) {
    const Share& wrong = seen.gaps_alone_wrong;
    rows.push_back(at_least(section, what, "gaps alone, none wrong", 1 - wrong.value(),
                            wrong.error_if(1 - confidence), confidence));
    rows.back().margin = HUGE_VAL;  // a claim, which is proven: not worth more runs
    rows.push_back(note(section, what, "gaps alone, shown", seen.gaps_alone_shown.value(),
                        seen.gaps_alone_shown.error_if(0.5)));
  }
}

void judge_claims(const std::string& what, const Setting& setting,
                  const testing::ClaimOutcomes& outcomes, std::vector<Row>& rows) {
  const std::string section = "(e) claims after selection";
  rows.push_back(
      note(section, what, "claims made", outcomes.made.value(), outcomes.made.error_if(0.5)));
  rows.push_back(at_least(section, what, "no false claim", 1 - outcomes.all_false.value(),
                          outcomes.all_false.error_if(0.05), 0.949));
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
    rows.push_back(
        at_most(section, what, "p <= 0.05, no true winner", low.value(), low.error_if(0.05), 0.05));
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

/// How many runs to make until the next look, if `runs` were made: as many as would settle the
/// verdict that is furthest from it, by what was seen of it, and a tenth. Not fewer than a quarter
/// of those made, and not more than were made.
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

/// Makes runs until every verdict is settled, or all runs are made.
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

// Settings ----------------------------------------------------------------------------------------

constexpr std::array all_selections{Selection::top_k, Selection::identity_first,
                                    Selection::estimates_first, Selection::sparse_vector};

/// The shapes of the tests, k = 5, noise of about 100 everywhere.
void add_known_shapes(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 5;
  for (const Distribution distribution : all_distributions) {
    for (const Selection selection : all_selections) {
      const bool listed = selection == Selection::sparse_vector;
      for (const Shape& shape : testing::shapes(k, listed ? 100 : 20'000)) {
        Case one{testing::setting_for(selection, distribution, k, shape), shape.name};
        one.of_figure = true;
        cases.push_back(one);
        if (listed && distribution != Distribution::geometric) {
          one.setting.branches = 2;
          cases.push_back(one);
        }
      }
    }
  }
}

/// A shape as a list in a fixed order that has nothing to do with its values: sparse vectors ask in
/// the order of the list, and stop.
Shape stirred(const Shape& shape) {
  std::vector<std::int64_t> values;
  for (std::size_t g = 0; g < shape.values.size(); ++g) {
    values.insert(values.end(), static_cast<std::size_t>(shape.multiplicities[g]), shape.values[g]);
  }
  InsecureSeededNoise noise(1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::swap(values[i], values[i + noise.below(values.size() - i)]);
  }
  return testing::listed(shape.name, std::move(values));
}

/// Queries that are asked only if few before them passed, so that the threshold's noise was large;
/// and late ones that are asked whatever it is.
void add_late(std::vector<Case>& cases) {
  for (const Distribution distribution : all_distributions) {
    const auto add = [&](std::uint64_t k, const Shape& shape) {
      cases.push_back(
          {testing::setting_for(Selection::sparse_vector, distribution, k, shape), shape.name});
    };
    add(5, {"three large after 18 near the threshold", {0, 100, 50, 1700}, {6, 6, 6, 3}});
    add(5, {"one large after 100 below the threshold", {-100, 3000}, {100, 1}});
    add(1, {"one large after 30 below the threshold", {-100, 3000}, {30, 1}});
    add(3, {"one large after 40 below the threshold", {-100, 3000}, {40, 1}});
    for (const std::uint64_t k : {1U, 5U}) {
      const auto many = static_cast<std::int64_t>(k);
      add(k, {"large after as many far below the threshold", {-4000, 4000}, {many, many}});
    }
    for (const Rational& theta : {Rational(1, 100), Rational(1, 20)}) {
      add(3, {"two large after 40 below, θ = " + text(theta.shown()), {-100, 3000}, {40, 2}});
      cases.back().setting.theta = theta;
    }
  }
}

/// Leads that are neither clear nor nil: each of 3k candidates so many scales (of 100) below the
/// one before; k of them are above the threshold.
Shape steps(std::uint64_t k, double scales) {
  Shape shape{"steps of " + text(scales) + " scales", {}, {}};
  for (std::uint64_t i = 0; i < 3 * k; ++i) {
    const double from_threshold = static_cast<double>(k) - static_cast<double>(i) - 0.5;
    shape.values.push_back(std::llround(100 * scales * from_threshold));
    shape.multiplicities.push_back(1);
  }
  return shape;
}

/// Leads that fall step by step to those of a crowd.
Shape staircase(std::int64_t crowd) {
  Shape shape{"a staircase into a crowd", {}, {}};
  for (const int scales : {20, 17, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1}) {
    shape.values.push_back(100 * scales);
    shape.multiplicities.push_back(1);
  }
  shape.values.push_back(0);
  shape.multiplicities.push_back(crowd);
  return shape;
}

/// Half of the winners far ahead, the other half from a crowd.
Shape half_in_crowd(std::uint64_t k, std::int64_t crowd) {
  Shape shape{"half of the winners in a crowd", {}, {}};
  for (std::uint64_t i = 0; i < k / 2; ++i) {
    shape.values.push_back(5000 + 1000 * static_cast<std::int64_t>(i));
    shape.multiplicities.push_back(1);
  }
  shape.values.push_back(-200);
  shape.multiplicities.push_back(crowd);
  return shape;
}

/// Selection noise of scale 100, whatever the kind of queries; this share of the budget measures.
Case divided_case(Selection selection, Distribution distribution, std::uint64_t k,
                  const Shape& shape, Kind kind, const Rational& measuring_share) {
  Setting setting = testing::setting_for(
      selection, distribution, k, selection == Selection::sparse_vector ? stirred(shape) : shape);
  setting.kind = kind;
  if (kind == Kind::general) {
    setting.selecting = setting.selecting * Rational(2);
  }
  setting.measuring = setting.selecting * measuring_share / (Rational(1) - measuring_share);
  return {setting, shape.name + ", " + text(measuring_share.shown()) + " measures"};
}

void add_unclear_leads(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 10;
  const Rational half(1, 2);
  for (const Selection selection : all_selections) {
    const std::int64_t crowd = selection == Selection::sparse_vector ? 100 : 5000;
    const std::vector<Shape> shapes{steps(k, 0.5), steps(k, 1),      steps(k, 2),
                                    steps(k, 4),   staircase(crowd), half_in_crowd(k, crowd)};
    const bool hybrid =
        selection == Selection::identity_first || selection == Selection::estimates_first;
    for (const Shape& shape : shapes) {
      for (const Distribution distribution : all_distributions) {
        const bool every =
            selection == Selection::top_k || (!hybrid && distribution == Distribution::exponential);
        const auto add = [&](Kind kind, const Rational& share) {
          cases.push_back(divided_case(selection, distribution, k, shape, kind, share));
        };
        if (!hybrid || distribution != Distribution::geometric) {
          add(Kind::counts, half);
        }
        if (every) {
          add(Kind::general, half);
        }
        if (every && distribution != Distribution::geometric) {
          add(Kind::counts, Rational(1, 5));
          add(Kind::counts, Rational(4, 5));
        }
      }
    }
  }
}

/// A budget of which half selects.
Case halved_case(Selection selection, Distribution distribution, std::uint64_t k,
                 const Shape& shape, const Rational& epsilon, double most_squared = 1.01) {
  Setting setting{selection, distribution, k, shape};
  setting.selecting = epsilon / Rational(2);
  setting.measuring = setting.selecting;
  return {setting, shape.name + ", ε = " + text(epsilon.shown()), most_squared};
}

/// Counts that fall like 1/rank; the threshold below the 20th.
void add_zipf(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 10;
  Shape zipf = testing::zipf(2000, 10'000);
  for (std::int64_t& value : zipf.values) {
    value -= 10'000 / 20;
  }
  for (const Distribution distribution : all_distributions) {
    for (const Rational& epsilon : {Rational(1, 100), Rational(3, 100), Rational(1, 20),
                                    Rational(1, 10), Rational(3, 10), Rational(1)}) {
      for (const Selection selection : all_selections) {
        const bool listed = selection == Selection::sparse_vector;
        if (selection == Selection::top_k || distribution == Distribution::exponential) {
          cases.push_back(
              halved_case(selection, distribution, k, listed ? stirred(zipf) : zipf, epsilon));
        }
      }
    }
  }
}

/// One clear winner beside k - 1 borderline ones: a single loser is eight scales below them.
void add_borderline(std::vector<Case>& cases) {
  for (const std::uint64_t k : {10U, 24U, 100U}) {
    const auto scales = std::llround(8 * static_cast<double>(k) / 0.35);
    const Shape shape{"one clear, the others borderline",
                      {913'714, 0, -scales},
                      {1, static_cast<std::int64_t>(k) - 1, 1}};
    for (const Distribution distribution : all_distributions) {
      cases.push_back(halved_case(Selection::top_k, distribution, k, shape, Rational(7, 10)));
    }
  }
}

/// Noise that is only a few ticks wide.
void add_coarse(std::vector<Case>& cases) {
  constexpr std::uint64_t k = 10;
  for (const Selection selection : all_selections) {
    Shape shape = steps(k, 0.02);
    shape.name = "steps of 2, noise of scale 2 on ticks of 1";
    const bool listed = selection == Selection::sparse_vector;
    cases.push_back(halved_case(selection, Distribution::geometric, k,
                                listed ? stirred(shape) : shape, Rational(10)));
  }
}

/// The settings for which figures are wanted: exponential noise, half and half.
void add_wanted(std::vector<Case>& cases) {
  const Rational epsilon(7, 10);
  const auto add = [&](std::uint64_t k, const Shape& shape, double most) {
    cases.push_back(
        halved_case(Selection::top_k, Distribution::exponential, k, shape, epsilon, most));
  };
  for (const auto& [k, most] :
       {std::pair(4U, 0.50), std::pair(10U, 0.365), std::pair(24U, 0.345)}) {
    add(k, testing::separated(k), most);
    add(k, {"2,000 equal", {0}, {2000}}, 1.01);
    add(k, {"one large before 5,000 equal", {50'000, 0}, {1, 5000}}, 1.01);
    Shape half = half_in_crowd(k, 5000);
    half.name = "half large before 5,000 equal";
    add(k, half, 1.01);
  }
}

/// The paper's data.
void add_t40(std::vector<Case>& cases, std::span<const std::int64_t> counts) {
  if (counts.empty()) {
    return;
  }
  std::vector<std::int64_t> values;
  for (const std::int64_t count : counts) {
    values.push_back(count - testing::simulated_threshold);
  }
  const Shape shape = testing::listed("T40I10D100K", values);
  struct Wanted {
    std::uint64_t k;
    double usual;   ///< ε = 0.7
    double scarce;  ///< ε = 0.1
    double sparse;  ///< sparse vector, ε = 0.7; at k = 4 no equivariant estimate is below 0.484
  };
  for (const Wanted& wanted :
       {Wanted{4, 0.49, 0.58, 0.50}, Wanted{10, 0.385, 0.43, 0.41}, Wanted{24, 0.35, 0.47, 0.41}}) {
    for (const Distribution distribution : all_distributions) {
      const bool judged = distribution == Distribution::exponential;
      for (const auto& [epsilon, most] :
           {std::pair(Rational(7, 10), wanted.usual), std::pair(Rational(1, 10), wanted.scarce)}) {
        cases.push_back(halved_case(Selection::top_k, distribution, wanted.k, shape, epsilon,
                                    judged ? most : 1.01));
      }
      for (const auto& [epsilon, most] :
           {std::pair(Rational(7, 10), wanted.sparse), std::pair(Rational(1, 10), 1.01)}) {
        cases.push_back(halved_case(Selection::sparse_vector, distribution, wanted.k,
                                    {"T40I10D100K", {}, {}}, epsilon, judged ? most : 1.01));
        cases.back().drawn_threshold = true;
      }
      if (judged) {  // a wide threshold: the best share for the estimates at k = 4
        cases.push_back(halved_case(Selection::sparse_vector, distribution, wanted.k,
                                    {"T40I10D100K, θ = 0.1", {}, {}}, Rational(7, 10)));
        cases.back().drawn_threshold = true;
        cases.back().setting.theta = Rational(1, 10);
      }
    }
  }
}

std::vector<Task> section_def(Study& study) {
  std::vector<Case> cases;
  add_known_shapes(cases);
  add_late(cases);
  add_unclear_leads(cases);
  add_zipf(cases);
  add_borderline(cases);
  add_coarse(cases);
  add_wanted(cases);
  add_t40(cases, study.t40);
  std::vector<Task> tasks;
  for (const Case& one : cases) {
    // Where luck is in doubt, there are two posteriors.
    tasks.push_back({"(def) " + one.what(),
                     2 * cost_of(one.setting, runs_of(one.setting.k, study.runs)),
                     [=, &study] { return after_selection(one, study, study.figures); }});
  }
  return tasks;
}

// (e) The exponential mechanism -------------------------------------------------------------------

std::vector<Row> exponential_mechanism(const Shape& shape, std::uint64_t runs) {
  const Candidates candidates = Candidates::grouped(std::span(shape.values), shape.multiplicities,
                                                    {Kind::counts, Neighbours::add_remove, 1});
  const ExponentialOptions options{.epsilon = Epsilon(Rational(1, testing::scale_of_shapes))};
  InsecureSeededNoise noise(shape.values.size() * 1000 + shape.name.size());
  Share wrong;
  Share made;
  Share low;
  Share median;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const ExponentialRelease release = exponential(candidates, options, noise);
    const auto chosen = static_cast<std::size_t>(release.chosen.id);
    double best = -HUGE_VAL;
    double weight = 0;  // of all others, relative to the choice
    const double rate = release.rate.shown();
    for (std::size_t g = 0; g < shape.values.size(); ++g) {
      const std::int64_t others = shape.multiplicities[g] - (g == chosen ? 1 : 0);
      const auto ahead = static_cast<double>(shape.values[chosen] - shape.values[g]);
      best = others > 0 ? std::max(best, -ahead) : best;
      weight += static_cast<double>(others) * std::exp(-rate * ahead);
    }
    const std::optional<Claim> claim = claim_best(release, confidence);
    wrong.add(claim->at_least && *claim->at_least > -best);
    made.add(claim->at_least.has_value());
    if (-best <= 0) {
      low.add(claim->p_value <= 1 - confidence);
    }
    // Median-unbiased: above and below with equal probability, if there is an estimate.
    const std::optional<double> lead = estimate_lead(release);
    median.add(lead && *lead > -std::log(weight) / rate);
  }
  const std::string section = "(e) claims after selection";
  const std::string what = "exponential mechanism: " + shape.name;
  std::vector<Row> rows{
      note(section, what, "claims made", made.value(), made.error_if(0.5)),
      at_least(section, what, "no false claim", 1 - wrong.value(), wrong.error_if(0.05), 0.949)};
  if (low.trials > 0) {
    rows.push_back(
        at_most(section, what, "p <= 0.05, no true winner", low.value(), low.error_if(0.05), 0.05));
  }
  Row even =
      equal(section, what, "estimate above the lead", median.value(), median.error_if(0.5), 0.5);
  even.passed = std::fabs(median.value() - 0.5) <= 4 * even.error + 0.001;  // gaps are on a tick
  rows.push_back(even);
  return rows;
}

std::vector<Task> section_exponential(Study& study) {
  std::vector<Task> tasks;
  for (const Shape& shape : {Shape{"separated", {1500, 0}, {1, 20}}, Shape{"all equal", {0}, {20}},
                             Shape{"one ahead of a crowd", {1200, 0}, {1, 20'000}},
                             Shape{"mixed", {500, 400, 350, 0}, {1, 2, 3, 30}}}) {
    tasks.push_back({"(e) exponential mechanism: " + shape.name, static_cast<double>(study.runs),
                     [=, &study] { return exponential_mechanism(shape, study.runs); }});
  }
  return tasks;
}

// Figures -----------------------------------------------------------------------------------------

/// Standard errors against the share that measures, in units of k / ε.
std::vector<std::string> splits() {
  std::vector<std::string> lines;
  const Queries queries{Kind::counts, Neighbours::add_remove, 1};
  for (const std::uint64_t k : {2U, 10U, 25U}) {
    for (int percent = 4; percent < 100; percent += 4) {
      const Rational share(percent, 100);
      const Forecast top = forecast(TopKQuestion{queries, k, 1, Distribution::exponential, share});
      const Forecast sparse =
          forecast(SparseVectorQuestion{queries, k, 1, Distribution::exponential, share});
      std::string line = std::to_string(k) + "," + text(percent / 100.0);
      for (const double error : {top.direct_error, top.linear_error, top.combined_error,
                                 sparse.per_query_error, sparse.combined_error}) {
        line += "," + text(error / static_cast<double>(k), 6);
      }
      lines.push_back(line);
    }
  }
  return lines;
}

void write_figures(const std::string& directory, const std::vector<Row>& rows,
                   const Figures& figures) {
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    lines.push_back("\"" + row.section + "\",\"" + row.setting + "\",\"" + row.quantity + "\"," +
                    text(row.measured, 8) + "," + text(row.error) + ",\"" + row.wanted + "\"," +
                    verdict(row));
  }
  write_csv(directory + "/table.csv", "section,setting,quantity,measured,error,wanted,verdict",
            lines);
  write_csv(directory + "/reduction.csv", "mechanism,distribution,k,theory,linear,likelihood",
            figures.reduction);
  write_csv(
      directory + "/selection.csv",
      "mechanism,distribution,shape,linear,likelihood,linear_worst_rank,likelihood_worst_rank",
      figures.selection);
  write_csv(directory + "/split.csv",
            "k,measuring_share,measured,top_k_linear,top_k,sparse_vector_linear,sparse_vector",
            splits());
}

/// The fields of a line without quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  for (const char c : line) {
    if (c == ',') {
      found.emplace_back();
    } else if (c != '\r') {
      found.back() += c;
    }
  }
  return found;
}

/// The column `count` of a table, falling; empty if there is none.
std::vector<std::int64_t> read_counts(const std::string& path) {
  std::vector<std::int64_t> counts;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = fields(line);
  const auto column =
      static_cast<std::size_t>(std::find(header.begin(), header.end(), "count") - header.begin());
  while (std::getline(file, line)) {
    const std::vector<std::string> row = fields(line);
    if (column < row.size()) {
      counts.push_back(std::strtoll(row[column].c_str(), nullptr, 10));
    }
  }
  std::sort(counts.rbegin(), counts.rend());
  return counts;
}

struct Options {
  std::uint64_t runs = 1'000'000;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::string only;         ///< a regular expression that settings match; empty: all
  std::size_t skipped = 0;  ///< of these settings, so many of the cheapest
  std::string data;         ///< folder
  std::string directory;    ///< for CSV
};

std::vector<Task> tasks_of(Study& study, const std::string& only) {
  const std::regex wanted(only);
  std::vector<Task> tasks;
  for (const auto& section : {section_a(study), section_b(study), section_c(study),
                              section_def(study), section_exponential(study)}) {
    std::copy_if(section.begin(), section.end(), std::back_inserter(tasks),
                 [&](const Task& task) { return std::regex_search(task.name, wanted); });
  }
  return tasks;
}

int study_main(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Study study;
  study.runs = options.runs;
  if (!options.data.empty()) {
    study.t40 = read_counts(options.data + "/T40I10D100K-counts.csv");
    if (study.t40.size() < 200) {
      std::fprintf(stderr, "estimates_study: %s holds no T40I10D100K-counts.csv\n",
                   options.data.c_str());
      return 2;
    }
  }
  std::vector<Row> rows = run(tasks_of(study, options.only), options.skipped, options.threads);
  const std::size_t failed = print_failed(rows);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.section, a.setting) < std::tie(b.section, b.setting);
  });
  if (!options.directory.empty()) {
    write_figures(options.directory, rows, study.figures);
  }
  if (study.t40.empty()) {
    std::printf("\nSkipped: settings on T40I10D100K. --data FOLDER runs them.\n");
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::size_t judged = 0;
  for (const Row& row : rows) {
    judged += row.passed ? 1U : 0U;
  }
  std::printf("\n%zu verdicts, %zu failed; %llu runs; %.0f seconds\n", judged, failed,
              static_cast<unsigned long long>(options.runs), elapsed.count());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace freegap::studies

int main(int argc, char** argv) {
  freegap::studies::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const std::string value = i + 1 < argc ? argv[++i] : "";
    const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (option == "--runs" && number >= 1000) {
      options.runs = number;
    } else if (option == "--threads" && number > 0) {
      options.threads = static_cast<unsigned>(number);
    } else if (option == "--skip" && number > 0) {
      options.skipped = number;
    } else if (option == "--only" && !value.empty()) {
      options.only = value;
    } else if (option == "--data" && !value.empty()) {
      options.data = value;
    } else if (option == "--csv" && !value.empty()) {
      options.directory = value;
    } else {
      std::fprintf(stderr,
                   "usage: estimates_study [--runs N >= 1000] [--only REGEX] [--skip N] "
                   "[--data FOLDER] [--csv DIR] [--threads N]\n");
      return 2;
    }
  }
  try {
    return freegap::studies::study_main(options);
  } catch (const std::regex_error&) {
    std::fprintf(stderr, "estimates_study: --only takes a regular expression\n");
    return 2;
  }
}
