// A scan takes in each candidate exactly once, on any grid and however the list is cut up: with
// noise whose every trial succeeds, every candidate is drawn outright or landed on, and none twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/sparse_vector.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

/// Every trial succeeds, and all noise reaches any bar; or, with `failures`, some fail at random.
struct Successful {
  std::mt19937_64* random;
  bool failures;
  static constexpr std::int64_t height = std::int64_t{1} << 55U;
  static std::int64_t geometric(const Rate& /*rate*/) { return height; }
  static std::int64_t laplace(const Rate& /*rate*/) { return height; }
  std::uint64_t below(std::uint64_t n) { return (*random)() % n; }
  std::uint64_t key() { return (*random)(); }
  std::uint64_t skips(const Rate& /*rate*/, Distance d, std::uint64_t n) {
    return d == 0 || !failures || below(3) > 0 ? 0 : std::min<std::uint64_t>(n, below(40));
  }
  static bool above_zero(const Rate& /*rate*/) { return true; }
};
static_assert(SkippingSource<Successful>);

/// Random problems.
class Problems {
 public:
  explicit Problems(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  bool coin() { return below(2) == 0; }
  template <std::size_t n>
  Rational one_of(const std::array<const char*, n>& texts) {
    return Rational::parse(texts.at(below(n)));
  }
  Rational tick() {
    return one_of(std::array{"1", "1/3", "3/7", "5", "1/1024", "7/1024", "1000000007/3",
                             "4611686018427387904", "1/4611686018427387904",
                             "36893488147419103232/3",
                             "18446744073709551617/36893488147419103232"});
  }
  Rational rate() { return one_of(std::array{"1/1000", "1/2", "3", "1/100000000000", "900"}); }
  detail::BlockSizes sizes() {
    const std::size_t block = below(3) == 0 ? 1 + below(200) : std::size_t{1} << below(10);
    return {block, std::size_t{1} << below(7)};
  }
  /// Small numbers, numbers of all sizes, extremes, peaks, extreme peaks, or all alike.
  template <class T>
  std::vector<T> answers() {
    std::vector<T> result(1 + below(coin() ? 700 : 3000));
    const std::size_t kind = below(6);
    const double widest = sizeof(T) == 4 ? 1e8 : 1e15;
    for (T& x : result) {
      const T extreme = coin() ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
      const double size = std::pow(widest, static_cast<double>(below(1000)) / 1000);
      x = kind == 0   ? static_cast<T>(below(100))
          : kind == 1 ? static_cast<T>(coin() ? size : -size)
          : kind == 2 ? (below(3) > 0 ? static_cast<T>(below(5)) : extreme)
          : kind == 3 ? static_cast<T>(below(100) > 0 ? below(5) : 1000 + below(1000))
          : kind == 4 ? (below(100) > 0 ? static_cast<T>(below(5)) : extreme)
                      : static_cast<T>(5);
    }
    return result;
  }
  Successful noise(bool failures) { return {&random_, failures}; }

 private:
  std::mt19937_64 random_;
};

/// What a scan with a level finds among all.
template <SkippingSource Source>
std::vector<detail::NoisyCandidate> scan(const Candidates& candidates, detail::BlockMaxima& maxima,
                                         const detail::TickNoise& distribution,
                                         detail::Position level, Source noise,
                                         detail::ScanCounters& counters) {
  detail::RandomOrder order(noise);
  const auto n = static_cast<std::size_t>(candidates.size());
  return detail::scan_top_m(candidates, Grid(1, 1), maxima, n, {}, {.level = level}, distribution,
                            noise, order, counters)
      .finish();
}

template <class T>
void top_m_once(Problems& problems, detail::ScanCounters& sum) {
  const std::vector<T> answers = problems.answers<T>();
  const Rational tick = problems.tick();
  const Grid grid(tick, tick);
  const detail::TickNoise distribution(
      problems.coin() ? Distribution::geometric : Distribution::laplace, problems.rate());
  const auto candidates =
      Candidates::general(std::span<const T>(answers), Neighbours::add_remove, 1);
  const detail::BlockSizes sizes = problems.sizes();
  detail::BlockMaxima maxima(detail::CandidateAccess(candidates).listed(), grid, sizes, 1);
  const std::size_t largest = maxima.largest(1).front();
  const detail::Position level =
      distribution.at(maxima.ticks(problems.coin() ? largest : problems.below(answers.size()))) +
      static_cast<detail::Position>(Distance{distribution.rate().halving_ticks()} *
                                    problems.below(70));

  detail::ScanCounters counters;
  const auto all = scan(candidates, maxima, distribution, level, problems.noise(false), counters);
  std::set<std::int64_t> seen;
  for (const detail::NoisyCandidate& candidate : all) {
    EXPECT_TRUE(seen.insert(candidate.item.id).second) << "found twice";
  }
  EXPECT_EQ(seen.size() + counters.thinned, answers.size());
  EXPECT_EQ(counters.drawn + counters.reached + counters.thinned, answers.size())
      << "block " << sizes.block << ", fan " << sizes.fan;
  sum.tiles += counters.tiles;
  sum.blocks += counters.blocks;
  sum.opened += counters.opened;

  seen.clear();
  for (const detail::NoisyCandidate& candidate :
       scan(candidates, maxima, distribution, level, problems.noise(true), counters)) {
    EXPECT_TRUE(seen.insert(candidate.item.id).second) << "found twice";
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_TRUE(distribution.at(maxima.ticks(i)) < level ||
                seen.contains(static_cast<std::int64_t>(i)))
        << "what is above the level was lost";
  }
}

// With noise that always reaches, every query passes the first branch, in the order of the list;
// branches draw for each query once.
template <class T>
void queries_once(Problems& problems, detail::ScanCounters& sum) {
  const std::vector<T> answers = problems.answers<T>();
  const auto candidates =
      Candidates::general(std::span<const T>(answers), Neighbours::add_remove, 1);
  const std::size_t branches = 1 + problems.below(4);
  SparseVectorPlan plan = plan_sparse_vector(
      {Kind::general, Neighbours::add_remove, problems.one_of(std::array{"1", "1/3"})},
      {.k = 1'000'000,
       .epsilon = Epsilon(Rational(1)),
       .threshold = 0,
       .noise = problems.coin() ? Distribution::exponential : Distribution::laplace,
       .branches = branches},
      false);
  // Near some answer or above it, once the threshold's own noise is added.
  plan.blank.threshold.used_ticks =
      plan.grid.floor_ticks(answers[problems.below(answers.size())]) - Successful::height +
      static_cast<std::int64_t>(plan.steps[0].noise.rate().halving_ticks() * problems.below(40));
  const detail::SkipSizes skips{1 + problems.below(50), 1 + problems.below(40)};
  const bool failures = problems.coin();
  Successful noise = problems.noise(failures);
  detail::ScanCounters counters;
  detail::AboveScan<Successful> above(candidates, plan, skips, noise, counters);
  const detail::BlockSizes blocks = problems.sizes();
  std::vector<detail::PassingQuery> passing;
  for (std::size_t first = 0; first < answers.size();) {
    const std::size_t last = std::min(answers.size(), first + 1 + problems.below(2000));
    detail::BlockMaxima maxima(
        detail::part(detail::CandidateAccess(candidates).listed(), first, last), plan.grid, blocks,
        1);
    for (const detail::PassingQuery& query : above.scan(maxima, first)) {
      EXPECT_TRUE(query.place >= first && query.place < last);
      passing.push_back(query);
    }
    first = last;
  }
  const auto not_rising = [](const detail::PassingQuery& x, const detail::PassingQuery& y) {
    return x.place >= y.place;
  };
  EXPECT_EQ(std::adjacent_find(passing.begin(), passing.end(), not_rising), passing.end());
  if (!failures) {
    EXPECT_EQ(counters.drawn + counters.reached + counters.thinned, branches * answers.size());
  }
  sum.tiles += counters.tiles;
  sum.blocks += counters.blocks;
  sum.opened += counters.opened;
}

/// Calls `once(problems, sum)` often, and sees that every path was taken, that past a block more
/// than `blocks` times.
template <class OnceEach>
void try_all(std::uint64_t seed, std::uint64_t blocks, const OnceEach& once) {
  Problems problems(seed);
  detail::ScanCounters sum;
  for (std::uint64_t i = 0; i < scaled(400, 200); ++i) {
    once(problems, sum);
  }
  EXPECT_GT(sum.tiles, 0U);
  EXPECT_GT(sum.blocks, blocks);
  EXPECT_GT(sum.opened, 0U);
}

TEST(Once, EveryCandidateOfAListOnAnyGrid) {
  try_all(7, 100, [](Problems& problems, detail::ScanCounters& sum) {
    top_m_once<std::int64_t>(problems, sum);
    top_m_once<std::int32_t>(problems, sum);
    top_m_once<double>(problems, sum);
  });
}

/// Every trial succeeds, and all noise is the same.
struct AllAlike : Successful {
  std::int64_t noise;
  std::int64_t geometric(const Rate& /*rate*/) const { return noise; }
};
static_assert(SkippingSource<AllAlike>);

// Where all answers are of one class, and are passed over together, noise that goes on from there
// lifts exactly those to the level that it does lift, wherever they stand.
TEST(Once, NobodyIsTakenForALowerNeighbour) {
  std::mt19937_64 random(9);
  const detail::TickNoise distribution(Distribution::geometric, "1/1000"_rational);
  const auto width = static_cast<std::int64_t>(distribution.rate().halving_ticks());
  ASSERT_GT(width, 600);
  const Grid grid(1, 1);
  for (const std::int64_t c : {8, 12, 16}) {
    std::vector<std::int64_t> answers;
    const std::int64_t level = 1'000'000;
    for (int i = 0; i < 2000; ++i) {
      answers.push_back(level - c * width - static_cast<std::int64_t>(random() % 600));
    }
    const auto candidates = Candidates::counting(answers, Neighbours::add_remove);
    for (const detail::BlockSizes& sizes :
         {detail::BlockSizes{8, 4}, detail::BlockSizes{2, 1}, detail::BlockSizes{1, 2}}) {
      for (const std::int64_t noise : {0, 100, 300, 599, 1000}) {
        detail::BlockMaxima maxima(detail::CandidateAccess(candidates).listed(), grid, sizes, 1);
        detail::ScanCounters counters;
        const auto found = scan(candidates, maxima, distribution, level,
                                AllAlike{{&random, false}, noise}, counters);
        const auto lifted = std::count_if(answers.begin(), answers.end(), [&](std::int64_t answer) {
          return answer + c * width + noise >= level;
        });
        EXPECT_EQ(found.size(), static_cast<std::size_t>(lifted)) << c << ' ' << noise;
        EXPECT_EQ(counters.tiles, maxima.tiles());
      }
    }
  }
}

TEST(Once, EveryQueryOfAListOnAnyGrid) {
  try_all(8, 0, [](Problems& problems, detail::ScanCounters& sum) {
    queries_once<std::int64_t>(problems, sum);
    queries_once<std::int32_t>(problems, sum);
    queries_once<double>(problems, sum);
  });
}

}  // namespace
}  // namespace freegap::testing
