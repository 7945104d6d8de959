// A sparse vector that passes over queries has exactly the distribution of one that draws noise for
// every query and branch. On small inputs both distributions are enumerated as formal power series
// in x = exp(-rate) and compared coefficient by coefficient; on larger ones, samples are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
#include "verify/mechanisms/sparse_vector_skipping.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {
namespace {

static_assert(SkippingSource<SeriesNoise>);
static_assert(!SkippingSource<DrawsOnly<SeriesNoise>>);
using Plain = Sound<SeriesNoise>;
using Few = FewTrials<SeriesNoise>;

TEST(SparseVectorDistribution, PassingOverQueriesOneByOneChangesNoDistribution) {
  for (const SkippingCase& c : skipping_cases()) {
    const OutcomeDistribution drawn = drawn_distribution(c, Asking::as_given);
    for (const detail::SkipSizes& sizes :
         {detail::SkipSizes{1, 1}, detail::SkipSizes{2, 2}, detail::SkipSizes{3, 4}}) {
      // Not EXPECT_EQ, which would print whole distributions.
      EXPECT_TRUE(drawn == online_distribution<Plain>(c, sizes))
          << text(c) << ", last " << sizes.last;
    }
    EXPECT_TRUE(drawn == online_distribution<Few>(c, detail::SparseVectorState<Few>::usual_sizes))
        << text(c) << ", usual sizes";
  }
}

const std::vector<detail::AboveSizes> ways = {
    {{1, 2}, 4, 4, {2, 5}}, {{2, 1}, 1, 8, {3, 3}}, {{2, 2}, 2, 2, {1, 2}}, {{4, 1}, 3, 3, {2, 1}}};

/// Every way to scan the list has the distribution of draws.
void expect_same_distribution(const SkippingCase& c, Asking asking, detail::ScanCounters& sum) {
  const OutcomeDistribution drawn = drawn_distribution(c, asking);
  for (const detail::AboveSizes& sizes : ways) {
    EXPECT_TRUE(drawn == list_distribution<Plain>(c, asking, sizes, sum))
        << text(c) << ", blocks of " << sizes.blocks.block << ", last " << sizes.skips.last;
  }
}

TEST(SparseVectorDistribution, ScanningAListChangesNoDistribution) {
  detail::ScanCounters sum;
  for (const SkippingCase& c : skipping_cases()) {
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
  for (SkippingCase c : skipping_cases()) {
    c.cut -= c.answers.size() > 3 || c.branches > 1 ? 2U : 1U;
    expect_same_distribution(c, Asking::shuffled, sum);
  }
  EXPECT_GT(sum.tiles, 0U);
  EXPECT_GT(sum.blocks, 0U);
  EXPECT_GT(sum.opened, 0U);
}

/// The same plan with noise for every branch of every query.
SparseVectorPlan constant_plan(const SkippingCase& c) {
  SparseVectorPlan plan = plan_of(c);
  plan.constant_work = true;
  return plan;
}

/// Fewer orders are compared where more noise is enumerated.
SkippingCase shortened(SkippingCase c) {
  const std::size_t draws = c.answers.size() * c.branches;
  c.cut = std::min<std::uint64_t>(c.cut, two_sided(c.distribution) ? (draws > 4 ? 3 : 5)
                                         : draws > 4               ? 4
                                                                   : 6);
  return c;
}

TEST(SparseVectorDistribution, ConstantWorkChangesNoDistribution) {
  for (const SkippingCase& whole : skipping_cases()) {
    const SkippingCase c = shortened(whole);
    const SparseVectorPlan plan = constant_plan(c);
    const Candidates candidates = candidates_of(c);
    const auto online = [&](SeriesNoise& noise) {
      SparseVector<SeriesNoise> vector(plan, noise);
      for (std::size_t i = 0; i < c.answers.size() && vector.open(); ++i) {
        if (i % 2 == 0) {
          vector.ask(c.answers[i]);
        } else {
          vector.ask_ticks(c.answers[i], Item{static_cast<std::int64_t>(i), 0});
        }
      }
      return vector.release();
    };
    EXPECT_TRUE(drawn_distribution(c, Asking::as_given) == outcomes(c, answers_above, online))
        << text(c);
    for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
      const auto listed = [&](SeriesNoise& noise) {
        return ask_with_constant_work(candidates, plan, asking, detail::Listing::above_only, noise);
      };
      EXPECT_TRUE(drawn_distribution(c, asking) == outcomes(c, answers_above, listed)) << text(c);
    }
  }
}

// With all answers listed, too, a scan has the distribution of asking one query after another.
TEST(SparseVectorDistribution, ListingAllAnswersChangesNoDistribution) {
  for (SkippingCase c : skipping_cases()) {
    const SparseVectorPlan plan = plan_of(c);
    const Candidates candidates = candidates_of(c);
    c.cut -= c.answers.size() > 3 || c.branches > 1 ? 3U : 2U;
    for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
      detail::ScanCounters counters;
      const auto scan = [&](SeriesNoise& noise) {
        return detail::scan_list(candidates, plan, asking, detail::Listing::all_answers, ways[1],
                                 noise, counters);
      };
      const OutcomeDistribution drawn = drawn_distribution_of_all(c, asking);
      EXPECT_TRUE(drawn == outcomes(c, all_answers, scan)) << text(c);
      const auto constant = [&](SeriesNoise& noise) {
        return ask_with_constant_work(candidates, constant_plan(c), asking,
                                      detail::Listing::all_answers, noise);
      };
      EXPECT_TRUE(drawn == outcomes(c, all_answers, constant)) << text(c);
    }
  }
}

