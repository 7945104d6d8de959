// What the ledger guarantees to its callers: exact sums, refusals with a reason, entries that are
// reserved and settled once, and a balance that other processes see.
#include "ledger/ledger.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "ledger/fixture.hpp"
#include "ledger/place.hpp"

namespace freegap::testing {
namespace {

using ledger::Ledger;
using ledger::Refused;

class LedgerTest : public ::testing::Test {
 protected:
  void create(const Rational& total = 1) const { Ledger::create(path_, clicks(total)); }

  Place place_;
  std::string path_ = place_.ledger("budget.db");
};

TEST_F(LedgerTest, StartsWithEverythingLeft) {
  create("0.7"_rational);
  const Ledger ledger(path_);
  ASSERT_EQ(ledger.datasets().size(), 1U);
  const ledger::Dataset dataset = ledger.dataset("clicks");
  EXPECT_EQ(dataset.total, Rational(7, 10));
  EXPECT_EQ(dataset.unit, "user");
  EXPECT_EQ(dataset.neighbours, Neighbours::add_remove);
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(7, 10));
  EXPECT_EQ(ledger.balance("clicks").spent, Rational(0));
  EXPECT_TRUE(ledger.history().empty());
}

TEST_F(LedgerTest, TenTenthsAreOneAndNoMore) {
  create();
  Ledger ledger(path_);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(ledger.reserve(request("0.1"_rational)), i);
    ledger.settle(i, "0.1"_rational, "{}");
  }
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(0));
  EXPECT_EQ(refusal<Refused>([&] { ledger.reserve(request("0.0001"_rational)); }),
            "data set \"clicks\": asked for 1/10000, left 0 of 1; nothing was spent");
  EXPECT_EQ(ledger.history().size(), 10U);
}

TEST_F(LedgerTest, RefusalSaysAskedLeftAndTotal) {
  create(3);
  Ledger ledger(path_);
  ledger.settle(ledger.reserve(request("2.7"_rational)), "2.7"_rational, "{}");
  EXPECT_EQ(refusal<Refused>([&] { ledger.reserve(request("0.7"_rational)); }),
            "data set \"clicks\": asked for 7/10, left 3/10 of 3; nothing was spent");
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(3, 10));
  ledger.reserve(request("0.3"_rational));
}

TEST_F(LedgerTest, DeltaIsReservedSpentInFullAndNeverMoreThanTheTotal) {
  Ledger::create(path_, clicks_with_delta("1e-6"_rational));
  Ledger ledger(path_);
  EXPECT_EQ(ledger.dataset("clicks").delta, "1e-6"_rational);
  const std::int64_t number = ledger.reserve(request("0.5"_rational, "4e-7"_rational));
  EXPECT_EQ(ledger.entry(number).delta, "4e-7"_rational);
  EXPECT_EQ(Ledger(path_).balance("clicks").delta.reserved, "4e-7"_rational);
  EXPECT_EQ(Ledger(path_).balance("clicks").delta.remaining, "6e-7"_rational);
  EXPECT_EQ(refusal<InvalidParameter>([&] { ledger.settle(number, "0.2"_rational, "{}"); }),
            "spent: a release with a delta gives nothing back: it must be 1/2; it is 1/5");
  EXPECT_FALSE(ledger.entry(number).spent);
  ledger.settle(number, "0.5"_rational, "{}");
  ledger::Balance balance = Ledger(path_).balance("clicks");
  EXPECT_EQ(balance.spent, "0.5"_rational);
  EXPECT_EQ(balance.delta.spent, "4e-7"_rational);
  EXPECT_EQ(balance.delta.reserved, Rational(0));
  EXPECT_EQ(balance.delta.remaining, "6e-7"_rational);
  ledger.settle(ledger.reserve(request("0.4"_rational)), "0.1"_rational, "{}");  // of pure ε
  ledger.reserve(request("0.1"_rational, "6e-7"_rational));
  balance = ledger.balance("clicks");
  EXPECT_EQ(balance.remaining, "0.3"_rational);
  EXPECT_EQ(balance.delta.remaining, Rational(0));
  EXPECT_EQ(ledger.check().rows, 6);
  EXPECT_EQ(everything(ledger), everything(Ledger(path_)));
}

