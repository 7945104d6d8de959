// The full-size Monte-Carlo study of estimates, error bars and claims: the real mechanisms on data
// whose answers are known. Prints one table with verdicts; exit status 1 if any of them fails.
// Sections (a) and (c) make N runs of each setting (a tenth of that for 100 winners), (b) makes N /
// 2k, so that there are as many winners for each k, and (d), (e) and (f) make N / 2.
//
//   estimates_study [--runs N] [--csv DIR] [--threads N]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimates/outcomes.hpp"
#include "estimates/shapes.hpp"
#include "estimates/simulation.hpp"
#include "experiments/names.hpp"
#include "freegap/confidence.hpp"
#include "freegap/estimate.hpp"
#include "freegap/exponential.hpp"
#include "freegap/planning.hpp"
#include "studies/table.hpp"

namespace freegap::studies {
namespace {

using experiments::distribution_name;
using testing::Selection;
using testing::Setting;
using testing::Shape;

/// Lines of the figures' data, added by tasks in several threads.
struct Figures {
  std::mutex mutex;
  std::vector<std::string> reduction;  // mechanism,distribution,k,theory,measured
  std::vector<std::string>
      selection;  // mechanism,distribution,shape,all,certified,all_worst,certified_worst

  void add(std::vector<std::string> Figures::*table, std::string line) {
    const std::lock_guard lock(mutex);
    (this->*table).push_back(std::move(line));
  }
};

struct Study {
  std::uint64_t runs = 1'000'000;
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
std::uint64_t seed_of(const Setting& s) {
  const std::string text = name(s) + s.shape.name;
  std::uint64_t seed = 1469598103934665603U;
  for (const char c : text) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return seed;
}

// Closed forms, independent of the library
// ---------------------------------------------------------------------------

/// Variance of noise on a tick.
double variance(const NoiseDistribution& noise) {
  const double a = noise.tick.shown() / noise.scale.shown();
  const double one_sided = 1 / std::pow(2 * std::sinh(a / 2), 2) * std::pow(noise.tick.shown(), 2);
  return noise.distribution == Distribution::laplace ? 2 * one_sided : one_sided;
}

struct Theory {
  double direct = 0;
  double combined = 0;   // best of gaps and measurements
  double per_query = 0;  // the paper's combination for sparse vector
};

Theory theory(const TopKRelease& release, const MeasureRelease& direct) {
  const auto k = static_cast<double>(release.winners.size());
  const double alpha = variance(direct.noise);
  const double lambda = variance(release.noise) / alpha;
  const double combined = alpha * (1 + lambda * k) / (k * (1 + lambda));
  return {alpha, combined, combined};
}

Theory theory(const SparseVectorRelease& release, const MeasureRelease& direct) {
  const auto k = static_cast<double>(direct.items.size());
  const double alpha = variance(direct.noise);
  const double v = variance(release.branch_noise(release.branches.size()));
  const double v0 = variance(release.threshold_noise());
  const double keep = alpha / (alpha + v);
  return {alpha, alpha * v / (alpha + v) + keep * keep / (k / (alpha + v) + 1 / v0),
          alpha * (v + v0) / (alpha + v + v0)};
}

Theory theory(const HybridRelease& /*release*/, const MeasureRelease& /*direct*/) { return {}; }

// (a) Closed forms --------------------------------------------------------------------------------

/// All gaps are used, on well-separated data.
std::vector<Row> closed_forms(const Setting& setting, std::uint64_t runs) {
  Estimator joint({0.95, Trust::all, Combination::joint});
  Estimator alone({0.95, Trust::all, Combination::per_query});
  testing::EstimateOutcomes outcomes;
  testing::EstimateOutcomes per_query;
  testing::Ratio ratio;
  Theory expected;
  testing::simulate(setting, runs, seed_of(setting),
                    [&](const auto& release, auto& direct, std::span<const double> answers) {
                      const MeasureRelease& measured = direct();
                      if (expected.direct == 0) {
                        expected = theory(release, measured);
                      }
                      const auto estimates = joint(release, measured);
                      outcomes.add(estimates, answers);
                      ratio.add(testing::squared_error(estimates, answers),
                                testing::squared_error(measured, answers));
                      if (setting.selection == Selection::sparse_vector) {
                        per_query.add(alone(release, measured), answers);
                      }
                    });
  const std::string section = "(a) variance, reduction and coverage against closed forms";
  std::vector<Row> rows;
  const auto add = [&](const testing::EstimateOutcomes& from, const std::string& how, double v) {
    rows.push_back(equal(section, name(setting) + how, "variance", from.run_squared.value(),
                         from.run_squared.error(), v));
    // Intervals allow for ticks: on coarse ones they are slightly too wide.
    Row covered = at_least(section, name(setting) + how, "coverage", from.run_covered.value(),
                           from.run_covered.error(), 0.95);
    covered.passed =
        *covered.passed && from.run_covered.value() - 4 * from.run_covered.error() <= 0.951;
    covered.wanted = "= 0.95";
    rows.push_back(covered);
  };
  add(outcomes, "", expected.combined);
  rows.push_back(equal(section, name(setting), "reduction", 1 - ratio.value(), ratio.error(),
                       1 - expected.combined / expected.direct));
  if (setting.selection == Selection::sparse_vector) {
    add(per_query, ", per query", expected.per_query);
  }
  return rows;
}

std::vector<Task> section_a(Study& study) {
  std::vector<Task> tasks;
  for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
    for (const Distribution distribution :
         {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
      for (const Kind kind : {Kind::counts, Kind::general}) {
        for (const std::uint64_t k : {2U, 10U}) {
          Setting setting = testing::setting_for(selection, distribution, k, testing::separated(k));
          setting.kind = kind;
          tasks.push_back([=, &study] { return closed_forms(setting, study.runs); });
        }
      }
    }
  }
  return tasks;
}

// (b) Reduction against k -------------------------------------------------------------------------

std::vector<Row> reduction(const Setting& setting, std::uint64_t runs, Figures& figures) {
  Estimator estimator;
  Estimator paper({0.95, Trust::all, Combination::per_query});
  testing::Ratio ratio;
  testing::Ratio per_query;
  Theory expected;
  testing::simulate(
      setting, runs, seed_of(setting) + 1,
      [&](const auto& release, auto& direct, std::span<const double> answers) {
        const MeasureRelease& measured = direct();
        if (expected.direct == 0) {
          expected = theory(release, measured);
        }
        const double alone = testing::squared_error(measured, answers);
        ratio.add(testing::squared_error(estimator(release, measured), answers), alone);
        if (setting.selection == Selection::sparse_vector) {
          per_query.add(testing::squared_error(paper(release, measured), answers), alone);
        }
      });
  const std::string section = "(b) reduction of the mean squared error, monotone queries";
  std::vector<Row> rows;
  const auto add = [&](const testing::Ratio& from, const std::string& how, double variance) {
    const double wanted = 1 - variance / expected.direct;
    const double measured = 1 - from.value();
    rows.push_back({section, name(setting) + how, "reduction", measured, from.error(),
                    "= " + text(wanted),
                    std::fabs(measured - wanted) <= std::max(0.01, 4 * from.error())});
    figures.add(&Figures::reduction, name(setting.selection) + how + "," +
                                         distribution_name(setting.distribution) + "," +
                                         std::to_string(setting.k) + "," + text(wanted, 6) + "," +
                                         text(measured, 6));
  };
  add(ratio, "", expected.combined);
  if (setting.selection == Selection::sparse_vector) {
    add(per_query, " per query", expected.per_query);
  }
  return rows;
}

std::vector<Task> section_b(Study& study) {
  std::vector<Task> tasks;
  for (const Selection selection : {Selection::sparse_vector, Selection::top_k}) {
    for (const Distribution distribution : {Distribution::laplace, Distribution::exponential}) {
      for (std::uint64_t k = 2; k <= 24; ++k) {
        Setting setting = testing::setting_for(selection, distribution, k, testing::separated(k));
        setting.selecting = setting.measuring;  // half and half
        tasks.push_back(
            [=, &study] { return reduction(setting, study.runs / (2 * k), study.figures); });
      }
    }
  }
  return tasks;
}

// (c) Coverage on well-separated data -------------------------------------------------------------

std::vector<Row> coverage(const Setting& setting, std::uint64_t runs) {
  Estimator estimator;
  testing::EstimateOutcomes outcomes;
  testing::simulate(setting, runs, seed_of(setting) + 2,
                    [&](const auto& release, auto& direct, std::span<const double> answers) {
                      outcomes.add(estimator(release, direct()), answers);
                    });
  const std::string section = "(c) 95 % intervals on well-separated data, default options";
  const double covered = outcomes.run_covered.value();
  const double error = outcomes.run_covered.error();
  const bool within = covered - 4 * error <= 0.953 && covered + 4 * error >= 0.947;
  return {{section, name(setting), "marginal coverage", covered, error, "0.947-0.953", within},
          at_least(section, name(setting), "simultaneous coverage", outcomes.simultaneous.value(),
                   outcomes.simultaneous.error_if(0.95), 0.95)};
}

std::vector<Task> section_c(Study& study) {
  std::vector<Task> tasks;
  for (const std::uint64_t k : {100U, 10U, 2U, 1U}) {
    for (const Selection selection : {Selection::top_k, Selection::sparse_vector}) {
      for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
        const Setting setting =
            testing::setting_for(selection, distribution, k, testing::separated(k));
        tasks.push_back(
            [=, &study] { return coverage(setting, k < 100 ? study.runs : study.runs / 10); });
      }
    }
  }
  return tasks;
}

// (d), (e), (f) After selection, on all shapes ----------------------------------------------------

/// Ranks with fewer winners are not judged: four standard errors would be too wide.
constexpr std::uint64_t enough_to_tell = 1000;

/// The worst rank among those with enough winners; an empty share if there is none.
std::pair<std::size_t, testing::Share> worst_rank(const std::vector<testing::Share>& shares,
                                                  bool want_high) {
  std::pair<std::size_t, testing::Share> worst{0, {}};
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double p = want_high ? 0.94 : 0.05;
    const double off =
        (want_high ? p - shares[i].value() : shares[i].value() - p) / shares[i].error_if(p);
    if (shares[i].trials >= enough_to_tell && off > most) {
      most = off;
      worst = {i, shares[i]};
    }
  }
  return worst;
}

/// The largest ratio of mean squared errors over ranks.
double worst_ratio(const std::vector<testing::Mean>& squared,
                   const std::vector<testing::Mean>& direct) {
  double worst = 0;
  for (std::size_t i = 0; i < squared.size(); ++i) {
    const double ratio = squared[i].value() / direct[i].value();
    worst = squared[i].runs() >= 1000 ? std::max(worst, ratio) : worst;
  }
  return worst;
}

struct AfterSelection {
  testing::EstimateOutcomes certified;
  testing::EstimateOutcomes gaps_alone;
  std::uint64_t could_have_shown = 0;  ///< winners, whether or not they have an estimate from gaps
  testing::EstimateOutcomes all;
  testing::EstimateOutcomes direct;
  testing::ClaimOutcomes claims;
  testing::Ratio certified_ratio;
  testing::Ratio all_ratio;
};

AfterSelection try_out(const Setting& setting, std::uint64_t runs) {
  constexpr double confidence = 0.95;
  Estimator certified;
  Estimator all({confidence, Trust::all, Combination::joint});
  AfterSelection seen;
  const auto look = [&](const auto& release, auto& direct, std::span<const double> answers) {
    if (answers.empty()) {
      return;
    }
    const MeasureRelease& measured = direct();
    const double alone = testing::squared_error(measured, answers);
    const auto shown = certified(release, measured);
    const auto trusting = all(release, measured);
    seen.certified.add(shown, answers);
    seen.all.add(trusting, answers);
    seen.direct.add(certified(measured), answers);
    seen.certified_ratio.add(testing::squared_error(shown, answers), alone);
    seen.all_ratio.add(testing::squared_error(trusting, answers), alone);
    if constexpr (requires { certified(release); }) {
      seen.gaps_alone.add(certified(release), answers);
      seen.could_have_shown += answers.size();
    }
    const testing::Claimed claimed = testing::claimed(release, setting, answers, confidence);
    seen.claims.add(claimed.claims, claimed.truth, claimed.bar, 1 - confidence);
  };
  testing::simulate(setting, runs, seed_of(setting) + 3, look);
  return seen;
}

/// Checks the coverage of the intervals shown, over all winners and at every rank.
void judge_coverage(const std::string& what, const testing::EstimateOutcomes& outcomes,
                    std::vector<Row>& rows) {
  const testing::Share all = outcomes.covered_at_all();
  const std::string section = "(d) coverage of what is shown, after selection";
  rows.push_back(at_least(section, what, "coverage", all.value(), all.error_if(0.94), 0.94));
  const auto [rank, share] = worst_rank(outcomes.covered, true);
  if (share.trials > 0) {
    rows.push_back(at_least(section, what, "coverage, rank " + std::to_string(rank + 1),
                            share.value(), share.error_if(0.94), 0.94));
  }
}

/// An interval from a gap alone is shown only if the gap is certified. As with claims, the
/// guarantee for all data is that few of the selected winners get a wrong interval. Given that an
/// interval is shown, it may be wrong more often: a small gap that is certified is mostly luck.
void judge_gaps_alone(const std::string& what, const AfterSelection& seen, std::vector<Row>& rows) {
  const testing::Share shown = seen.gaps_alone.covered_at_all();
  const std::uint64_t selected = seen.could_have_shown;
  if (selected == 0) {
    return;
  }
  const std::string section = "(d) coverage of what is shown, after selection";
  const testing::Share wrong{shown.trials - shown.happened, selected};
  rows.push_back(at_least(section, what, "gaps alone, none wrong", 1 - wrong.value(),
                          wrong.error_if(0.06), 0.94));
  if (shown.trials > 0) {
    rows.push_back(
        note(section, what, "gaps alone, if shown", shown.value(), shown.error_if(0.94)));
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
  const auto [rank, share] = worst_rank(outcomes.false_claims, false);
  const std::string place = "no false claim, rank " + std::to_string(rank + 1);
  if (share.trials > 0) {
    const double error = share.error_if(0.05);
    rows.push_back(setting.distribution == Distribution::laplace
                       ? note(section, what, place, 1 - share.value(), error)
                       : at_least(section, what, place, 1 - share.value(), error, 0.949));
  }
  const testing::Share low = outcomes.low_p_values();
  if (low.trials > 0) {
    rows.push_back(
        at_most(section, what, "p <= 0.05, no true winner", low.value(), low.error_if(0.05), 0.05));
  }
}

void judge_bias(const std::string& what, const Setting& setting, const AfterSelection& seen,
                Figures& figures, std::vector<Row>& rows) {
  const std::string section = "(f) mean squared error against measuring alone";
  const double all_worst = worst_ratio(seen.all.squared, seen.direct.squared);
  const double certified_worst = worst_ratio(seen.certified.squared, seen.direct.squared);
  rows.push_back(
      note(section, what, "every gap (the paper)", seen.all_ratio.value(), seen.all_ratio.error()));
  rows.push_back(note(section, what, "every gap, worst rank", all_worst, 0));
  // All winners stand by themselves. (With k winners the estimates-first hybrid shows no runner-up,
  // so its last gap is never certified; top-k always finds k, the last of them a loser if fewer
  // stand out.)
  const std::string unfit = setting.selection == Selection::estimates_first ? "separated"
                            : setting.selection == Selection::top_k ? "separated, fewer than k"
                                                                    : "";
  if (setting.shape.name.starts_with("separated") && setting.shape.name != unfit) {
    rows.push_back(equal(section, what, "certified", seen.certified_ratio.value(),
                         seen.certified_ratio.error(), seen.all_ratio.value()));
  } else {
    rows.push_back(at_most(section, what, "certified", seen.certified_ratio.value(),
                           seen.certified_ratio.error(), 1.03));
  }
  figures.add(&Figures::selection,
              name(setting.selection) + (setting.branches > 1 ? " (2 branches)" : "") + "," +
                  distribution_name(setting.distribution) + ",\"" + setting.shape.name + "\"," +
                  text(seen.all_ratio.value()) + "," + text(seen.certified_ratio.value()) + "," +
                  text(all_worst) + "," + text(certified_worst));
}

std::vector<Row> after_selection(const Setting& setting, std::uint64_t runs, Figures& figures) {
  const AfterSelection seen = try_out(setting, runs);
  const std::string what = name(setting) + ": " + setting.shape.name;
  std::vector<Row> rows;
  judge_coverage(what, seen.certified, rows);
  const auto [rank, share] = worst_rank(seen.all.covered, true);
  if (share.trials > 0) {
    rows.push_back(note("(d) coverage of what is shown, after selection", what,
                        "with every gap, rank " + std::to_string(rank + 1), share.value(),
                        share.error_if(0.94)));
  }
  judge_gaps_alone(what, seen, rows);
  judge_claims(what, setting, seen.claims, rows);
  judge_bias(what, setting, seen, figures, rows);
  return rows;
}

/// Zipf counts with a total budget of 0.05, half of which selects.
Setting zipf_setting(Selection selection, Distribution distribution) {
  Setting setting{selection, distribution, 10, testing::zipf(2000, 10'000)};
  setting.selecting = Rational(1, 40);
  setting.measuring = Rational(1, 40);
  return setting;
}

std::vector<Task> section_def(Study& study) {
  constexpr std::uint64_t k = 5;
  std::vector<Setting> settings;
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::geometric, Distribution::laplace}) {
    for (const Selection selection : {Selection::top_k, Selection::identity_first,
                                      Selection::estimates_first, Selection::sparse_vector}) {
      const bool listed = selection == Selection::sparse_vector;
      for (const Shape& shape : testing::shapes(k, listed ? 100 : 20'000)) {
        settings.push_back(testing::setting_for(selection, distribution, k, shape));
        if (listed && distribution != Distribution::geometric) {
          settings.push_back(settings.back());
          settings.back().branches = 2;
        }
      }
      if (!listed) {
        settings.push_back(zipf_setting(selection, distribution));
      }
    }
  }
  std::vector<Task> tasks;
  for (const Setting& setting : settings) {
    tasks.push_back(
        [=, &study] { return after_selection(setting, study.runs / 2, study.figures); });
  }
  return tasks;
}

// (e) The exponential mechanism -------------------------------------------------------------------

std::vector<Row> exponential_mechanism(const Shape& shape, std::uint64_t runs) {
  constexpr double confidence = 0.95;
  const Candidates candidates = Candidates::grouped(std::span(shape.values), shape.multiplicities,
                                                    {Kind::counts, Neighbours::add_remove, 1});
  const ExponentialOptions options{.epsilon = Epsilon(Rational(1, testing::scale_of_shapes))};
  InsecureSeededNoise noise(shape.values.size() * 1000 + shape.name.size());
  testing::Share wrong;
  testing::Share made;
  testing::Share low;
  testing::Share median;
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
    tasks.push_back([=, &study] { return exponential_mechanism(shape, study.runs / 2); });
  }
  return tasks;
}

// Figures -----------------------------------------------------------------------------------------

/// Combined error against the share that measures, relative to halving.
std::vector<std::string> splits() {
  std::vector<std::string> lines;
  const Queries queries{Kind::counts, Neighbours::add_remove, 1};
  for (const std::uint64_t k : {2U, 5U, 10U, 25U}) {
    for (int percent = 0; percent < 100; ++percent) {
      const Rational share(percent, 100);
      const double top =  // a top-k selection by itself gives no level
          percent == 0 ? HUGE_VAL
                       : forecast(TopKQuestion{queries, k, 1, Distribution::exponential, share})
                             .combined_error;
      const double sparse =
          forecast(SparseVectorQuestion{queries, k, 1, Distribution::exponential, share})
              .combined_error;
      const auto scale = static_cast<double>(k);  // of all in units of k / epsilon
      lines.push_back(std::to_string(k) + "," + text(percent / 100.0) + "," + text(top / scale, 6) +
                      "," + text(sparse / scale, 6));
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
  write_csv(directory + "/reduction.csv", "mechanism,distribution,k,theory,measured",
            figures.reduction);
  write_csv(directory + "/selection.csv",
            "mechanism,distribution,shape,all,certified,all_worst_rank,certified_worst_rank",
            figures.selection);
  write_csv(directory + "/split.csv", "k,measuring_share,top_k,sparse_vector", splits());
}

void append(std::vector<Task>& tasks, std::vector<Task> more) {
  tasks.insert(tasks.end(), more.begin(), more.end());
}

int study_main(std::uint64_t runs, const std::string& directory, unsigned threads) {
  const auto start = std::chrono::steady_clock::now();
  Study study{runs, {}};
  std::vector<Task> tasks = section_a(study);
  append(tasks, section_b(study));
  append(tasks, section_c(study));
  append(tasks, section_def(study));
  append(tasks, section_exponential(study));
  std::vector<Row> rows = run(tasks, threads);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.section < b.section; });
  const std::size_t failed = print(rows);
  if (!directory.empty()) {
    write_figures(directory, rows, study.figures);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::size_t judged = 0;
  for (const Row& row : rows) {
    judged += row.passed ? 1U : 0U;
  }
  std::printf("\n%zu verdicts, %zu failed; %llu runs; %.0f seconds\n", judged, failed,
              static_cast<unsigned long long>(runs), elapsed.count());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace freegap::studies

int main(int argc, char** argv) {
  std::uint64_t runs = 1'000'000;
  unsigned threads = 2;
  std::string directory;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (option == "--runs" && std::strtoull(value, nullptr, 10) >= 1000) {
      runs = std::strtoull(value, nullptr, 10);
    } else if (option == "--threads" && std::strtoul(value, nullptr, 10) > 0) {
      threads = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (option == "--csv" && *value != '\0') {
      directory = value;
    } else {
      std::fprintf(stderr, "usage: estimates_study [--runs N >= 1000] [--csv DIR] [--threads N]\n");
      return 2;
    }
  }
  return freegap::studies::study_main(runs, directory, threads);
}
