// A sparse vector that passes over queries has exactly the distribution of one that draws noise for
// every query and branch. On small inputs both distributions are enumerated as formal power series
// in x = exp(-rate) and compared coefficient by coefficient; on larger ones, samples are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "freegap/sparse_vector.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/power_series.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "support/distribution_check.hpp"
#include "support/wrapped_noise.hpp"

namespace freegap::verify {
namespace {

using Enumerated = EnumeratingNoise<PowerSeries>;
static_assert(SkippingSource<Enumerated>);
static_assert(!SkippingSource<DrawsOnly<Enumerated>>);

/// One small problem. The threshold, at 0, has one unit per tick, a branch at full price `rate`.
struct Case {
  Vector answers;
  Distribution distribution = Distribution::geometric;
  std::uint64_t k = 1;
  std::size_t branches = 1;
  std::int64_t rate = 1;
  StopRule stop_rule = StopRule::afford;
  std::uint64_t cut = 8;  // all coefficients up to this order are compared
  std::optional<std::uint64_t> stop_after = std::nullopt;
};

std::string text(const Case& c) {
  return verify::text(c.answers) + (two_sided(c.distribution) ? " two-sided" : " one-sided") +
         ", k " + std::to_string(c.k) + ", branches " + std::to_string(c.branches) +
         (c.stop_rule == StopRule::paper ? ", paper" : "");
}

SparseVectorPlan plan_of(const Case& c) {
  const Rational epsilon(1 + 2 * c.rate * static_cast<std::int64_t>(c.k));
  return plan_sparse_vector({Kind::general, Neighbours::add_remove, 1},
                            {.k = c.k,
                             .epsilon = Epsilon(epsilon),
                             .threshold = 0,
                             .noise = c.distribution,
                             .branches = c.branches,
                             .theta = Rational(1) / epsilon,
                             .sigma = "1/2"_rational,
                             .stop_rule = c.stop_rule,
                             .stop_after = c.stop_after,
                             .tick = 1},
                            true);
}

/// Few of each kind: enumerations grow fast.
std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Vector& answers : {Vector{-2, 1, -4}, Vector{-1, -1, -1}, Vector{0, -6, -3, -3},
                                Vector{-5, -2, -6, -1}, Vector{-4, -5, 0, -2}}) {
    for (const std::uint64_t k : {1U, 2U}) {
      result.push_back({answers, Distribution::geometric, k, 1, 1, StopRule::afford, 9});
    }
    result.push_back({answers, Distribution::laplace, 1, 1, 1, StopRule::afford, 7});
  }
  for (const Vector& answers : {Vector{-1, -3}, Vector{2, -2, -5}, Vector{-3, -4, -3}}) {
    for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
      result.push_back({answers, Distribution::geometric, 1, 2, 2, rule, 9});
    }
    result.push_back({answers, Distribution::laplace, 1, 2, 2, StopRule::afford, 6});
  }
  result.push_back({{-1, -1, 0}, Distribution::geometric, 2, 1, 1, StopRule::afford, 8, 1});
  return result;
}

/// All that is seen: how many were asked (or -1), the cost, and the answers above.
using Outcome = Vector;
using OutcomeDistribution = std::map<Outcome, PowerSeries>;

Outcome outcome(const SparseVectorRelease& release) {
  Outcome seen{release.asked ? static_cast<std::int64_t>(*release.asked) : -1,
               in_units(release.cost.spent, 1)};
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      seen.insert(seen.end(), {answer.item.id, static_cast<std::int64_t>(answer.branch),
                               answer.gap_ticks.value()});
    }
  }
  return seen;
}

template <class Run>
OutcomeDistribution enumerate(const Case& c, const Run& run) {
  // 24 is a common denominator of all orders of four.
  return distribution_of(Enumerated(1, PowerSeries(c.cut, 24), c.cut),
                         [&](Enumerated& noise) { return outcome(run(noise)); });
}

Candidates candidates_of(const Case& c) {
  return Candidates::general(std::span<const std::int64_t>(c.answers), 1, Neighbours::add_remove);
}

/// Asks one query after another, drawing for each.
OutcomeDistribution plain_distribution(const Case& c, Asking asking) {
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates = candidates_of(c);
  return enumerate(c, [&](Enumerated& noise) {
    DrawsOnly<Enumerated> draws(noise);
    SparseVectorRelease release = ask_one_by_one(candidates, plan, asking, draws,
                                                 [](const SparseVectorAnswer& /*answer*/) {});
    if (asking == Asking::shuffled) {
      release.asked.reset();
    }
    return release;
  });
}

