// Every mechanism that is known to be wrong is caught, by name and by the right tool.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/scale.hpp"
#include "verify/mechanisms/exponential_bad_variant.hpp"
#include "verify/mechanisms/top_k_bad_variants.hpp"
#include "verify/mechanisms/top_k_printed_alignment.hpp"
#include "verify/suite.hpp"

namespace freegap::testing {
namespace {

using verify::BadRow;
using verify::Moves;

const std::vector<BadRow>& rows() {
  static const std::vector<BadRow> result =
      verify::check_bad_variants({.replays = scaled(20000, 20000)});
  return result;
}

const BadRow* named(const std::string& part) {
  for (const BadRow& row : rows()) {
    if (row.name.find(part) != std::string::npos) {
      return &row;
    }
  }
  return nullptr;
}

TEST(BadVariants, AreAllCaughtByBothTools) {
  for (const char* name : {"algorithm 3",
                           "algorithm 4",
                           "algorithm 5",
                           "algorithm 6",
                           "sparse vector: noise for monotone queries",
                           "one answer more than paid for",
                           "last branch at the price of the first",
                           "nothing charged where nothing passed",
                           "charged by the noise that was drawn",
                           "gaps of failing queries",
                           "one draw for two branches",
                           "top-k: noise for monotone queries",
                           "does not grow with k",
                           "raw gaps, k = 1, general",
                           "raw gaps, k = 1, monotone",
                           "raw gaps, k = 2, general",
                           "raw gaps, k = 2, monotone",
                           "runner-up is named",
                           "noisy value in place",
                           "fresh noise",
                           "noise subtracted",
                           "one item too few",
                           "shares a candidate's noise"}) {
    const BadRow* row = named(name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_TRUE(row->by_alignment) << row->name;
    EXPECT_TRUE(row->by_enumeration) << row->name;
    EXPECT_FALSE(row->evidence.empty());
  }
}

TEST(BadVariants, AWrongProofOfARightMechanismIsCaughtByTheAlignmentAlone) {
  const BadRow* row = named("the paper's alignment");
  ASSERT_NE(row, nullptr);
  EXPECT_TRUE(row->by_alignment);
  EXPECT_FALSE(row->by_enumeration) << row->evidence;
  EXPECT_NE(row->evidence.find("not injective"), std::string::npos) << row->evidence;
}

TEST(BadVariants, AMechanismWithoutNoiseToAlignIsCaughtInClosedForm) {
  const BadRow* row = named("black box");
  ASSERT_NE(row, nullptr);
  EXPECT_FALSE(row->by_alignment);
  EXPECT_TRUE(row->by_enumeration);
  EXPECT_GT(verify::bad::BlackBoxExponential().worst_loss(), 1.0);  // at ε = 0.1
}

// Mistakes in how a mechanism skips, shuffles or draws in bulk have no alignment to be wrong: the
// enumeration of what production runs tells them.
TEST(BadVariants, MistakesInWhatProductionRunsAreCaughtByTheEnumeration) {
  for (const char* name :
       {"sparse vector: a skip forgets one query", "sparse vector: a scan forgets one query",
        "sparse vector: skips with a cutoff one too high",
        "sparse vector: a scan with a cutoff one too high",
        "sparse vector: noise drawn in bulk is used twice",
        "sparse vector: a list in file order, called shuffled",
        "sparse vector: tells how many were asked", "noisy top m: a skip forgets one candidate",
        "noisy top m: a cutoff one too high", "noisy top m: nothing beyond the cutoff",
        "noisy top m: the lower side", "noisy top m: noise drawn in bulk is used twice",
        "bulk noise: looks at the first 31 bits alone", "bulk noise: the rate has 20 bits",
        "unknown items: the threshold's own gap", "unknown items: the threshold forgets how many",
        "unknown items: the threshold is one tick too low",
        "unknown items: a unit is cut by what others",
        "unknown items: a refund counts the items"}) {
    const BadRow* row = named(name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_TRUE(row->by_enumeration) << row->name;
    EXPECT_FALSE(row->evidence.empty()) << row->name;
  }
}

TEST(BadVariants, NoneIsLeftOut) {
  EXPECT_EQ(rows().size(), 45U);
  for (const BadRow& row : rows()) {
    EXPECT_TRUE(row.caught()) << row.name;
  }
}

TEST(BadVariants, RawGapsLoseExactlyOneKthMore) {
  // ((k+1)/k) ε, that is c (k+1) units where c k are claimed.
  const std::map<std::string, std::string> excess{{"raw gaps, k = 1, general", "by 2 units"},
                                                  {"raw gaps, k = 1, monotone", "by 1 units"},
                                                  {"raw gaps, k = 2, general", "by 2 units"},
                                                  {"raw gaps, k = 2, monotone", "by 1 units"}};
  for (const auto& [name, text] : excess) {
    EXPECT_NE(named(name)->evidence.find(text), std::string::npos) << named(name)->evidence;
  }
}

TEST(BadVariants, ThePrintedAlignmentMapsTapesToOne) {
  // Whatever inverse one might try: two tapes have one image.
  const verify::NeighbourPair pair{{0, 0, 0}, {1, -1, 1}};
  EXPECT_GT(verify::bad::collisions(verify::bad::PrintedAlignment(), pair, 8), 0U);
  const verify::bad::WrongScale right{{3, 1, Moves::either_way, 1, 18}, "nothing is wrong"};
  EXPECT_EQ(verify::bad::collisions(right, pair, 8), 0U);
}

}  // namespace
}  // namespace freegap::testing
