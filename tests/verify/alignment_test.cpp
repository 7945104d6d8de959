// The alignments of all mechanisms hold on many tapes, and the checker that says so notices each
// thing that can be wrong with an alignment.
#include "freegap/verify/alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "freegap/grid.hpp"
#include "support/scale.hpp"
#include "verify/neighbour_pairs.hpp"
#include "verify/suite.hpp"

namespace freegap::testing {
namespace {

using verify::AlignmentReport;
using verify::Draw;
using verify::DrawKind;
using verify::NeighbourPair;
using verify::Observed;
using verify::Subject;
using verify::Tape;
using verify::TapeSource;

const std::vector<verify::Row>& rows() {
  static const std::vector<verify::Row> result =
      verify::check_alignments({.replays = scaled(20000, 2000), .threads = 2});
  return result;
}

TEST(Alignments, HoldOnEveryTape) {
  for (const verify::Row& row : rows()) {
    EXPECT_EQ(row.problem, "") << row.mechanism << ", " << row.variant;
    EXPECT_EQ(row.replays, scaled(20000, 2000));
    ASSERT_TRUE(row.alignment);
    EXPECT_LE(*row.alignment, 1) << row.mechanism << ", " << row.variant;
  }
}

TEST(Alignments, CostWhatTheReleaseStatesAndNotLess) {
  for (const verify::Row& row : rows()) {
    const double least = row.mechanism == "exponential" ? 0.9999 : 1;
    EXPECT_GE(*row.alignment, least) << row.mechanism << ", " << row.variant;
  }
}

TEST(Alignments, AreThereForEveryVariant) {
  std::map<std::string, int> count;
  std::set<std::string> names;
  for (const verify::Row& row : rows()) {
    ++count[row.mechanism];
    names.insert(row.mechanism + row.variant);
  }
  // Variants times two kinds of queries times three distributions; measurements have one
  // distribution.
  const std::map<std::string, int> expected{{"measurement", 2 * 2},
                                            {"sparse vector", 5 * 6},
                                            {"top-k", 4 * 6},
                                            {"hybrid", 2 * 6},
                                            {"exponential", 2}};
  EXPECT_EQ(count, expected);
  EXPECT_EQ(names.size(), rows().size());
}

TEST(Alignments, DoNotDependOnTheNumberOfThreads) {
  const auto one = verify::check_alignments({.replays = 300, .threads = 1, .seed = 5});
  const auto three = verify::check_alignments({.replays = 300, .threads = 3, .seed = 5});
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].variant, three[i].variant);
    EXPECT_EQ(one[i].alignment, three[i].alignment) << one[i].variant;
  }
}

TEST(NeighbourPairs, AreNeighboursOfEveryKind) {
  TapeSource random(1);
  std::set<std::int64_t> sizes;
  bool clamped = false;
  bool far = false;
  bool equal = false;
  for (int i = 0; i < 20000; ++i) {
    const bool monotone = i % 2 == 0;
    const NeighbourPair pair = verify::random_pair({4, 3, monotone, 100}, random);
    bool up = false;
    bool down = false;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::int64_t move = pair.second[j] - pair.first[j];
      ASSERT_LE(std::abs(move), 3);
      sizes.insert(move);
      up = up || move > 0;
      down = down || move < 0;
      clamped = clamped || std::abs(pair.first[j]) == Grid::limit_ticks;
      far = far || std::abs(pair.first[j] - 100) == 25 * 3;
    }
    ASSERT_FALSE(monotone && up && down);
    equal = equal || (!up && !down);
  }
  EXPECT_EQ(sizes, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_TRUE(clamped && far && equal);
}

// A mechanism that is easy to align: one-sided noise on one answer, of which it shows whether the
// noisy value reaches 10, and by how much. It also draws a key, which means nothing.
struct Shown {
  bool above;
  std::int64_t by;
};

const Rate rate{Rational(1, 2)};
const NeighbourPair rising{{5}, {4}};

Subject<Shown> honest() {
  return verify::make_subject(
      [](const verify::Answers& answers, auto& noise) {
        noise.key();
        const std::int64_t value = answers[0] + noise.geometric(rate);
        return Shown{value >= 10, value >= 10 ? value - 10 : 0};
      },
      [](const Shown& shown) {
        return Observed{{shown.above ? 1 : 0, shown.by}, Rational(1, 2)};
      },
      [](const NeighbourPair& pair, const Shown& shown, Tape tape) {
        tape[1].value += shown.above ? pair.first[0] - pair.second[0] : 0;
        return tape;
      },
      [](const NeighbourPair& pair, const Shown& shown, Tape tape) {
        tape[1].value -= shown.above ? pair.first[0] - pair.second[0] : 0;
        return tape;
      });
}

AlignmentReport check(const Subject<Shown>& subject, const NeighbourPair& pair = rising) {
  TapeSource random(3);
  AlignmentReport report;
  for (int i = 0; i < 500; ++i) {
    verify::check_tape(subject, pair, random, report);
  }
  return report;
}