TEST_F(LedgerTest, RefusalSaysWhetherEpsilonOrDeltaIsMissing) {
  Ledger::create(path_, clicks_with_delta("1e-6"_rational));
  Ledger::create(path_, {.name = "pure", .total = 1, .unit = "user"});
  Ledger ledger(path_);
  ledger.reserve(request("0.5"_rational, "9e-7"_rational));
  const auto refused = [&](const ledger::Request& asked) {
    try {
      ledger.reserve(asked);
    } catch (const ledger::Exceeded& exceeded) {
      return exceeded;
    }
    throw std::logic_error("it was not refused");
  };
  const ledger::Exceeded delta = refused(request("0.5"_rational, "2e-7"_rational));
  EXPECT_EQ(delta.of(), PrivacyParameter::delta);
  EXPECT_EQ(delta.asked(), "2e-7"_rational);
  EXPECT_EQ(delta.left(), "1e-7"_rational);
  EXPECT_EQ(delta.total(), "1e-6"_rational);
  EXPECT_EQ(delta.what(),
            std::string("data set \"clicks\": asked for delta 1/5000000, left 1/10000000 of "
                        "1/1000000; nothing was spent"));
  const ledger::Exceeded both = refused(request("0.6"_rational, "2e-7"_rational));
  EXPECT_EQ(both.of(), PrivacyParameter::epsilon);
  EXPECT_EQ(both.left(), "0.5"_rational);
  ledger::Request asked = request("0.5"_rational, "1e-9"_rational);
  asked.dataset = "pure";
  const ledger::Exceeded none = refused(asked);
  EXPECT_EQ(none.of(), PrivacyParameter::delta);
  EXPECT_EQ(none.what(),
            std::string("data set \"pure\": asked for delta 1/1000000000, left 0 of 0; nothing was "
                        "spent. A data set gets a delta when it is made: freegap budget create "
                        "--delta"));
  EXPECT_EQ(ledger.history().size(), 1U);
  ledger.reserve(request("0.5"_rational, "1e-7"_rational));  // all that is left
}

TEST_F(LedgerTest, DeltasOutOfRangeAreRefused) {
  for (const char* text : {"-1e-9", "1", "2"}) {
    EXPECT_THROW(Ledger::create(path_, clicks_with_delta(Rational::parse(text))), InvalidParameter);
  }
  EXPECT_THROW(Ledger ledger(path_), Refused);  // none was made
  Ledger::create(path_, clicks_with_delta("0.999"_rational));
  Ledger ledger(path_);
  for (const char* text : {"-1e-9", "1", "2"}) {
    EXPECT_THROW(ledger.reserve(request("0.1"_rational, Rational::parse(text))), InvalidParameter);
  }
  EXPECT_EQ(ledger.check().rows, 1);
}

TEST_F(LedgerTest, CopyKeepsDelta) {
  Ledger::create(path_, clicks_with_delta("1e-6"_rational));
  Ledger ledger(path_);
  ledger.settle(ledger.reserve(request("0.5"_rational, "4e-7"_rational)), "0.5"_rational, "{}");
  ledger.reserve(request("0.1"_rational, "1e-7"_rational));
  const std::string before = everything(ledger);
  const std::string to = place_.folder().file("copy.db");
  ledger.copy(to, "ada", ledger::Copy::moved);
  Ledger copy(to);
  EXPECT_EQ(everything(copy), before);
  copy.settle(2, "0.1"_rational, "{}");
  EXPECT_EQ(copy.balance("clicks").delta.remaining, "5e-7"_rational);
}

TEST_F(LedgerTest, EntryLivesFromReservationToSettlement) {
  create();
  const std::int64_t before = std::time(nullptr);
  Ledger ledger(path_);
  const std::int64_t number = ledger.reserve(request("0.5"_rational));
  ledger::Entry entry = ledger.entry(number);
  EXPECT_EQ(entry.number, 1);
  EXPECT_EQ(entry.dataset, "clicks");
  EXPECT_GE(entry.time, before);
  EXPECT_LE(entry.time, std::time(nullptr));
  EXPECT_EQ(entry.who, "ada");
  EXPECT_EQ(entry.verb, "top");
  EXPECT_EQ(entry.parameters, R"({"k":10})");
  EXPECT_EQ(entry.reserved, Rational(1, 2));
  EXPECT_FALSE(entry.spent);
  EXPECT_FALSE(entry.release);
  EXPECT_EQ(ledger.balance("clicks").reserved, Rational(1, 2));
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(1, 2));

  ledger.settle(number, "0.2"_rational, "{\"release\":\n1}");
  entry = ledger.entry(number);
  EXPECT_EQ(entry.spent, Rational(1, 5));
  EXPECT_EQ(entry.release, "{\"release\":\n1}");
  EXPECT_EQ(ledger.balance("clicks").spent, Rational(1, 5));
  EXPECT_EQ(ledger.balance("clicks").reserved, Rational(0));
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(4, 5));
  EXPECT_EQ(everything(ledger), everything(Ledger(path_)));
}

