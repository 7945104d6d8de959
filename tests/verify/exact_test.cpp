// The enumeration's rows: what they demand, and that the library meets it.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "verify/loss_rows.hpp"

namespace freegap::verify {
namespace {

/// A check that found this loss in an outcome of this price.
LossCheck found(double loss, std::int64_t spent, double at_least) {
  return {"mechanism", "variant", at_least, [=] {
            Worst worst;
            worst.outcomes = 1;
            worst.loss = loss;
            worst.excess = loss - static_cast<double>(spent);
            worst.note(spent, loss);
            return worst;
          }};
}

TEST(ExactRow, HoldsWhereTheLossIsTheStatedCost) {
  const Row row = row_of(found(2, 2, 0.97));
  EXPECT_EQ(row.problem, "");
  EXPECT_EQ(row.exact, 1);
}

TEST(ExactRow, HoldsWithinTheResolution) {
  EXPECT_EQ(row_of(found(2 + slack / 2, 2, 1)).problem, "");
}

TEST(ExactRow, FailsWhereMoreIsLost) {
  EXPECT_NE(row_of(found(2.001, 2, 0)).problem, "");
  EXPECT_NE(row_of(found(0.001, 0, 0)).problem, "");
}

TEST(ExactRow, FailsWhereTheWorstCaseWasNotFound) {
  EXPECT_NE(row_of(found(1.9, 2, 0.97)).problem, "");
}

TEST(ExactRow, FailsWhereNothingWasCompared) {
  EXPECT_NE(row_of({"mechanism", "variant", 0, [] { return Worst{}; }}).problem, "");
}

TEST(ExactRow, SharesAreByPrice) {
  Worst worst;
  worst.note(1, 1);
  worst.note(4, 3);
  EXPECT_EQ(share_of(worst), 1);
  EXPECT_EQ(share_of_largest_cost(worst), 0.75);
  EXPECT_EQ(share_of(Worst{}), 0);
  EXPECT_EQ(share_of_largest_cost(Worst{}), 0);
}

TEST(Exact, EveryRowHolds) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Row& row : check_enumerations({.threads = 2})) {
    EXPECT_EQ(row.problem, "") << row.mechanism << ": " << row.variant;
    seen.emplace(row.mechanism, row.variant);
  }
  for (const std::string kind : {"general", "monotone"}) {
    for (const std::string distribution : {"geometric", "Laplace"}) {
      const std::string both = ", " + kind + ", " + distribution;
      for (const std::string name : {"noisy max", "k winners", "all win", "classic"}) {
        EXPECT_TRUE(seen.contains({"top-k", name + both})) << name << both;
      }
      for (const std::string name : {"with gap", "classic", "2 branches"}) {
        EXPECT_TRUE(seen.contains({"sparse vector", name + both})) << name << both;
      }
      for (const std::string name : {"identity first", "estimates first"}) {
        EXPECT_TRUE(seen.contains({"hybrid", name + both})) << name << both;
      }
    }
    EXPECT_TRUE(seen.contains({"sparse vector", "3 branches, " + kind + ", geometric"}));
    EXPECT_TRUE(seen.contains({"measurement", "whole numbers, " + kind + ", Laplace"}));
    EXPECT_TRUE(seen.contains({"exponential", kind}));
  }
  for (const std::string shape :
       {"dense list, skipping", "groups of equal values", "universe with implicit zeros",
        "partial top m, merged", "dense list, constant work", "dense list, bulk draws",
        "dense list, constant work, bulk draws"}) {
    EXPECT_TRUE(seen.contains({"noisy top m", shape})) << shape;
  }
  for (const std::string way :
       {"one by one, skipping", "one by one, usual sizes", "one by one, bulk draws",
        "list, skipping", "list, skipping, shuffled", "list, bulk draws", "sparse_vector_above",
        "sparse_vector_above, shuffled", "sparse_vector", "sparse_vector, shuffled",
        "list, above only, shuffled, general, geometric",
        "list, above only, shuffled, monotone, Laplace"}) {
    EXPECT_TRUE(seen.contains({"sparse vector", way})) << way;
  }
  for (const std::string shape : {"list", "groups", "universe"}) {
    EXPECT_TRUE(seen.contains({"top-k", "noisy max, " + shape + ", monotone, geometric"})) << shape;
    EXPECT_TRUE(seen.contains({"hybrid", "identity first, " + shape + ", monotone, geometric"}))
        << shape;
  }
  for (const std::string hybrid : {"identity first, ", "estimates first, "}) {
    for (const std::string noise :
         {"exponential", "geometric", "Laplace", "list, geometric", "groups, geometric"}) {
      EXPECT_TRUE(seen.contains({"unknown items", hybrid + noise})) << hybrid << noise;
    }
  }
  for (const std::string sides : {"one-sided", "two-sided"}) {
    EXPECT_TRUE(seen.contains({"noise", "bulk draws, " + sides})) << sides;
  }
}

}  // namespace
}  // namespace freegap::verify
