// Transactions whose items are separated by something else than blanks: read as declared, and
// refused, with the remedy, where nothing was declared.
#include "sources/separation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "sources/reading.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

Values read_with(char separator, std::string_view text, Problems& problems) {
  const auto bytes = in_memory(text);
  return read_separated(*bytes, separator, problems, {.chunk = 16});
}
std::string items(char separator, std::string_view text) {
  Problems problems = Problems::refused();
  return shown(read_with(separator, text, problems));
}
std::vector<std::string> bad(char separator, std::string_view text) {
  Problems problems = Problems::noted(9);
  read_with(separator, text, problems);
  std::vector<std::string> result;
  for (const BadRecord& record : problems.take()) {
    result.push_back(std::to_string(record.line) + ": " + record.problem);
  }
  return result;
}

TEST(Separated, ItemsAreWhole) {
  EXPECT_EQ(items(',', "whole milk,rye bread\neggs,whole milk\n"),
            "whole milk=2 rye bread=1 eggs=1 (2 of transaction)");
  EXPECT_EQ(items(';', "a;b\n"), "a=1 b=1 (1 of transaction)");
  EXPECT_EQ(items('\t', "ice cream\ttea\n"), "ice cream=1 tea=1 (1 of transaction)");
}

TEST(Separation, BlanksAreMixedWhereMostLinesHaveBothKinds) {
  EXPECT_FALSE(mixes_blanks(""));
  EXPECT_FALSE(mixes_blanks("ice cream\ntea\tmilk\n"));
  EXPECT_FALSE(mixes_blanks("ice cream\ttea\nmilk\n"));  // half of them
  EXPECT_TRUE(mixes_blanks("ice cream\ttea\nmilk\nrye bread\ttea\n"));
  EXPECT_TRUE(
      mixes_blanks("ice cream\ttea\n\n \n\t\nmilk\nrye bread\ttea"));  // blank lines are none
}

TEST(Separated, AnItemCountsOncePerTransaction) {
  EXPECT_EQ(items(',', "a,b,a\na\n"), "a=2 b=1 (2 of transaction)");
}

TEST(Separated, BlanksAroundItemsAndEmptyItemsAreIgnored) {
  EXPECT_EQ(items(',', " a , b\t,,\n,,,\n\na,\r\n"), "a=2 b=1 (2 of transaction)");
}

TEST(Separated, QuotesAreThoseOfTables) {
  EXPECT_EQ(items(',', "\"bread, white\",tea\n\"6\"\" pipe\"\n"),
            "bread, white=1 tea=1 6\" pipe=1 (2 of transaction)");
  EXPECT_EQ(bad(',', "a\nb\"c\n\"d\ne\n"),
            (std::vector<std::string>{"2: it has a quote in the middle of a field",
                                      "3: it has a quote that is not closed on its line"}));
}

TEST(Separated, MalformedLinesAreDroppedWhole) {
  const std::string longest(longest_text + 1, 'x');
  EXPECT_EQ(bad(',', "a,\xff\nb," + longest + "\nc\n"),
            (std::vector<std::string>{"1: it is not valid UTF-8",
                                      "2: it has an item longer than 1024 bytes"}));
  Problems problems = Problems::dropped();
  EXPECT_EQ(shown(read_with(',', "a,\xff\nb," + longest + "\nc\n", problems)),
            "c=1 (1 of transaction)");
}

/// The refusal of a text that is cut at blanks.
std::string why(std::string_view text) {
  return refusal([&] {
    const auto bytes = in_memory(text);
    Problems problems = Problems::refused();
    read_transactions(*bytes, problems, {}, "text");
  });
}

TEST(Separation, WrongOnesAreRefusedWithTheRemedy) {
  for (const auto& [text, remedy] : std::vector<std::pair<std::string, std::string>>{
           {"milk,bread\neggs,milk\n", "--separator ',' "},
           {"milk, bread\neggs, milk\n", "--separator ',' "},
           {"whole milk,rye bread,eggs\nrye bread,tea,whole milk\n", "--separator ',' "},
           {"a;b\nb;c\n", "--separator ';' "},
           {"a|b\nb|c\n", "--separator '|' "},
           // Commas are part of names here.
           {"bread, white;tea\nmilk, whole;bread, white\n", "--separator ';' "},
           {"bread, white\ttea\nrye bread\tmilk, whole\n", "--separator tab "},
           {"1,5;2,5;3\n2,5;4\n3;4\n4;3\n", "--separator ';' "},
           {"whole milk\trye bread\nwhole milk\ttea\n", "--separator tab "}}) {
    const std::string message = why(text);
    EXPECT_NE(message.find("add " + remedy), std::string::npos) << text << message;
    EXPECT_EQ(message.find("milk"), std::string::npos) << "it repeats an item: " << message;
  }
}

TEST(Separation, BlanksAreLeftAlone) {
  for (const char* text : {"", "\n", "1 2 3\n2\n", "1\t2\n2\t3\n", "1,5 2 3\n2 3\n3 4\n",
                           "a b\nc\td\ne f\n", "a;b c d,e f\n"}) {
    EXPECT_EQ(why(text), "nothing is refused") << text;
  }
}

TEST(Separation, CountsItemsOnceAndAsOftenAsTheyOccur) {
  // One item of three has a comma, but it is in most transactions.
  EXPECT_NE(why("a,b\na,b\na,b\nc d\n"), "nothing is refused");
  // Words of items, with a blank after each comma.
  EXPECT_NE(why("whole milk, rye bread, fresh eggs\nrye bread, green tea\nfresh butter\n"),
            "nothing is refused");
  // Most items have one, but they are rare.
  EXPECT_NE(why("a,b\nc,d\nx\nx\nx\nx\nx\n"), "nothing is refused");
}

TEST(Separation, IsNeverCheckedWhereItWasDeclaredOrMessagesMustNotDependOnRecords) {
  Input input;
  input.path = testing::TempDir() + "/freegap_commas.dat";
  std::FILE* file = std::fopen(input.path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fputs("milk,bread\neggs,milk\n", file);
  std::fclose(file);
  EXPECT_NE(refusal([&] { read(input); }).find("--separator ','"), std::string::npos);
  input.skip_bad_records = true;
  EXPECT_EQ(shown(read(input)), "milk,bread=1 eggs,milk=1 (2 of transaction)");
  input.skip_bad_records = false;
  input.separator = ' ';
  EXPECT_EQ(shown(read(input)), "milk,bread=1 eggs,milk=1 (2 of transaction)");
  input.separator = ',';
  EXPECT_EQ(shown(read(input)), "milk=2 bread=1 eggs=1 (2 of transaction)");
  std::remove(input.path.c_str());
}

}  // namespace
}  // namespace freegap::sources
