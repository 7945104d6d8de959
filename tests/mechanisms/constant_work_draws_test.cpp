// With constant work, the number of random words and of decisions does not depend on the data: on
// the same bits, neighbouring inputs take exactly as many. Without it, they differ on some bits;
// so the comparison is not blind.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "freegap/freegap.hpp"
#include "support/counting_bits.hpp"

namespace freegap::testing {
namespace {

using Counts = std::vector<std::int64_t>;
/// Words, requests for words, decisions, second looks.
using Work = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
/// A release; returns what of its length is public and may change the work.
using Run = std::function<std::uint64_t(bool constant_work, ExactNoise& noise)>;

/// Work and public length of one run.
std::pair<Work, std::uint64_t> work_of(const Run& run, bool constant_work, std::uint64_t seed) {
  CountingBits bits(seed);
  ExactNoise noise(bits);
  const std::uint64_t length = run(constant_work, noise);
  return {{bits.words(), bits.requests(), noise.decisions(), noise.second_looks()}, length};
}

constexpr std::uint64_t seeds = 400;

/// On how many seeds two runs with the same public length do different work.
std::uint64_t differences(const Run& one, const Run& other, bool constant_work) {
  std::uint64_t different = 0;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto [work_one, length_one] = work_of(one, constant_work, seed);
    const auto [work_other, length_other] = work_of(other, constant_work, seed);
    if (length_one == length_other) {
      ++compared;
      different += work_one != work_other ? 1U : 0U;
    }
  }
  EXPECT_GE(compared, seeds / 4) << "too few runs of equal length";
  return different;
}

/// Constant work is constant; the default is not, unless it says so.
void expect_constant(const std::string& name, const Run& one, const Run& other,
                     bool default_varies = true) {
  EXPECT_EQ(differences(one, other, true), 0U) << name;
  if (default_varies) {
    EXPECT_GT(differences(one, other, false), 0U) << name << ": the comparison is blind";
  }
}

/// 600 counts, falling, with a crowd at the end; and a neighbour: one unit more in many of them.
Counts some_counts() {
  Counts counts;
  for (std::int64_t i = 0; i < 600; ++i) {
    counts.push_back(i < 60 ? 300 - 5 * i : 3);
  }
  return counts;
}
Counts neighbour_of(Counts counts) {
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    ++counts[i];
  }
  return counts;
}

/// The same counts in every shape. A neighbour has other ids listed and another number of groups.
struct Shapes {
  explicit Shapes(const Counts& counts) : list(counts), groups(list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] > 3) {
        ids.push_back(static_cast<std::int64_t>(i));
        listed.push_back(list[i]);
      }
    }
  }
  [[nodiscard]] Candidates candidates(const std::string& shape) const {
    if (shape == "list") {
      return Candidates::counting(list, Neighbours::add_remove);
    }
    return shape == "groups" ? groups.candidates(Neighbours::add_remove)
                             : Candidates::universe({0, static_cast<std::int64_t>(list.size()) - 1},
                                                    ids, listed, Neighbours::add_remove);
  }
  Counts list;
  Groups groups;
  Counts ids;
  Counts listed;
};

const std::vector<std::string> all_shapes{"list", "groups", "universe"};

/// Compares one release on both neighbours, in each of the shapes.
template <class Release>
void expect_constant_over(const std::string& name, const std::vector<std::string>& shapes,
                          const Release& release, bool default_varies = true) {
  const Shapes one(some_counts());
  const Shapes other(neighbour_of(some_counts()));
  for (const std::string& shape : shapes) {
    const Candidates first = one.candidates(shape);
    const Candidates second = other.candidates(shape);
    const auto run = [&](const Candidates& candidates) {
      return [&](bool constant, ExactNoise& noise) { return release(candidates, constant, noise); };
    };
    expect_constant(name + ", " + shape, run(first), run(second), default_varies);
  }
}

TEST(ConstantWorkDraws, TopK) {
  for (const Distribution distribution :
       {Distribution::exponential, Distribution::laplace, Distribution::geometric}) {
    expect_constant_over(
        "top_k", all_shapes, [&](const Candidates& candidates, bool constant, ExactNoise& noise) {
          const TopKRelease release =
              top_k(candidates,
                    {.k = 12, .epsilon = "4"_eps, .noise = distribution, .constant_work = constant},
                    noise);
          return release.winners.size();
        });
  }
}

// How many winners there are is public.
TEST(ConstantWorkDraws, Hybrids) {
  for (const Prefer prefer : {Prefer::identity, Prefer::estimates}) {
    expect_constant_over("hybrid", all_shapes,
                         [&](const Candidates& candidates, bool constant, ExactNoise& noise) {
                           return top_k_above(candidates,
                                              {.k = 8,
                                               .epsilon = "2"_eps,
                                               .threshold = 100,
                                               .prefer = prefer,
                                               .constant_work = constant},
                                              noise)
                               .winners.size();
                         });
  }
}

// Where all answers are listed, how many queries were asked is public.
TEST(ConstantWorkDraws, SparseVectorOverAList) {
  for (const std::size_t branches : {1U, 3U}) {
    for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
      const auto options = [&](bool constant) {
        return SparseVectorOptions{.k = 5,
                                   .epsilon = "2"_eps,
                                   .threshold = 315,
                                   .branches = branches,
                                   .asking = asking,
                                   .constant_work = constant};
      };
      expect_constant_over(
          "sparse_vector", {"list"},
          [&](const Candidates& candidates, bool constant, ExactNoise& noise) {
            return sparse_vector(candidates, options(constant), noise).asked.value();
          });
    }
  }
}