TEST_F(LedgerTest, UnfinishedEntryStaysCharged) {
  create();
  Ledger(path_).reserve(request("0.6"_rational));
  Ledger later(path_);
  EXPECT_FALSE(later.entry(1).spent);
  EXPECT_EQ(later.balance("clicks").remaining, Rational(2, 5));
  EXPECT_THROW(later.reserve(request("0.5"_rational)), Refused);
  later.settle(1, 0, "{}");
  EXPECT_EQ(later.balance("clicks").remaining, Rational(1));
}

TEST_F(LedgerTest, SettlesOnceAndAtNoMoreThanWasReserved) {
  create();
  Ledger ledger(path_);
  ledger.reserve(request("0.5"_rational));
  EXPECT_EQ(refusal<InvalidParameter>([&] { ledger.settle(1, "0.6"_rational, "{}"); }),
            "spent: it must be between 0 and what was reserved, 1/2; it is 3/5");
  EXPECT_THROW(ledger.settle(1, Rational(-1, 10), "{}"), InvalidParameter);
  EXPECT_THROW(ledger.settle(1, 0, "\xff"), InvalidParameter);
  EXPECT_FALSE(ledger.entry(1).spent);
  for (const std::int64_t number : {0, -1, 2}) {
    EXPECT_THROW(ledger.settle(number, 0, "{}"), Refused);
    EXPECT_THROW(static_cast<void>(ledger.entry(number)), Refused);
  }
  ledger.settle(1, "0.5"_rational, "{}");
  EXPECT_EQ(refusal<Refused>([&] { ledger.settle(1, "0.1"_rational, "{}"); }),
            "entry 1 is settled already");
  EXPECT_EQ(ledger.entry(1).spent, Rational(1, 2));
}

TEST_F(LedgerTest, UnitAndNeighboursMustMatch) {
  create();
  Ledger ledger(path_);
  ledger::Request other_unit = request(Rational(1, 10));
  other_unit.unit = "row";
  EXPECT_EQ(refusal<Refused>([&] { ledger.reserve(other_unit); }),
            "data set \"clicks\": its budget protects unit \"user\", neighbours add-remove; asked "
            "for unit \"row\", neighbours add-remove. Epsilons of different units or neighbours do "
            "not add up; nothing was spent");
  ledger::Request other_neighbours = request(Rational(1, 10));
  other_neighbours.neighbours = Neighbours::replace;
  EXPECT_THROW(ledger.reserve(other_neighbours), Refused);
  EXPECT_TRUE(ledger.history().empty());
}

TEST_F(LedgerTest, KeepsDataSetsApart) {
  create();
  Ledger::create(path_, {.name = "sales",
                         .total = "0.25"_rational,
                         .unit = "customer",
                         .neighbours = Neighbours::replace});
  Ledger ledger(path_);
  ASSERT_EQ(ledger.datasets().size(), 2U);
  EXPECT_EQ(ledger.datasets()[0].name, "clicks");
  EXPECT_EQ(ledger.datasets()[1].name, "sales");
  EXPECT_EQ(ledger.dataset("sales").neighbours, Neighbours::replace);
  ledger::Request sale = request("0.25"_rational);
  sale.dataset = "sales";
  sale.unit = "customer";
  sale.neighbours = Neighbours::replace;
  EXPECT_EQ(ledger.reserve(request(1)), 1);
  EXPECT_EQ(ledger.reserve(sale), 2);
  EXPECT_EQ(ledger.history().size(), 2U);
  ASSERT_EQ(ledger.history("sales").size(), 1U);
  EXPECT_EQ(ledger.history("sales")[0].number, 2);
  EXPECT_THROW(static_cast<void>(ledger.history("taxes")), Refused);
  EXPECT_THROW(static_cast<void>(ledger.balance("taxes")), Refused);
  EXPECT_THROW(static_cast<void>(ledger.dataset("")), Refused);
  sale.dataset = "taxes";
  EXPECT_NE(refusal<Refused>([&] { ledger.reserve(sale); }).find("no data set \"taxes\""),
            std::string::npos);
}

TEST_F(LedgerTest, ADataSetIsMadeOnce) {
  create();
  const std::string before = everything(Ledger(path_));
  EXPECT_NE(refusal<Refused>([&] { create(2); }).find("already"), std::string::npos);
  EXPECT_EQ(everything(Ledger(path_)), before);
}

