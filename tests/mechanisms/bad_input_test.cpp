// Misuse: each wrong argument is refused with InvalidParameter, in a message that names it and says
// what is valid, before any random bit is drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/exponential.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/measure.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/top_k.hpp"
#include "support/refusing_bits.hpp"

namespace freegap::testing {
namespace {

using Whole = std::vector<std::int64_t>;
using Real = std::vector<double>;

const Whole seven = {4, 1, 7, 3, 6, 2, 5};
const Real reals = {0.5, 1.5};
const Queries monotone{Kind::counts, Neighbours::add_remove, 1};

Answers view(const Whole& values) { return std::span<const std::int64_t>(values); }
Answers view(const Real& values) { return std::span<const double>(values); }
Candidates dense() { return Candidates::counting(seven, Neighbours::add_remove); }
Candidates real() { return Candidates::general(view(reals), Neighbours::add_remove, 1); }

/// Something wrong, and what its message must say.
struct Misuse {
  std::string argument;
  std::string valid;
  std::function<void(ExactNoise&)> attempt;
};

void expect_refused(const std::vector<Misuse>& list) {
  for (const Misuse& misuse : list) {
    RefusingBits bits;
    ExactNoise noise(bits);
    try {
      misuse.attempt(noise);
      ADD_FAILURE() << misuse.argument << " was accepted; valid: " << misuse.valid;
    } catch (const InvalidParameter& refused) {
      const std::string message = refused.what();
      EXPECT_TRUE(message.starts_with(misuse.argument + ": ")) << message;
      EXPECT_NE(message.find(misuse.valid), std::string::npos) << message;
    } catch (const std::exception& other) {
      ADD_FAILURE() << misuse.argument << ": not an InvalidParameter, but: " << other.what();
    }
    EXPECT_EQ(bits.attempts(), 0U) << misuse.argument;
    EXPECT_EQ(noise.decisions(), 0U) << misuse.argument;
  }
}

TEST(BadInput, TheBitsDoRefuse) {
  // What is accepted does reach for bits, so the checks above can fail.
  RefusingBits bits;
  ExactNoise noise(bits);
  EXPECT_THROW(top_k(dense(), {.k = 1, .epsilon = "1"_eps}, noise), std::logic_error);
  EXPECT_EQ(bits.attempts(), 1U);
}

TEST(BadInput, Budgets) {
  const std::string range = "above 0 and at most 1000";
  expect_refused({
      {"epsilon", range, [](ExactNoise&) { Epsilon::parse("0"); }},
      {"epsilon", range, [](ExactNoise&) { Epsilon::parse("-0.5"); }},
      {"epsilon", range, [](ExactNoise&) { Epsilon::parse("1001"); }},
      {"epsilon", range, [](ExactNoise&) { Epsilon(Rational(-1, 3)); }},
      // A budget so small that its noise overflows.
      {"epsilon", "2^-48",
       [](ExactNoise& noise) { top_k(dense(), {.k = 1, .epsilon = "1e-30"_eps}, noise); }},
  });
}

TEST(BadInput, NumberOfWinners) {
  const std::string range = "from 1 to the number of candidates, 7";
  const auto top = [](std::uint64_t k) {
    return [k](ExactNoise& noise) { top_k(dense(), {.k = k, .epsilon = "1"_eps}, noise); };
  };
  const auto hybrid = [](std::uint64_t k, Prefer prefer) {
    return [k, prefer](ExactNoise& noise) {
      top_k_above(dense(), {.k = k, .epsilon = "1"_eps, .threshold = 3, .prefer = prefer}, noise);
    };
  };
  const auto above = [](std::uint64_t k) {
    return [k](ExactNoise& noise) {
      sparse_vector(dense(), {.k = k, .epsilon = "1"_eps, .threshold = 3}, noise);
    };
  };
  expect_refused({
      {"k", range, top(0)},
      {"k", range, top(8)},
      {"k", range, top(UINT64_MAX)},
      {"k", range, hybrid(0, Prefer::identity)},
      {"k", range, hybrid(8, Prefer::identity)},
      {"k", range, hybrid(0, Prefer::estimates)},
      {"k", range, hybrid(8, Prefer::estimates)},
      {"k", "from 1 to 2^40", above(0)},
      {"k", "from 1 to 2^40", above((std::uint64_t{1} << 40U) + 1)},
  });
}

TEST(BadInput, Candidates) {
  static const Whole none;
  static const Whole zeros = {0, 0};
  static const Whole two = {1, 2};
  static const Whole twice = {5, 5};
  static const Whole negative = {3, -1};
  static const Whole most = {INT64_MAX, 1};
  static const Whole too_many = {INT64_MAX, 2};
  const auto grouped = [](const Whole& values, const Whole& multiplicities) {
    return [&values, &multiplicities](ExactNoise&) {
      Candidates::grouped(view(values), multiplicities, monotone);
    };
  };
  const auto universe = [](Universe range, const Whole& ids, const Whole& counts) {
    return [=, &ids, &counts](ExactNoise&) {
      Candidates::universe(range, ids, counts, Neighbours::add_remove);
    };
  };
  expect_refused({
      {"candidates", "at least one",
       [](ExactNoise&) { Candidates::counting(none, Neighbours::add_remove); }},
      {"candidates", "at least one",
       [](ExactNoise&) { Candidates::general(view(none), Neighbours::replace, 1); }},
      {"candidates", "at least one",
       [](ExactNoise&) { Candidates::growing(view(none), Neighbours::replace, 1); }},
      {"candidates", "at least one", grouped(none, none)},
      {"candidates", "at least one", grouped(two, zeros)},
      {"multiplicities", "0 or more", grouped(two, negative)},
      {"multiplicities", "at most 2^63", grouped(two, too_many)},
      {"multiplicities", "one for each value", grouped(two, none)},
      {"universe", "first id must not be above its last", universe({5, 4}, none, none)},
      {"universe", "at most 2^63", universe({INT64_MIN, INT64_MAX}, none, none)},
      {"ids", "listed once", universe({0, 9}, twice, two)},
      {"ids", "one for each value", universe({0, 9}, none, two)},
      {"candidates", "dense",
       [](ExactNoise& noise) {
         const auto groups = Candidates::grouped(view(two), two, monotone);
         sparse_vector(groups, {.k = 1, .epsilon = "1"_eps, .threshold = 0}, noise);
       }},
  });
  EXPECT_EQ(Candidates::grouped(view(two), most, monotone).size(), std::uint64_t{1} << 63U);
  EXPECT_EQ(Candidates::universe({0, INT64_MAX}, {}, {}, Neighbours::replace).size(),
            std::uint64_t{1} << 63U);
}

TEST(BadInput, AnswersThatAreNotFinite) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    const Real values = {1.0, wrong};
    const Whole ones = {1, 1};
    expect_refused({
        {"answers", "finite",
         [&](ExactNoise&) { Candidates::general(view(values), Neighbours::add_remove, 1); }},
        {"answers", "finite",
         [&](ExactNoise&) { Candidates::growing(view(values), Neighbours::add_remove, 1); }},
        {"answers", "finite",
         [&](ExactNoise&) { Candidates::grouped(view(values), ones, monotone); }},
        {"answer", "finite",
         [&](ExactNoise& noise) {
           SparseVector vector(monotone, {.k = 1, .epsilon = "1"_eps, .threshold = 0}, false,
                               noise);
           vector.ask(wrong);
         }},
    });
  }
}

