// The program asks the library for what it was asked: with the same seed, a simulation gives the
// winners, gaps and measurements that the mechanisms give when they are called with those options.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "freegap/confidence.hpp"
#include "freegap/exponential.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/noise.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "support/temporary_folder.hpp"

namespace freegap::testing {
namespace {

using namespace freegap::literals;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr std::uint64_t seed = 7;
constexpr std::array labels{"a", "b", "c", "d", "e"};

class Simulation : public ::testing::TestWithParam<bool> {
 protected:
  Simulation() {
    std::string text;
    std::string list;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::int64_t j = 0; j < counts_[i]; ++j) {
        text += std::string(labels.at(i)) + "\n";
      }
      list += std::string(labels.at(i)) + "\n";
    }
    data_ = folder_.write("data.dat", text);
    list_ = folder_.write("list.txt", list);
  }

  /// The release of a simulation with these words, and --constant-work if that is the case.
  [[nodiscard]] Json released(const std::string& verb, const Words& more) const {
    Words words{"freegap", "simulate",  verb, data_,          "--seed",
                "7",       "--epsilon", "1",  "--neighbours", "replace"};
    words.insert(words.end(), more.begin(), more.end());
    if (GetParam()) {
      words.emplace_back("--constant-work");
    }
    std::vector<const char*> pointers;
    for (const std::string& word : words) {
      pointers.push_back(word.c_str());
    }
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::run(static_cast<int>(pointers.size()), pointers.data(),
                                {in, out, err, false, false, {}});
    EXPECT_EQ(status, cli::done) << err.str();
    return Json::parse(out.str());
  }

  /// What the program would show of these numbers.
  static Json shown(const Item& item) { return labels.at(static_cast<std::size_t>(item.id)); }
  template <class Number>
  static Json shown(const std::optional<Number>& number) {
    return number ? Json(*number) : Json();
  }

  /// Compares the measurements of winners with those in rows of the program.
  void expect_measured(const Json& rows, const std::vector<Item>& items,
                       const MeasureOptions& options, ExactNoise& noise) const {
    const MeasureRelease direct = measure(candidates_, items, options, noise);
    ASSERT_EQ(rows.size(), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(rows[i]["measured"], Json(direct.value(i))) << rows;
    }
  }

  TemporaryFolder folder_;
  std::string data_;
  std::string list_;
  std::vector<std::int64_t> counts_{40, 35, 33, 20, 7};
  Candidates candidates_ = Candidates::counting(counts_, Neighbours::replace);
};

