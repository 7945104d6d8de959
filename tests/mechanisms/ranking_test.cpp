// Noisy values are compared alike on both sides of zero: whole ticks are floors, fractions are
// never negative, and a shift of all answers changes nothing.

#include "freegap/detail/mechanisms/ranking.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/noise.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"

namespace freegap {
namespace {

/// Smaller ids win.
struct ByNumber {
  static bool precedes(const detail::NoisyCandidate& a, const detail::NoisyCandidate& b) {
    return a.item.id < b.item.id;
  }
};

std::int64_t floor_of(std::int64_t position, std::int64_t subticks) {
  std::int64_t ticks = -100;
  while ((ticks + 1) * subticks <= position) {
    ++ticks;
  }
  return ticks;
}

TEST(Ranking, WholeTicksAreFloorsAndFractionsOrderTies) {
  ByNumber order;
  for (const std::int64_t subticks : {1, 2, 3, 8}) {
    const detail::Ranking<ByNumber> ranking(order, subticks);
    for (std::int64_t p = -20; p <= 20; ++p) {
      const detail::NoisyCandidate a{{1, 0}, p, {}};
      ASSERT_EQ(ranking.ticks(a), floor_of(p, subticks)) << p << " / " << subticks;
      for (std::int64_t q = -20; q <= 20; ++q) {
        const detail::NoisyCandidate b{{2, 0}, q, {}};
        const std::int64_t above_a = p - subticks * floor_of(p, subticks);
        const std::int64_t above_b = q - subticks * floor_of(q, subticks);
        ASSERT_EQ(ranking.precedes(a, b), above_a >= above_b)
            << p << ", " << q << " / " << subticks;
        ASSERT_EQ(ranking.better(a, b), p >= q) << p << ", " << q << " / " << subticks;
      }
    }
  }
}

constexpr std::int64_t runs = 200;

std::vector<std::int64_t> answers(std::int64_t shift) {
  return {shift, shift - 1, shift + 2, shift, shift + 1, shift - 3};
}

Candidates candidates(const std::vector<std::int64_t>& values) {
  return Candidates::general(std::span<const std::int64_t>(values), Neighbours::add_remove, 1);
}

const std::vector<Distribution> distributions = {Distribution::exponential, Distribution::laplace,
                                                 Distribution::geometric};

TEST(Ranking, AShiftOfAllAnswersChangesNoWinnerAndNoLead) {
  const auto high = answers(1000);
  const auto low = answers(-1000);
  for (const Distribution distribution : distributions) {
    const TopKOptions options{.k = 3, .epsilon = "4"_eps, .noise = distribution};
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      InsecureSeededNoise noise(seed);
      InsecureSeededNoise same_noise(seed);
      const TopKRelease a = top_k(candidates(high), options, noise);
      const TopKRelease b = top_k(candidates(low), options, same_noise);
      ASSERT_EQ(a.winners, b.winners);
      ASSERT_EQ(a.lead_ticks, b.lead_ticks);
    }
  }
}

TEST(Ranking, AShiftOfAnswersAndThresholdChangesNoGap) {
  const auto high = answers(1000);
  const auto low = answers(-1000);
  for (const Distribution distribution : distributions) {
    for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
      HybridOptions options{
          .k = 3, .epsilon = "4"_eps, .threshold = 0, .prefer = prefer, .noise = distribution};
      for (std::uint64_t seed = 0; seed < runs; ++seed) {
        InsecureSeededNoise noise(seed);
        InsecureSeededNoise same_noise(seed);
        options.threshold = 1001;
        const HybridRelease a = top_k_above(candidates(high), options, noise);
        options.threshold = -999;
        const HybridRelease b = top_k_above(candidates(low), options, same_noise);
        ASSERT_EQ(a.winners, b.winners);
        ASSERT_EQ(a.gap_ticks, b.gap_ticks);
        ASSERT_EQ(a.threshold_gap_ticks, b.threshold_gap_ticks);
        ASSERT_EQ(a.cost.spent, b.cost.spent);
      }
    }
  }
}

TEST(Ranking, AShiftOfQueriesAndThresholdChangesNoAnswer) {
  const auto high = answers(1000);
  const auto low = answers(-1000);
  for (const Distribution distribution : distributions) {
    SparseVectorOptions options{
        .k = 2, .epsilon = "4"_eps, .threshold = 0, .noise = distribution, .branches = 2};
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      InsecureSeededNoise noise(seed);
      InsecureSeededNoise same_noise(seed);
      options.threshold = 1001;
      const SparseVectorRelease a = sparse_vector(candidates(high), options, noise);
      options.threshold = -999;
      const SparseVectorRelease b = sparse_vector(candidates(low), options, same_noise);
      ASSERT_EQ(a.answers.size(), b.answers.size());
      for (std::size_t i = 0; i < a.answers.size(); ++i) {
        ASSERT_EQ(a.answers[i].item, b.answers[i].item);
        ASSERT_EQ(a.answers[i].branch, b.answers[i].branch);
        ASSERT_EQ(a.answers[i].gap_ticks, b.answers[i].gap_ticks);
      }
    }
  }
}

}  // namespace
}  // namespace freegap