TEST(BadInput, Sensitivities) {
  for (const char* wrong : {"0", "-1"}) {
    const Rational s = Rational::parse(wrong);
    const Whole ones = {1};
    const Queries queries{Kind::general, Neighbours::add_remove, s};
    expect_refused({
        {"sensitivity", "above 0",
         [&](ExactNoise&) { Candidates::counting(seven, Neighbours::replace, s); }},
        {"sensitivity", "above 0",
         [&](ExactNoise&) { Candidates::general(view(seven), Neighbours::replace, s); }},
        {"sensitivity", "above 0",
         [&](ExactNoise&) { Candidates::growing(view(seven), Neighbours::replace, s); }},
        {"sensitivity", "above 0",
         [&](ExactNoise&) { Candidates::grouped(view(ones), ones, queries); }},
        {"sensitivity", "above 0",
         [&](ExactNoise&) {
           Candidates::universe({0, 9}, ones, ones, Neighbours::add_remove, s);
         }},
        {"sensitivity", "above 0",
         [&](ExactNoise& noise) {
           SparseVector(queries, {.k = 1, .epsilon = "1"_eps, .threshold = 0}, noise);
         }},
        {"sensitivity", "above 0",
         [&](ExactNoise& noise) {
           SparseVector(queries, {.k = 1, .epsilon = "1"_eps, .threshold = 0, .tick = 1}, noise);
         }},
    });
  }
}

