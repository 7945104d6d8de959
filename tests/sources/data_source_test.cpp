// What follows from the declaration of an input: which numbers it may hold, what is protected, and
// the sensitivity of its numbers as they are read.
#include "sources/data_source.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "freegap/grid.hpp"
#include "freegap/queries.hpp"
#include "sources/number.hpp"
#include "sources/reading.hpp"

namespace freegap::sources {
namespace {

using namespace freegap::literals;

Declaration declared(Kind kind, const Rational& sensitivity = 1) {
  return {.queries = {kind, Neighbours::add_remove, sensitivity}, .numbers_said = true};
}

Declaration stream_of(Kind kind, const Rational& sensitivity = 1) {
  Declaration declaration = declared(kind, sensitivity);
  declaration.stream = true;
  return declaration;
}

Input file(const std::string& path, const std::optional<std::string>& item = std::nullopt,
           const std::optional<std::string>& unit = std::nullopt) {
  Input input;
  input.path = path;
  input.item = item;
  input.unit = unit;
  return input;
}

/// A whole number of a stream; nothing if it is malformed or not whole.
std::optional<std::int64_t> whole(const DataSource& source, std::string_view text) {
  const std::optional<Answer> answer = source.number(text);
  return answer && answer->whole() ? std::optional(answer->whole_number()) : std::nullopt;
}

/// A real number of a stream; nothing if it is malformed or whole.
std::optional<double> real(const DataSource& source, std::string_view text) {
  const std::optional<Answer> answer = source.number(text);
  return answer && !answer->whole() ? std::optional(answer->real_number()) : std::nullopt;
}

TEST(DataSource, CountedRecordsAreWholeWhateverTheirKind) {
  for (const Kind kind : {Kind::counts, Kind::general}) {
    EXPECT_TRUE(DataSource(file("a.dat"), declared(kind)).whole());
    EXPECT_TRUE(DataSource(file("a.csv", "item", "user"), declared(kind)).whole());
    EXPECT_TRUE(DataSource(file("a.csv", "item", "row"), declared(kind)).whole());
    EXPECT_EQ(DataSource(file("a.csv", {}, "user"), declared(kind)).whole(), kind == Kind::counts);
    EXPECT_EQ(DataSource({}, stream_of(kind)).whole(), kind == Kind::counts);
    Declaration whole_noise = declared(kind);
    whole_noise.whole_noise = true;
    EXPECT_TRUE(DataSource(file("a.csv", {}, "user"), whole_noise).whole());
  }
}

TEST(DataSource, NamedColumnOfNumbersIsReadNotCounted) {
  Input input = file("a.csv", "town", "customer");
  EXPECT_EQ(DataSource(input, declared(Kind::general)).records(), Records::rows);
  input.value = "money";
  const DataSource numbers(input, declared(Kind::general));
  EXPECT_EQ(numbers.records(), Records::numbers);
  EXPECT_FALSE(numbers.whole());
  EXPECT_TRUE(numbers.limit().has_value());
}

TEST(DataSource, SaysWhatIsProtected) {
  EXPECT_EQ(DataSource(file("a.dat"), declared(Kind::counts)).unit(), "transaction");
  EXPECT_EQ(DataSource(file("a.csv", "item", "user"), declared(Kind::counts)).unit(), "user");
  EXPECT_EQ(DataSource(file("a.csv", "item", "row"), declared(Kind::counts)).unit(), "row");
  EXPECT_EQ(DataSource(file("a.csv", {}, "visit"), declared(Kind::counts)).unit(), "visit");
  EXPECT_EQ(DataSource({}, stream_of(Kind::general)).unit(), std::nullopt);
  for (const Input& input : {file("a.csv", "item"), file("a.csv")}) {
    EXPECT_EQ(refusal([&] { DataSource(input, declared(Kind::counts)); }).substr(0, 8), "--unit: ");
    Declaration not_secret = declared(Kind::counts);
    not_secret.secret = false;
    EXPECT_EQ(refusal([&] { DataSource(input, not_secret); }), "nothing is refused");
    Declaration by_ledger = declared(Kind::counts);
    by_ledger.unit = UnitRule::from_dataset;
    EXPECT_EQ(refusal([&] { DataSource(input, by_ledger); }) == "nothing is refused", !input.item);
  }
}

TEST(DataSource, TakesTheNumbersOfAStreamAsThoseOfAFile) {
  const DataSource counts({}, stream_of(Kind::counts));
  const DataSource reals({}, stream_of(Kind::general, "0.1"_rational));
  Declaration whole_noise = stream_of(Kind::general);
  whole_noise.whole_noise = true;
  const DataSource wholes({}, whole_noise);
  for (const char* bad : {"", "x", "nan", "inf", "1.5.5", "0x1", "1e", " 1"}) {
    EXPECT_FALSE(counts.number(bad).has_value()) << bad;
    EXPECT_FALSE(wholes.number(bad).has_value()) << bad;
    EXPECT_FALSE(reals.number(bad).has_value()) << bad;
  }
  EXPECT_EQ(whole(counts, "3"), 3);
  EXPECT_EQ(whole(counts, "4.0"), 4);
  EXPECT_EQ(whole(counts, "0"), 0);
  EXPECT_FALSE(counts.number("-1").has_value());
  EXPECT_FALSE(counts.number("1.5").has_value());
  EXPECT_EQ(whole(wholes, "-1"), -1);
  EXPECT_FALSE(wholes.number("1.5").has_value());
  // On the grid of a tenth, which 0.4 and 0.5 are not.
  const int step = RealGrid::of("0.1"_rational).step;
  for (const char* text : {"0.4", "0.5", "-0.3", "1e30", "-1e30"}) {
    EXPECT_EQ(real(reals, text), floor_to_step(*parse_real(text), step)) << text;
  }
  EXPECT_NE(real(reals, "0.4"), 0.4);
}

TEST(DataSource, RoundsTheSensitivityOfRealsUp) {
  const DataSource reals({}, stream_of(Kind::general, "0.1"_rational));
  EXPECT_EQ(reals.declared_sensitivity(), Rational(1, 10));
  EXPECT_GT(reals.queries().sensitivity, Rational(1, 10));
  EXPECT_EQ(reals.queries().sensitivity, RealGrid::of("0.1"_rational).sensitivity);
  EXPECT_EQ(DataSource({}, stream_of(Kind::counts, 3)).queries().sensitivity, Rational(3));
  for (const Rational& bad : {Rational(0), Rational(-1)}) {
    EXPECT_NE(refusal([&] { DataSource({}, stream_of(Kind::general, bad)); }),
              "nothing is refused");
  }
  EXPECT_EQ(refusal([] { DataSource({}, stream_of(Kind::counts, "0.5"_rational)); }),
            "--sensitivity: whole numbers change by 1 or more, so it is at least 1");
}

TEST(DataSource, CarriesTheContributionBound) {
  Input input = file("a.dat");
  EXPECT_EQ(DataSource(input, declared(Kind::counts)).queries().max_items, std::nullopt);
  input.max_items = 4;
  EXPECT_EQ(DataSource(input, declared(Kind::counts)).queries().max_items, 4U);
  // A seed decides what units keep in simulations, whose data is no secret.
  input.insecure_seed = 1;
  EXPECT_THROW(DataSource(input, declared(Kind::counts)), std::logic_error);
  Declaration simulated = declared(Kind::counts);
  simulated.secret = false;
  EXPECT_EQ(DataSource(input, simulated).queries().max_items, 4U);
}

TEST(DataSource, SaysWhereNumbersAreClamped) {
  EXPECT_EQ(DataSource(file("a.dat"), declared(Kind::general)).limit(), std::nullopt);
  EXPECT_EQ(DataSource(file("a.csv", "item", "row"), declared(Kind::counts)).limit(), std::nullopt);
  EXPECT_EQ(DataSource({}, stream_of(Kind::counts)).limit(),
            Rational(std::numeric_limits<std::int64_t>::max()));
  const DataSource reals({}, stream_of(Kind::general));
  EXPECT_EQ(reals.limit(), Rational::power_of_two(RealGrid::of(1).step + 53));
  EXPECT_EQ(real(reals, "1e300"), reals.limit()->shown());
}

}  // namespace
}  // namespace freegap::sources