using Sound = testing::Sound<Enumerated>;
using NothingBeyondTheCutoff = testing::NothingBeyondTheCutoff<Enumerated>;
using CutoffOneTooHigh = testing::CutoffOneTooHigh<Enumerated>;
using LowerSideForgotten = testing::LowerSideForgotten<Enumerated>;
/// A random order that is none.
struct FirstComesFirst : Sound {
  static std::uint64_t below(std::uint64_t /*n*/) { return 0; }
};

/// One query after another, by trials.
template <class Wrap>
OutcomeDistribution online_distribution(const Case& c, const detail::SkipSizes& sizes) {
  const SparseVectorPlan plan = plan_of(c);
  return enumerate(c, [&](Enumerated& noise) {
    Wrap wrapped{noise};
    SparseVector<Wrap> vector(plan, wrapped, sizes);
    for (std::size_t i = 0; i < c.answers.size() && vector.open(); ++i) {
      if (i % 2 == 0) {
        vector.ask(c.answers[i]);
      } else {
        vector.ask_ticks(c.answers[i], Item{static_cast<std::int64_t>(i), 0});
      }
    }
    return vector.release();
  });
}

/// The list at once.
template <class Wrap>
OutcomeDistribution scan_distribution(const Case& c, Asking asking, const detail::AboveSizes& sizes,
                                      detail::ScanCounters& counters,
                                      detail::Listing listing = detail::Listing::above_only) {
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates = candidates_of(c);
  return enumerate(c, [&](Enumerated& noise) {
    Wrap wrapped{noise};
    return detail::scan_list(candidates, plan, asking, listing, sizes, wrapped, counters);
  });
}

TEST(SparseVectorDistribution, PassingOverQueriesOneByOneChangesNoDistribution) {
  for (const Case& c : cases()) {
    const OutcomeDistribution plain = plain_distribution(c, Asking::as_given);
    for (const detail::SkipSizes& sizes :
         {detail::SkipSizes{1, 1}, detail::SkipSizes{2, 2}, detail::SkipSizes{3, 4}}) {
      // Not EXPECT_EQ, which would print whole distributions.
      EXPECT_TRUE(plain == online_distribution<Sound>(c, sizes))
          << text(c) << ", last " << sizes.last;
    }
  }
}

const std::vector<detail::AboveSizes> ways = {
    {{1, 2}, 4, 4, {2, 5}}, {{2, 1}, 1, 8, {3, 3}}, {{2, 2}, 2, 2, {1, 2}}, {{4, 1}, 3, 3, {2, 1}}};

/// Every way to scan the list has the plain distribution.
void expect_same_distribution(const Case& c, Asking asking, detail::ScanCounters& sum) {
  const OutcomeDistribution plain = plain_distribution(c, asking);
  for (const detail::AboveSizes& sizes : ways) {
    EXPECT_TRUE(plain == scan_distribution<Sound>(c, asking, sizes, sum))
        << text(c) << ", blocks of " << sizes.blocks.block << ", last " << sizes.skips.last;
  }
}

TEST(SparseVectorDistribution, ScanningAListChangesNoDistribution) {
  detail::ScanCounters sum;
  for (const Case& c : cases()) {
    expect_same_distribution(c, Asking::as_given, sum);
  }
  EXPECT_GT(sum.tiles, 0U);
  EXPECT_GT(sum.blocks, 0U);
  EXPECT_GT(sum.opened, 0U);
  EXPECT_GT(sum.drawn, 0U);
  EXPECT_GT(sum.reached, 0U);
  EXPECT_GT(sum.thinned, 0U);
}

TEST(SparseVectorDistribution, FindingAllAboveBeforeTheyAreOrderedChangesNoDistribution) {
  detail::ScanCounters sum;
  for (Case c : cases()) {
    c.cut -= c.answers.size() > 3 || c.branches > 1 ? 2U : 1U;
    expect_same_distribution(c, Asking::shuffled, sum);
  }
  EXPECT_GT(sum.tiles, 0U);
  EXPECT_GT(sum.blocks, 0U);
  EXPECT_GT(sum.opened, 0U);
}