TEST(BadInput, Ticks) {
  const std::string range = "a power of two from 2^-60 to 2^60";
  for (const char* wrong : {"3", "1/3", "0", "-1", "0.1", "2305843009213693952"}) {
    const Rational tick = Rational::parse(wrong);
    expect_refused({
        {"tick", range,
         [&](ExactNoise& noise) {
           top_k(dense(), {.k = 1, .epsilon = "1"_eps, .tick = tick}, noise);
         }},
        {"tick", range,
         [&](ExactNoise& noise) {
           top_k_above(dense(), {.k = 1, .epsilon = "1"_eps, .threshold = 0, .tick = tick}, noise);
         }},
        {"tick", range,
         [&](ExactNoise& noise) {
           sparse_vector(dense(), {.k = 1, .epsilon = "1"_eps, .threshold = 0, .tick = tick},
                         noise);
         }},
        {"tick", range,
         [&](ExactNoise& noise) {
           const std::vector<Item> items = {{0, 0}};
           measure(dense(), items, {.epsilon = "1"_eps, .tick = tick}, noise);
         }},
        {"tick", range,
         [&](ExactNoise& noise) {
           exponential(dense(), {.epsilon = "1"_eps, .tick = tick}, noise);
         }},
    });
  }
  expect_refused(
      {{"tick", "at least the sensitivity / 2^40", [](ExactNoise& noise) {
          top_k(dense(), {.k = 1, .epsilon = "1"_eps, .tick = Rational::power_of_two(-41)}, noise);
        }}});
}

// It was lowered to the largest number of ticks.
TEST(BadInput, ThresholdsBeyondTheGrid) {
  const std::string range = "beyond 2^62 ticks of 1/1048576";
  const Rational tick = Rational::power_of_two(-20);
  const Rational most = Rational::power_of_two(42);
  for (const Rational& wrong : {most + tick / Rational(2), most * Rational(1000)}) {
    expect_refused({
        {"threshold", range,
         [&](ExactNoise& noise) {
           sparse_vector(dense(), {.k = 1, .epsilon = "1"_eps, .threshold = wrong, .tick = tick},
                         noise);
         }},
        {"threshold", range,
         [&](ExactNoise& noise) {
           top_k_above(dense(), {.k = 1, .epsilon = "1"_eps, .threshold = wrong, .tick = tick},
                       noise);
         }},
    });
  }
  SecureNoise noise;
  const SparseVectorRelease release =
      sparse_vector(dense(), {.k = 1, .epsilon = "1"_eps, .threshold = most, .tick = tick}, noise);
  EXPECT_EQ(release.threshold.used, most);
}

