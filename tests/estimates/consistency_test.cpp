// Releases that no mechanism makes are refused before they are read.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "freegap/confidence.hpp"
#include "freegap/errors.hpp"
#include "freegap/estimate.hpp"

namespace freegap {
namespace {

const NoiseDistribution noise{Distribution::exponential, 8, Rational(1, 64)};
const std::vector<Item> three{{4, 0}, {7, 0}, {1, 0}};

MeasureRelease measured() { return {{}, noise, {}, three, {900, 500, 100}}; }

TopKRelease top() {
  TopKRelease release;
  release.noise = noise;
  release.candidates = 4;
  release.winners = three;
  release.lead_ticks = {800, 400, 0};
  return release;
}

HybridRelease hybrid(GapTo gap_to) {
  HybridRelease release;
  release.noise = release.threshold_noise = noise;
  release.k = 3;
  release.winners = three;
  release.gap_to = gap_to;
  release.gap_ticks = {800, 400, 0};
  return release;
}

HybridRelease estimates_first() {
  HybridRelease release = hybrid(GapTo::threshold);
  release.k = 4;
  release.estimates = {Rational(1, 2), 1, {1, 8, 16, 32}};
  release.gap_ticks = {800, 400, 32};
  return release;
}

SparseVectorRelease vector() {
  SparseVectorRelease release;
  release.tick = Rational(1, 64);
  release.threshold_scale = 4;
  release.threshold_epsilon = 1;
  release.cost.reserved = 4;
  release.branches = {{Rational(1, 2), 16, 10, 64}, {1, 8, 5, 0}};
  release.answers = {{three[0], true, 1, 64}, {three[1], true, 2, 0}, {three[2], true, 2, 100}};
  return release;
}

/// Whether reading the release is refused, with these words.
void expect_refused(const std::function<void()>& read, const std::string& words) {
  try {
    read();
    ADD_FAILURE() << "accepted; wanted: " << words;
  } catch (const InvalidParameter& refused) {
    EXPECT_NE(std::string(refused.what()).find(words), std::string::npos) << refused.what();
  }
}

template <class Release>
void expect_all_refuse(Release release, const std::function<void(Release&)>& spoil,
                       const std::string& words) {
  const auto read_all = [&](const auto& expect) {
    expect([&] { (void)estimate(release, measured()); });
    if constexpr (std::is_same_v<Release, TopKRelease>) {
      expect([&] { (void)claims_ahead(release, 0.9); });
    } else {
      expect([&] { (void)claims_above(release, 0.9); });
      expect([&] { (void)estimate(release); });
    }
  };
  read_all([](const auto& read) { EXPECT_NO_THROW(read()); });
  spoil(release);
  read_all([&](const auto& read) { expect_refused(read, words); });
}

TEST(Consistency, OfTopK) {
  using R = TopKRelease;
  expect_all_refuse<R>(
      top(), [](R& r) { r.lead_ticks.pop_back(); }, "one gap per winner");
  expect_all_refuse<R>(
      top(), [](R& r) { r.lead_ticks.push_back(0); }, "one gap per winner");
  expect_all_refuse<R>(
      top(), [](R& r) { r.lead_ticks[2] = -1; }, "what it takes to win");
  expect_all_refuse<R>(
      top(), [](R& r) { r.lead_ticks[1] = 801; }, "another order");
  expect_all_refuse<R>(
      top(), [](R& r) { r.candidates = 3; }, "more winners than candidates");
  R all = top();
  all.has_runner_up = false;
  all.candidates = 3;
  EXPECT_EQ(estimate(all, measured()).size(), 3U);
  all.candidates = 2;
  expect_refused([&] { (void)estimate(all, measured()); }, "more winners than candidates");
}

TEST(Consistency, OfHybrids) {
  using R = HybridRelease;
  for (const R& good : {hybrid(GapTo::next), hybrid(GapTo::threshold), estimates_first()}) {
    expect_all_refuse<R>(
        good, [](R& r) { r.gap_ticks.pop_back(); }, "one gap per winner");
    expect_all_refuse<R>(
        good, [](R& r) { r.k = 2; }, "more than k winners");
    expect_all_refuse<R>(
        good, [](R& r) { --r.gap_ticks[2]; }, "what it takes to win");
    expect_all_refuse<R>(
        good, [](R& r) { std::swap(r.gap_ticks[0], r.gap_ticks[1]); }, "another order");
  }
}

TEST(Consistency, OfSparseVectors) {
  using R = SparseVectorRelease;
  expect_all_refuse<R>(
      vector(), [](R& r) { r.answers[1].branch = 0; }, "a branch");
  expect_all_refuse<R>(
      vector(), [](R& r) { r.answers[1].branch = 3; }, "a branch");
  expect_all_refuse<R>(
      vector(), [](R& r) { r.answers[0].gap_ticks = 63; }, "takes to pass");
  expect_all_refuse<R>(
      vector(), [](R& r) { r.answers[1].gap_ticks = -1; }, "takes to pass");
  SparseVectorAnswer answer = vector().answers[0];
  EXPECT_NO_THROW((void)lower_bound_before_selection(vector(), answer, 0.9));
  for (const std::size_t branch : {0U, 3U}) {
    answer.branch = branch;
    expect_refused([&] { (void)lower_bound_before_selection(vector(), answer, 0.9); }, "a branch");
  }
}

TEST(Consistency, OfNoise) {
  const std::string words = "a scale and a tick above 0";
  expect_all_refuse<TopKRelease>(
      top(), [](auto& r) { r.noise.scale = 0; }, words);
  expect_all_refuse<TopKRelease>(
      top(), [](auto& r) { r.noise.tick = 0; }, words);
  const HybridRelease first = estimates_first();
  expect_all_refuse<HybridRelease>(
      first, [](auto& r) { r.noise.scale = 0; }, words);
  expect_all_refuse<HybridRelease>(
      first, [](auto& r) { r.threshold_noise.scale = -1; }, words);
  expect_all_refuse<SparseVectorRelease>(
      vector(), [](auto& r) { r.tick = 0; }, words);
  expect_all_refuse<SparseVectorRelease>(
      vector(), [](auto& r) { r.threshold_scale = 0; }, words);
  expect_all_refuse<SparseVectorRelease>(
      vector(), [](auto& r) { r.branches[1].scale = 0; }, words);
  MeasureRelease direct = measured();
  direct.noise.scale = 0;
  expect_refused([&] { (void)estimate(top(), direct); }, words);
}

TEST(Consistency, OfMeasurements) {
  MeasureRelease direct = measured();
  EXPECT_EQ(estimate(direct).size(), 3U);
  direct.value_ticks.pop_back();
  expect_refused([&] { (void)estimate(direct); }, "one value per item");
  expect_refused([&] { (void)estimate(top(), direct); }, "one value per item");
  direct = measured();
  std::swap(direct.items[0], direct.items[1]);
  expect_refused([&] { (void)estimate(top(), direct); }, "same order");
}

}  // namespace
}  // namespace freegap