/// Expects that the check fails with this problem, at a tape on which D gives the stated output.
void expect_problem(const Subject<Shown>& subject, const std::string& problem,
                    const NeighbourPair& pair = rising) {
  const AlignmentReport report = check(subject, pair);
  ASSERT_TRUE(report.counterexample) << problem;
  const verify::Counterexample& found = *report.counterexample;
  EXPECT_NE(found.problem.find(problem), std::string::npos) << found.problem;
  EXPECT_NE(found.str().find("H "), std::string::npos);
  verify::ReplayedNoise noise(found.tape);
  const Shown again = subject.replay(found.first, noise);
  EXPECT_EQ(subject.observe(again).shown, found.output);
  // Only its own tape fails it anew, not chance.
  const Tape aligned = subject.align({found.first, found.second}, again, found.tape);
  EXPECT_TRUE(verify::same_tape(aligned, found.aligned));
}

TEST(AlignmentChecker, PassesWhatHolds) {
  const AlignmentReport report = check(honest());
  EXPECT_FALSE(report.counterexample);
  EXPECT_EQ(report.replays, 500U);
  EXPECT_EQ(report.worst_cost, Rational(1, 2));
  EXPECT_EQ(report.worst_share, Rational(1));
}

TEST(AlignmentChecker, NoticesAnOutputThatDiffers) {
  Subject<Shown> subject = honest();
  subject.align = [](const NeighbourPair&, const Shown&, Tape tape) { return tape; };
  expect_problem(subject, "output differs");
}

TEST(AlignmentChecker, NoticesACostThatDiffers) {
  // Both runs show the same, but the cost they state depends on the answer.
  Subject<Shown> subject = honest();
  subject.observe = [calls = 0](const Shown& shown) mutable {
    return Observed{{shown.above ? 1 : 0, shown.by}, Rational(1 + calls++)};
  };
  EXPECT_NE(check(subject).counterexample->problem.find("output differs"), std::string::npos);
}

TEST(AlignmentChecker, NoticesWhatCostsTooMuch) {
  Subject<Shown> subject = honest();
  subject.observe = [](const Shown& shown) {
    return Observed{{shown.above ? 1 : 0, shown.by}, Rational(1, 3)};
  };
  expect_problem(subject, "the alignment costs 1/2, the release states 1/3");
}

TEST(AlignmentChecker, NoticesNegativeNoise) {
  // Downwards, the noise must fall, and at 0 it cannot.
  expect_problem(honest(), "one-sided noise negative", {{10}, {11}});
}

TEST(AlignmentChecker, NoticesAMapThatIsNotInjective) {
  Subject<Shown> subject = honest();
  // Failing tapes all become the one with no noise, and no inverse can separate them.
  subject.align = [align = subject.align](const NeighbourPair& pair, const Shown& shown,
                                          Tape tape) {
    tape = align(pair, shown, tape);
    tape[1].value = shown.above ? tape[1].value : std::min<std::int64_t>(tape[1].value, 1);
    return tape;
  };
  subject.observe = [](const Shown& shown) {
    return Observed{{shown.above ? 1 : 0, shown.by}, Rational(10)};
  };
  expect_problem(subject, "cannot be recovered");
}

TEST(AlignmentChecker, NoticesAnotherNumberOfDraws) {
  Subject<Shown> subject = honest();
  subject.align = [](const NeighbourPair&, const Shown&, Tape tape) {
    tape.push_back(tape.back());
    return tape;
  };
  expect_problem(subject, "kind or number of draws");
}

TEST(AlignmentChecker, NoticesAKeyThatMoves) {
  Subject<Shown> subject = honest();
  subject.align = [](const NeighbourPair&, const Shown&, Tape tape) {
    tape[0].value += 1;
    return tape;
  };
  expect_problem(subject, "moves a draw that is no noise");
}

TEST(AlignmentChecker, NoticesANeighbourThatDrawsMoreLessOrOtherwise) {
  const auto drawing = [](auto draws) {
    Subject<Shown> subject = honest();
    subject.replay = [draws](const verify::Answers&, verify::ReplayedNoise& noise) {
      draws(noise);
      return Shown{};
    };
    return *check(subject).counterexample;
  };
  const auto more = drawing([](auto& noise) {
    noise.key();
    noise.geometric(rate);
    noise.key();
  });
  EXPECT_NE(more.problem.find("more draws than the tape holds"), std::string::npos);
  const auto less = drawing([](auto& noise) { noise.key(); });
  EXPECT_EQ(less.problem, "the neighbour draws less noise");
  const auto other_rate = drawing([](auto& noise) {
    noise.key();
    noise.geometric(Rate(Rational(1, 3)));
  });
  EXPECT_NE(other_rate.problem.find("draw number 2 is of another kind"), std::string::npos);
}

TEST(AlignmentCost, IsExactForAnyShifts) {
  const auto half = std::make_shared<const Rational>(1, 2);
  const auto third = std::make_shared<const Rational>(1, 3);
  const Tape from{{DrawKind::laplace, half, INT64_MIN},
                  {DrawKind::geometric, third, 4},
                  {DrawKind::laplace, half, INT64_MAX}};
  Tape to = from;
  EXPECT_EQ(verify::alignment_cost(from, to), Rational(0));
  to[1].value = 9;
  to[2].value -= 3;
  EXPECT_EQ(verify::alignment_cost(from, to), Rational(5, 3) + Rational(3, 2));
  to[0].value = INT64_MAX;
  to[2].value = INT64_MIN;
  const Rational span = Rational::power_of_two(64) - Rational(1);
  EXPECT_EQ(verify::alignment_cost(from, to), span + Rational(5, 3));
}

}  // namespace
}  // namespace freegap::testing