/// Whether a scan is worth while: otherwise the public functions ask one by one.
bool scans(const SkippingCase& c) {
  return detail::worth_scanning(candidates_of(c), plan_of(c), Asking::shuffled);
}

// The public functions choose how to go about it by the answers, which are secret. So what they
// release must have the same distribution either way, and must look alike.
TEST(SparseVectorDistribution, ThePublicFunctionsHaveItWhetherTheListIsCrowdedOrNot) {
  std::array<int, 2> seen{};
  for (SkippingCase c : skipping_cases()) {
    c.cut -= c.answers.size() > 3 || c.branches > 1 ? 3U : 2U;
    for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
      const auto above = public_distribution<Few>(c, asking);
      EXPECT_TRUE(drawn_distribution(c, asking) == above) << text(c);
      for (const auto& [outcome, weight] : above) {
        // In random order nothing says how many were asked.
        ASSERT_EQ(outcome.front() == -1, asking == Asking::shuffled) << text(c);
      }
      EXPECT_TRUE(drawn_distribution_of_all(c, asking) ==
                  public_distribution_of_all<Few>(c, asking))
          << text(c);
    }
    ++seen[scans(c) ? 1 : 0];
  }
  EXPECT_GT(seen[0], 3);
  EXPECT_GT(seen[1], 3);
}

// Neighbours of which one is crowded and the other is not.
TEST(SparseVectorDistribution, WhetherTheListIsCrowdedDoesNotShow) {
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
      const ListSetting s{kind, distribution, Asking::shuffled};
      Distributions shipped = distributions_of(s, 12);
      const Worst worst = worst_both_ways(shipped, {-1, -1}, {0, 0});
      EXPECT_GT(worst.outcomes, 20U);
      EXPECT_LE(worst.excess, slack) << worst.where;
      Distributions telling = telling_distributions_of(s, 12);
      EXPECT_GT(worst_both_ways(telling, {-1, -1}, {0, 0}).excess, 3);
    }
  }
}

TEST(SparseVectorDistribution, ManyQueriesDoNotShowEither) {
  // 100 queries; the list is crowded where more than an eighth are above. Far from the threshold,
  // so that noise does not matter: what may differ is what the release says besides its answers.
  std::vector<std::int64_t> counts(100, -1'000'000);
  InsecureSeededNoise noise(5);
  for (const std::size_t above : {0U, 5U, 50U, 100U}) {
    std::fill_n(counts.begin(), above, 1'000'000);
    const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
    SparseVectorOptions options{.k = 5, .epsilon = "1"_eps, .threshold = 0};
    EXPECT_EQ(
        detail::worth_scanning(candidates, plan_sparse_vector(candidates.queries(), options, true),
                               options.asking),
        above <= 5);
    const SparseVectorRelease shuffled = sparse_vector_above(candidates, options, noise);
    EXPECT_EQ(shuffled.answers.size(), std::min<std::size_t>(above, 5));
    EXPECT_FALSE(shuffled.asked.has_value()) << above;
    options.asking = Asking::as_given;
    EXPECT_EQ(sparse_vector_above(candidates, options, noise).asked, above < 5 ? 100U : 5U);
  }
}

/// Whether some case of the given sides tells a wrapped sparse vector from the distribution of
/// draws, online and scanned.
template <class Wrap>
std::pair<bool, bool> caught(bool sides) {
  std::pair<bool, bool> result;
  detail::ScanCounters counters;
  for (const SkippingCase& c : skipping_cases()) {
    if (two_sided(c.distribution) == sides && !(result.first && result.second)) {
      const OutcomeDistribution drawn = drawn_distribution(c, Asking::as_given);
      result.first = result.first || drawn != online_distribution<Wrap>(c, {2, 2});
      result.second =
          result.second || drawn != list_distribution<Wrap>(c, Asking::as_given, ways[0], counters);
    }
  }
  return result;
}

TEST(SparseVectorDistribution, MistakesAreCaught) {
  const std::pair both(true, true);
  EXPECT_EQ(caught<NothingBeyondTheCutoff<SeriesNoise>>(false), both);
  EXPECT_EQ(caught<NothingBeyondTheCutoff<SeriesNoise>>(true), both);
  EXPECT_EQ(caught<CutoffOneTooHigh<SeriesNoise>>(false), both);
  EXPECT_EQ(caught<CutoffOneTooHigh<SeriesNoise>>(true), both);
  EXPECT_EQ(caught<OneForgotten<SeriesNoise>>(false), both);
  EXPECT_EQ(caught<LowerSideForgotten<SeriesNoise>>(true), both);
  detail::ScanCounters counters;
  const SkippingCase alike{{-1, -1, -1}};
  EXPECT_NE(
      drawn_distribution(alike, Asking::shuffled),
      list_distribution<NotShuffled<SeriesNoise>>(alike, Asking::shuffled, ways[0], counters));
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
        way == Way::plain ? ask_one_by_one(candidates, plan, options.asking, ignore, draws)
        : way == Way::online
            ? ask_one_by_one(candidates, plan, options.asking, ignore, noise)
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