/// All answers in the order asked: who, by which branch, by how much. Then the cost.
Outcome transcript(const SparseVectorRelease& release) {
  Outcome seen{static_cast<std::int64_t>(release.asked.value())};
  for (const SparseVectorAnswer& answer : release.answers) {
    seen.insert(seen.end(), {answer.item.id, static_cast<std::int64_t>(answer.branch),
                             answer.gap_ticks.value_or(-99)});
  }
  seen.push_back(in_units(release.cost.spent, 1));
  return seen;
}

template <class Run>
OutcomeDistribution transcripts(const Case& c, const Run& run) {
  return distribution_of(Enumerated(1, PowerSeries(c.cut, 24), c.cut),
                         [&](Enumerated& noise) { return transcript(run(noise)); });
}

// With all answers listed, too, a scan has the distribution of asking one query after another.
TEST(SparseVectorDistribution, ListingAllAnswersChangesNoDistribution) {
  for (Case c : cases()) {
    const SparseVectorPlan plan = plan_of(c);
    const Candidates candidates = candidates_of(c);
    c.cut -= c.answers.size() > 3 || c.branches > 1 ? 3U : 2U;
    for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
      const OutcomeDistribution plain = transcripts(c, [&](Enumerated& noise) {
        DrawsOnly<Enumerated> draws(noise);
        std::vector<SparseVectorAnswer> answers;
        SparseVectorRelease release =
            ask_one_by_one(candidates, plan, asking, draws,
                           [&](const SparseVectorAnswer& answer) { answers.push_back(answer); });
        release.answers = answers;
        return release;
      });
      detail::ScanCounters counters;
      EXPECT_TRUE(plain == transcripts(c,
                                       [&](Enumerated& noise) {
                                         return detail::scan_list(candidates, plan, asking,
                                                                  detail::Listing::all_answers,
                                                                  ways[1], noise, counters);
                                       }))
          << text(c);
    }
  }
}

/// Whether some case of the given sides tells a wrapped sparse vector from the plain distribution,
/// online and scanned.
template <class Wrap>
std::pair<bool, bool> caught(bool sides) {
  std::pair<bool, bool> result;
  detail::ScanCounters counters;
  for (const Case& c : cases()) {
    if (two_sided(c.distribution) == sides && !(result.first && result.second)) {
      const OutcomeDistribution plain = plain_distribution(c, Asking::as_given);
      result.first = result.first || plain != online_distribution<Wrap>(c, {2, 2});
      result.second =
          result.second || plain != scan_distribution<Wrap>(c, Asking::as_given, ways[0], counters);
    }
  }
  return result;
}

TEST(SparseVectorDistribution, MistakesAreCaught) {
  const std::pair both(true, true);
  EXPECT_EQ(caught<NothingBeyondTheCutoff>(false), both);
  EXPECT_EQ(caught<NothingBeyondTheCutoff>(true), both);
  EXPECT_EQ(caught<CutoffOneTooHigh>(false), both);
  EXPECT_EQ(caught<CutoffOneTooHigh>(true), both);
  EXPECT_EQ(caught<LowerSideForgotten>(true), both);
  detail::ScanCounters counters;
  const Case alike{{-1, -1, -1}};
  EXPECT_NE(plain_distribution(alike, Asking::shuffled),
            scan_distribution<FirstComesFirst>(alike, Asking::shuffled, ways[0], counters));
}

}  // namespace
}  // namespace freegap::verify