TEST_F(LedgerTest, RefusesDataSetsThatMakeNoSense) {
  for (const Rational& total : {Rational(0), Rational(-1), Rational(1001)}) {
    EXPECT_THROW(create(total), InvalidParameter);
  }
  for (const std::string& bad : {std::string(), std::string("a\nb"), std::string("\xff"),
                                 std::string("a\0b", 3), std::string(201, 'x')}) {
    EXPECT_THROW(Ledger::create(path_, {.name = bad, .total = 1, .unit = "user"}),
                 InvalidParameter);
    EXPECT_THROW(Ledger::create(path_, {.name = "clicks", .total = 1, .unit = bad}),
                 InvalidParameter);
  }
  EXPECT_TRUE(place_.folder().files().empty());
  create(1000);
}

TEST_F(LedgerTest, RefusesRequestsThatMakeNoSense) {
  create();
  Ledger ledger(path_);
  EXPECT_THROW(ledger.reserve(request(0)), InvalidParameter);
  EXPECT_THROW(ledger.reserve(request(-1)), InvalidParameter);
  for (std::string ledger::Request::*field : {&ledger::Request::who, &ledger::Request::verb,
                                              &ledger::Request::unit, &ledger::Request::dataset}) {
    ledger::Request bad = request(Rational(1, 2));
    bad.*field = "a\tb";
    EXPECT_THROW(ledger.reserve(bad), InvalidParameter);
    bad.*field = "";
    EXPECT_THROW(ledger.reserve(bad), InvalidParameter);
  }
  ledger::Request bad = request(Rational(1, 2));
  bad.parameters = "\xc3";
  EXPECT_THROW(ledger.reserve(bad), InvalidParameter);
  EXPECT_TRUE(ledger.history().empty());
}

TEST_F(LedgerTest, LongRationalsComeBackExactly) {
  create();
  const auto tiny = [](std::int64_t i) {
    return Rational(1, 1'000'000'007 + 2 * i) / Rational(1000);
  };
  Rational sum = 0;
  {
    Ledger ledger(path_);
    for (int i = 0; i < 20; ++i) {
      sum = sum + tiny(i);
      ledger.settle(ledger.reserve(request(tiny(i))), tiny(i), "{}");
    }
    ASSERT_GT(sum.str().size(), 200U);
    ledger.settle(ledger.reserve(request(sum)), sum, "{}");
  }
  Ledger ledger(path_);
  EXPECT_EQ(ledger.balance("clicks").spent, sum + sum);
  EXPECT_EQ(ledger.entry(21).reserved, sum);
  const Rational left = ledger.balance("clicks").remaining;
  const std::string why =
      refusal<Refused>([&] { ledger.reserve(request(left + Rational::power_of_two(-900))); });
  EXPECT_LT(why.size(), 200U) << why;
  ledger.reserve(request(left));
  EXPECT_EQ(Ledger(path_).balance("clicks").remaining, Rational(0));
}

TEST_F(LedgerTest, LargeReleasesComeBack) {
  create();
  std::string release = R"({"items":")";
  for (int i = 0; i < 100'000; ++i) {
    release += std::to_string(i) + " é";
  }
  release += "\"}";
  Ledger ledger(path_);
  ledger.settle(ledger.reserve(request("0.1"_rational)), "0.1"_rational, release);
  EXPECT_EQ(Ledger(path_).entry(1).release, release);
}

TEST_F(LedgerTest, SeesWhatOthersWrite) {
  create();
  Ledger one(path_);
  Ledger two(path_);
  EXPECT_EQ(one.reserve(request("0.4"_rational)), 1);
  EXPECT_EQ(two.balance("clicks").remaining, Rational(3, 5));
  EXPECT_EQ(two.reserve(request("0.4"_rational)), 2);
  EXPECT_EQ(one.balance("clicks").remaining, Rational(1, 5));
  EXPECT_THROW(one.reserve(request("0.4"_rational)), Refused);
  one.settle(2, 0, "{}");
  EXPECT_EQ(two.entry(2).spent, Rational(0));
  EXPECT_EQ(everything(one), everything(two));
}

TEST_F(LedgerTest, GoesOnAfterARefusal) {
  create();
  Ledger ledger(path_);
  EXPECT_THROW(ledger.reserve(request(2)), Refused);
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(1));
  EXPECT_EQ(ledger.reserve(request(1)), 1);
  EXPECT_EQ(ledger.balance("clicks").remaining, Rational(0));
}

}  // namespace
}  // namespace freegap::testing