TEST(BadInput, GeometricNoiseOnRealAnswers) {
  expect_refused({
      {"noise", "whole answers",
       [](ExactNoise& noise) {
         top_k(real(), {.k = 1, .epsilon = "1"_eps, .noise = Distribution::geometric}, noise);
       }},
      {"noise", "whole answers",
       [](ExactNoise& noise) {
         top_k_above(real(),
                     {.k = 1, .epsilon = "1"_eps, .threshold = 0, .noise = Distribution::geometric},
                     noise);
       }},
      {"noise", "whole answers",
       [](ExactNoise& noise) {
         sparse_vector(
             real(), {.k = 1, .epsilon = "1"_eps, .threshold = 0, .noise = Distribution::geometric},
             noise);
       }},
      {"noise", "whole answers",
       [](ExactNoise& noise) {
         SparseVector(
             monotone,
             {.k = 1, .epsilon = "1"_eps, .threshold = 0, .noise = Distribution::geometric}, false,
             noise);
       }},
  });
}

TEST(BadInput, Shares) {
  for (const char* wrong : {"0", "1", "-1/2", "3/2"}) {
    const Rational theta = Rational::parse(wrong);
    expect_refused({
        {"theta", "above 0 and below 1",
         [&](ExactNoise& noise) {
           sparse_vector(dense(), {.k = 1, .epsilon = "1"_eps, .threshold = 0, .theta = theta},
                         noise);
         }},
        {"theta", "above 0 and below 1",
         [&](ExactNoise& noise) {
           top_k_above(dense(),
                       {.k = 1,
                        .epsilon = "1"_eps,
                        .threshold = 0,
                        .prefer = Prefer::estimates,
                        .theta = theta},
                       noise);
         }},
    });
  }
  expect_refused({{"theta", "estimates-first", [](ExactNoise& noise) {
                     top_k_above(dense(),
                                 {.k = 1,
                                  .epsilon = "1"_eps,
                                  .threshold = 0,
                                  .prefer = Prefer::identity,
                                  .theta = "1/2"_rational},
                                 noise);
                   }}});
}

TEST(BadInput, BranchesCutsAndStops) {
  const auto with = [](std::size_t branches, const char* sigma, std::uint64_t stop_after) {
    return [=](ExactNoise& noise) {
      sparse_vector(dense(),
                    {.k = 1,
                     .epsilon = "1"_eps,
                     .threshold = 0,
                     .branches = branches,
                     .sigma = Rational::parse(sigma),
                     .stop_after = stop_after},
                    noise);
    };
  };
  expect_refused({
      {"branches", "from 1 (plain) to 16", with(0, "2", 1)},
      {"branches", "from 1 (plain) to 16", with(17, "2", 1)},
      {"sigma", "from 0 to 1000", with(2, "-1/10", 1)},
      {"sigma", "from 0 to 1000", with(2, "1001", 1)},
      {"stop_after", "at least 1", with(2, "2", 0)},
  });
}

TEST(BadInput, ItemsThatAreNoCandidates) {
  static const Whole values = {1, 2};
  static const Whole multiplicities = {0, 3};
  const auto groups = [] { return Candidates::grouped(view(values), multiplicities, monotone); };
  const auto universe = [] {
    return Candidates::universe({10, 19}, {}, {}, Neighbours::add_remove);
  };
  const auto measuring = [](const std::function<Candidates()>& candidates, Item item) {
    return [=](ExactNoise& noise) {
      const std::vector<Item> items = {item};
      measure(candidates(), items, {.epsilon = "1"_eps}, noise);
    };
  };
  const std::string of = "one of the ";
  expect_refused({
      {"items", of + "7 candidates", measuring(dense, {7, 0})},
      {"items", of + "7 candidates", measuring(dense, {-1, 0})},
      {"items", of + "7 candidates", measuring(dense, {0, 1})},
      {"items", of + "3 candidates", measuring(groups, {0, 0})},
      {"items", of + "3 candidates", measuring(groups, {1, 3})},
      {"items", of + "3 candidates", measuring(groups, {2, 0})},
      {"items", of + "10 candidates", measuring(universe, {9, 0})},
      {"items", of + "10 candidates", measuring(universe, {20, 0})},
      {"sampler", "one of the candidates",
       [](ExactNoise& noise) {
         exponential_around(
             dense(), {.epsilon = "1"_eps},
             [] {
               return Item{7, 0};
             },
             noise);
       }},
  });
}

}  // namespace
}  // namespace freegap::testing