namespace freegap::testing {
namespace {

constexpr std::size_t queries = 200;

struct Shape {
  const char* name;
  std::vector<std::int64_t> counts;
};

/// Thresholds are at 1000, scales of noise about 10 to 40.
std::vector<Shape> shapes() {
  Shape equal{"all equal", std::vector<std::int64_t>(queries, 940)};
  Shape rising{"rising", {}};
  Shape falling{"falling", {}};
  Shape spikes{"spikes", std::vector<std::int64_t>(queries, 0)};
  Shape zipf{"Zipf", {}};
  for (std::size_t i = 0; i < queries; ++i) {
    const auto place = static_cast<std::int64_t>(i);
    rising.counts.push_back(820 + place);
    falling.counts.push_back(990 - place);
    spikes.counts[i] = i % 41 == 7 ? 990 : i % 7 == 3 ? 880 : 0;
    zipf.counts.push_back(6000 / (5 + place));
  }
  return {equal, rising, falling, spikes, zipf};
}

/// How often each of some rough traits was seen: of how many passed, who was the first and the
/// last, by which branch and how much, when it ended.
using Traits = std::map<std::string, std::uint64_t>;

void note(const SparseVectorRelease& release, const std::string& prefix, Traits& traits) {
  const auto see = [&](const std::string& what, std::int64_t value) {
    ++traits[prefix + what + std::to_string(value)];
  };
  std::vector<SparseVectorAnswer> above;
  std::copy_if(release.answers.begin(), release.answers.end(), std::back_inserter(above),
               [](const SparseVectorAnswer& answer) { return answer.above; });
  see("above ", static_cast<std::int64_t>(above.size()));
  if (release.asked) {
    see("asked ", static_cast<std::int64_t>(*release.asked / 30));
  }
  for (const bool first : {true, false}) {
    if (!above.empty()) {
      const SparseVectorAnswer& answer = first ? above.front() : above.back();
      const std::string which = first ? "first " : "last ";
      see(which + "item ", answer.item.id / 30);
      see(which + "branch ", static_cast<std::int64_t>(answer.branch));
      see(which + "gap ", static_cast<std::int64_t>(release.shown(*answer.gap_ticks) / 8));
    }
  }
}

/// The way a list is asked.
enum class Way { plain, online, above };

Traits sample(const Shape& shape, const SparseVectorOptions& options, Way way, std::uint64_t runs,
              std::uint64_t seed) {
  const Candidates candidates =
      Candidates::counting(std::span<const std::int64_t>(shape.counts), Neighbours::add_remove);
  const SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), options, true);
  InsecureSeededNoise noise(seed);
  verify::DrawsOnly<InsecureSeededNoise> draws(noise);
  const auto ignore = [](const SparseVectorAnswer& /*answer*/) {};
  detail::ScanCounters counters;
  const detail::AboveSizes sizes{{8, 4}, 16, 128, detail::SkipSizes::for_count(queries)};
  Traits traits;
  for (std::uint64_t run = 0; run < runs; ++run) {
    SparseVectorRelease release =
        way == Way::plain ? ask_one_by_one(candidates, plan, options.asking, draws, ignore)
        : way == Way::online
            ? ask_one_by_one(candidates, plan, options.asking, noise, ignore)
            : detail::scan_list(candidates, plan, options.asking, detail::Listing::above_only,
                                sizes, noise, counters);
    if (options.asking == Asking::shuffled) {
      release.asked.reset();
    }
    note(release, "", traits);
  }
  return traits;
}

std::vector<Pair> pairs(const Traits& one, const Traits& other) {
  std::map<std::string, Pair> found;
  for (const auto& [trait, times] : one) {
    found[trait] = {trait, times, 0};
  }
  for (const auto& [trait, times] : other) {
    Pair& pair = found.try_emplace(trait, Pair{trait, 0, 0}).first->second;
    pair.other = times;
  }
  std::vector<Pair> result;
  for (const auto& [trait, pair] : found) {
    result.push_back(pair);
  }
  return result;
}

TEST(SparseVectorSamples, EveryWayHasThePlainDistributionOnLargerLists) {
  const std::uint64_t runs = scaled(10000, 1000);
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes()) {
    for (const auto& [distribution, branches] :
         {std::pair(Distribution::exponential, std::size_t{1}),
          std::pair(Distribution::laplace, std::size_t{2})}) {
      for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
        SparseVectorOptions options{.k = 2,
                                    .epsilon = "0.25"_eps,
                                    .threshold = 1000,
                                    .noise = distribution,
                                    .branches = branches,
                                    .asking = asking};
        const Traits plain = sample(shape, options, Way::plain, runs, seed++);
        const auto verdict_on = [&](Way way) {
          return check_same(pairs(plain, sample(shape, options, way, runs, seed++)), runs);
        };
        for (const Way way : {Way::online, Way::above}) {
          const Verdict verdict = verdict_on(way);
          EXPECT_TRUE(verdict.accepted())
              << shape.name << ", branches " << branches << ": " << verdict.name << ' '
              << verdict.worst << " of " << verdict.limit;
        }
        options.epsilon = "0.4"_eps;  // less noise is noticed
        EXPECT_TRUE(!full_workload() || !verdict_on(Way::above).accepted()) << shape.name;
      }
    }
  }
}

}  // namespace
}  // namespace freegap::testing