// In random order, with the answers above alone, nothing tells how many queries were asked: the
// work must not either, even where the budget ends early.
TEST(ConstantWorkDraws, SparseVectorThatListsAnswersAboveAlone) {
  for (const std::int64_t threshold : {315, 100}) {
    expect_constant_over(
        "sparse_vector_above", {"list", "universe"},
        [&](const Candidates& candidates, bool constant, ExactNoise& noise) {
          const SparseVectorRelease release = sparse_vector_above(
              candidates,
              {.k = 2, .epsilon = "2"_eps, .threshold = threshold, .constant_work = constant},
              noise);
          EXPECT_FALSE(release.asked.has_value());
          return 0;
        });
  }
  // The work is that of all queries: a longer list with the same end takes more of it.
  const Counts crowd(600, 1000);
  const Counts desert(600, -1000);
  const auto run = [](const Counts& counts) {
    return [&](bool constant, ExactNoise& noise) {
      sparse_vector_above(Candidates::general(counts, Neighbours::add_remove, 1),
                          {.k = 1, .epsilon = "1"_eps, .threshold = 0, .constant_work = constant},
                          noise);
      return 0;
    };
  };
  expect_constant("budget used up at once, or never", run(crowd), run(desert));
}

// Queries near a cutoff and far from all, one by one.
TEST(ConstantWorkDraws, SparseVectorOnline) {
  for (const Distribution distribution : {Distribution::exponential, Distribution::laplace}) {
    for (const std::size_t branches : {1U, 2U}) {
      const auto ask = [&](std::int64_t answer) {
        return [=](bool constant, ExactNoise& noise) {
          SparseVector<ExactNoise> vector({Kind::counts, Neighbours::add_remove, 1},
                                          {.k = 3,
                                           .epsilon = "1/2"_eps,
                                           .threshold = 2000,
                                           .noise = distribution,
                                           .branches = branches,
                                           .constant_work = constant},
                                          noise);
          std::uint64_t above = 0;
          for (int i = 0; i < 200 && vector.open(); ++i) {
            above += vector.ask(i % 2 == 0 ? answer : 1940).above ? 1U : 0U;
          }
          return 1000 * above + vector.asked();
        };
      };
      expect_constant("near against far", ask(1945), ask(0));
      expect_constant("one unit less", ask(1945), ask(1944));
    }
  }
}

TEST(ConstantWorkDraws, Choose) {
  expect_constant_over(
      "choose", all_shapes,
      [](const Candidates& candidates, bool constant, ExactNoise& noise) {
        exponential(candidates, {.epsilon = "1"_eps, .constant_work = constant}, noise);
        return 0;
      },
      false);  // one word each for choice, member and gap: what varies is their arithmetic
}

TEST(ConstantWorkDraws, Measure) {
  const std::vector<Item> items{{0, 0}, {2, 0}, {1, 0}};
  expect_constant_over(
      "measure", all_shapes,
      [&](const Candidates& candidates, bool constant, ExactNoise& noise) {
        measure(candidates, items, {.epsilon = "1"_eps, .constant_work = constant}, noise);
        return 0;
      },
      false);
}

// Both answer the same where their noise is the same: the option changes no release of a
// measurement, and chooses by the same bits.
TEST(ConstantWorkDraws, MeasuresTheSame) {
  const Shapes shapes(some_counts());
  const std::vector<Item> items{{599, 0}, {0, 0}, {30, 0}};
  const Candidates universe = shapes.candidates("universe");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    InsecureSeededNoise one(seed);
    InsecureSeededNoise other(seed);
    EXPECT_EQ(
        measure(universe, items, {.epsilon = "1"_eps}, one).value_ticks,
        measure(universe, items, {.epsilon = "1"_eps, .constant_work = true}, other).value_ticks);
  }
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidParameter& refused) {
    return refused.what();
  }
  return "accepted";
}

// Public sizes decide, before noise is drawn: 2^28 for a walk, 2^24 for a choice.
TEST(ConstantWorkDraws, RefusesUniversesThatAreTooLarge) {
  InsecureSeededNoise noise(1);
  const auto universe = [](unsigned bits, std::int64_t more) {
    return Candidates::universe({0, (std::int64_t{1} << bits) - 1 + more}, {}, {},
                                Neighbours::add_remove);
  };
  const std::string limit = "at most 268435456 candidates";
  EXPECT_NE(refusal([&] {
              top_k(universe(28, 1), {.k = 1, .epsilon = "1"_eps, .constant_work = true}, noise);
            }).find(limit),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              top_k_above(universe(62, 0),
                          {.k = 1, .epsilon = "1"_eps, .threshold = 1, .constant_work = true},
                          noise);
            }).find(limit),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              measure(universe(28, 1), std::vector<Item>{{0, 0}},
                      {.epsilon = "1"_eps, .constant_work = true}, noise);
            }).find(limit),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              exponential(universe(24, 1), {.epsilon = "1"_eps, .constant_work = true}, noise);
            }).find("at most 16777216 candidates"),
            std::string::npos);
  EXPECT_EQ(refusal([&] {
              plan_top_k(universe(28, 0), {.k = 1, .epsilon = "1"_eps, .constant_work = true});
            }),
            "accepted");
  EXPECT_NE(refusal([&] {
              exponential_around(
                  universe(3, 0), {.epsilon = "1"_eps, .constant_work = true},
                  [] {
                    return Item{0, 0};
                  },
                  noise);
            }).find("up to the caller"),
            std::string::npos);
  EXPECT_EQ(noise.decisions(), 0U);
}

}  // namespace
}  // namespace freegap::testing