TEST_P(Simulation, TopK) {
  const Json told = released("top", {"-k", "2", "--candidates", list_, "--measure", "1/4",
                                     "--noise", "laplace", "--tick", "1/8"});
  InsecureSeededNoise noise(seed);
  const TopKRelease release = top_k(candidates_,
                                    {.k = 2,
                                     .epsilon = "0.75"_eps,
                                     .noise = Distribution::laplace,
                                     .tick = Rational(1, 8),
                                     .constant_work = GetParam()},
                                    noise);
  ASSERT_EQ(told["winners"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(told["winners"][i]["item"], shown(release.winners[i]));
    EXPECT_EQ(told["winners"][i]["gap_ticks"], shown(release.gap_ticks(i)));
  }
  expect_measured(told["winners"], release.winners,
                  {.epsilon = "0.25"_eps, .tick = Rational(1, 8), .constant_work = GetParam()},
                  noise);
}

TEST_P(Simulation, Hybrid) {
  const Json told = released("top", {"-k", "3", "--candidates", list_, "--measure", "1/2",
                                     "--above", "25", "--prefer", "estimates", "--theta", "1/3"});
  InsecureSeededNoise noise(seed);
  const HybridRelease release = top_k_above(candidates_,
                                            {.k = 3,
                                             .epsilon = "0.5"_eps,
                                             .threshold = 25,
                                             .prefer = Prefer::estimates,
                                             .theta = Rational(1, 3),
                                             .constant_work = GetParam()},
                                            noise);
  ASSERT_EQ(told["winners"].size(), release.winners.size());
  for (std::size_t i = 0; i < release.winners.size(); ++i) {
    EXPECT_EQ(told["winners"][i]["item"], shown(release.winners[i]));
    EXPECT_EQ(told["winners"][i]["gap_ticks"], Json(release.gap_ticks[i]));
  }
  EXPECT_EQ(told["epsilon"]["selection"], Json(release.cost.spent.str()));
  if (!release.winners.empty()) {
    expect_measured(told["winners"], release.winners,
                    {.epsilon = "0.5"_eps, .constant_work = GetParam()}, noise);
  }
}

TEST_P(Simulation, SparseVector) {
  const Json told =
      released("above", {"-k",           "3",          "--candidates", list_,         "--threshold",
                         "15",           "--adaptive", "--branches",   "3",           "--sigma",
                         "1/2",          "--theta",    "1/5",          "--stop-rule", "paper",
                         "--stop-after", "2",          "--measure",    "1/4",         "--order",
                         "file"});
  InsecureSeededNoise noise(seed);
  const SparseVectorRelease release = sparse_vector(candidates_,
                                                    {.k = 3,
                                                     .epsilon = "0.75"_eps,
                                                     .threshold = 15,
                                                     .branches = 3,
                                                     .theta = Rational(1, 5),
                                                     .sigma = Rational(1, 2),
                                                     .stop_rule = StopRule::paper,
                                                     .stop_after = 2,
                                                     .asking = Asking::as_given,
                                                     .constant_work = GetParam()},
                                                    noise);
  ASSERT_EQ(told["answers"].size(), release.answers.size());
  Json passed = Json::array();
  std::vector<Item> items;
  for (std::size_t i = 0; i < release.answers.size(); ++i) {
    const SparseVectorAnswer& answer = release.answers[i];
    const Json& row = told["answers"][i];
    EXPECT_EQ(row["query"], shown(answer.item));
    EXPECT_EQ(row["above"], Json(answer.above));
    if (answer.above) {
      EXPECT_EQ(row["gap_ticks"], shown(answer.gap_ticks));
      EXPECT_EQ(row["branch"], Json(answer.branch));
      passed.push_back(row);
      items.push_back(answer.item);
    }
  }
  ASSERT_FALSE(items.empty()) << told;
  expect_measured(passed, items, {.epsilon = "0.25"_eps, .constant_work = GetParam()}, noise);
}

TEST_P(Simulation, Exponential) {
  const Json told =
      released("choose", {"--candidates", list_, "--kind", "counts", "--tick", "1/16"});
  InsecureSeededNoise noise(seed);
  const ExponentialRelease release = exponential(
      candidates_, {.epsilon = "1"_eps, .tick = Rational(1, 16), .constant_work = GetParam()},
      noise);
  EXPECT_EQ(told["item"], shown(release.chosen));
  EXPECT_EQ(told["gap_ticks"], shown(release.gap_ticks));
  EXPECT_EQ(told["gap_in_utility"], shown(release.gap_in_utility()));
  EXPECT_EQ(told["lead_estimate"], shown(estimate_lead(release)));
  const std::optional<Claim> claim = claim_best(release, 0.95);
  ASSERT_TRUE(claim.has_value());
  EXPECT_EQ(told["lead_at_least"], shown(claim->at_least));
  EXPECT_EQ(told["p_not_best"], Json(claim->p_value));
}

TEST_P(Simulation, Measurements) {
  const Json told = released("measure", {"--items", "a,b,c,d,e", "--tick", "1/4"});
  InsecureSeededNoise noise(seed);
  const std::vector<Item> items{{.id = 0}, {.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}};
  expect_measured(told["measurements"], items,
                  {.epsilon = "1"_eps, .tick = Rational(1, 4), .constant_work = GetParam()}, noise);
}

INSTANTIATE_TEST_SUITE_P(ConstantWork, Simulation, ::testing::Bool());

}  // namespace
}  // namespace freegap::testing
