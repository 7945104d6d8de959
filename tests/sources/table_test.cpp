// Tables: headers, quotes, ready-made values, rows to be counted, lists.
#include <gtest/gtest.h>

#include <cfloat>
#include <string>
#include <vector>

#include "sources/reading.hpp"

namespace freegap::sources {
namespace {

using Texts = std::vector<std::string>;

Values read_csv(std::string_view text, const Input& input = {}) {
  return read_text(Format::csv, text, input);
}
Texts bad_csv(std::string_view text, const Input& input = {}) {
  return bad_records(Format::csv, text, input);
}
Input rows(const std::string& item) {
  Input input;
  input.item = item;
  return input;
}
Input units(const std::string& item, const std::string& unit) {
  Input input = rows(item);
  input.unit = unit;
  return input;
}
Input of_numbers(Numbers numbers) {
  Input input;
  input.numbers = numbers;
  return input;
}

TEST(Table, GivesReadyMadeValues) {
  EXPECT_EQ(shown(read_csv("item,count\na,3\nb,0\n")), "a=3 b=0 (2 of )");
  EXPECT_EQ(shown(read_csv("value,other,item\n3,x,a\n4,,b")), "a=3 b=4 (2 of )");
  EXPECT_EQ(shown(read_csv("item,utility\na,3\n")), "a=3 (1 of )");
  EXPECT_EQ(shown(read_csv("item,count\n")), "(0 of )");
  EXPECT_EQ(shown(read_text(Format::tsv, "item\tcount\na b\t3\n\"c\td\"\t4\n")),
            "a b=3 c\td=4 (2 of )");
}

TEST(Table, ReadsQuotesAsRfc4180Does) {
  EXPECT_EQ(shown(read_csv("\"item\",\"count\"\n\"a,b\",\"3\"\n\"say \"\"hi\"\"\",4\n\"\"\"\",5\n"
                           "\"\"\"a\",6\n")),
            "a,b=3 say \"hi\"=4 \"=5 \"a=6 (4 of )");
  EXPECT_EQ(bad_csv("item,count\na\"b,1\n\"a\"b,1\n\"a,1\n\"a\"\",1\nb,\"1\n \"a\",1\n"),
            (Texts{"2: it has a quote in the middle of a field",
                   "3: it has something between a closing quote and the end of its field",
                   "4: it has a quote that is not closed on its line",
                   "5: it has a quote that is not closed on its line",
                   "6: it has a quote that is not closed on its line",
                   "7: it has a quote in the middle of a field"}));
}

TEST(Table, UnescapesSeveralFieldsOfALine) {
  // Longer than what a string keeps within itself, and of many lengths.
  std::string text = "item,unit\n";
  std::string expected;
  for (std::size_t length = 20; length < 100; ++length) {
    const std::string name(length, 'n');
    const std::string unit(300 - length, 'u');
    text.append("\"").append(name).append("\"\"x\",\"").append(unit).append("\"\"\"\"\"\n");
    expected.append(name).append("\"x=1 ");
  }
  EXPECT_EQ(shown(read_csv(text, units("item", "unit"))), expected + "(80 of unit)");
  EXPECT_EQ(shown(read_csv("unit,item\n\"u\"\"\",\"i\"\"\"\n", units("item", "unit"))),
            "i\"=1 (1 of unit)");
  EXPECT_EQ(shown(read_csv("item,count\n\"\"\"\",\"1\"\nb,2\n\"c\"\"\",3\n")),
            "\"=1 b=2 c\"=3 (3 of )");
}

TEST(Table, NeverLetsARecordReachTheNextLine) {
  const std::string text = "item,count\na,1\n\"b,2\nc,3\nd\",4\ne,5\n";
  EXPECT_EQ(bad_csv(text), (Texts{"3: it has a quote that is not closed on its line",
                                  "5: it has a quote in the middle of a field"}));
  EXPECT_EQ(shown(read_rest(Format::csv, text)), "a=1 c=3 e=5 (3 of )");
}

TEST(Table, BearsMarksEndsAndBlanks) {
  EXPECT_EQ(shown(read_csv("\xef\xbb\xbfitem,count\r\n\r\n a , 3 \r\n\n \t\n\"b \",\" 4\"\r\n")),
            "a=3 b=4 (2 of )");
  EXPECT_EQ(shown(read_csv("\n \n item , count \na,1")), "a=1 (1 of )");
  EXPECT_EQ(shown(read_csv("item,count\nÄpfel,1\n日本,2\n")), "Äpfel=1 日本=2 (2 of )");
  // A line of nothing but separators is a record.
  EXPECT_EQ(bad_records(Format::tsv, "item\tcount\n\t\n  \na\t1\n"), Texts{"2: the item is empty"});
}

TEST(Table, NamesWhatIsWrongWithARecord) {
  EXPECT_EQ(
      bad_csv("item,count\n,1\n\" \",1\na\na,1,2\n" + std::string(1025, 'x') +
              ",1\nb,-1\nc,1.5\nd,\ne,x\nf,1e3\n\xc0\xaf,1\ng,\x02\nh,7\nh,8\ni," +
              std::string(1025, '0') + "\n"),
      (Texts{"2: the item is empty", "3: the item is empty",
             "4: it has 1 fields where the header has 2",
             "5: it has 3 fields where the header has 2", "6: the item is longer than 1024 bytes",
             "7: the count is negative", "8: the number is not whole", "9: the number is not whole",
             "10: the number is not whole", "11: the number is not whole",
             "12: it is not valid UTF-8", "13: it has a control character",
             "15: it repeats the item of line 14",
             "16: the number is longer than 1024 characters"}));
  EXPECT_EQ(refusal([] { read_csv("item,count\na,1\nb,2\na,3\n"); }),
            "text, line 4: it repeats the item of line 2; mend it, or drop all such records with "
            "--skip-bad-records (freegap count --check lists them)");
  EXPECT_EQ(shown(read_rest(Format::csv, "item,count\na,1\nb,2\na,3\n")), "a=1 b=2 (2 of )");
}

TEST(Table, TakesNamesAndNumbersOfTheGreatestLength) {
  const std::string name(1024, 'x');
  const std::string number = std::string(1023, '0') + "7";
  EXPECT_EQ(shown(read_csv("item,count\n" + name + "," + number + "\n")), name + "=7 (1 of )");
  EXPECT_EQ(shown(read_csv("user,page\n" + name + "," + name + "\n", units("page", "user"))),
            name + "=1 (1 of user)");
}

TEST(Table, ListsNoItemOfAMalformedRecord) {
  const auto rest = [](std::string_view text, const Input& input) {
    const Values values = read_rest(Format::csv, text, input);
    EXPECT_EQ(values.items.size(), values.whole.size());
    return shown(values);
  };
  EXPECT_EQ(rest("user,page\n,a\nu,b\n,c\n", units("page", "user")), "b=1 (1 of user)");
  EXPECT_EQ(rest("item,count\na,x\nb,1\nc,-1\n", {}), "b=1 (1 of )");
}

TEST(Table, ReadsNumbersOfThreeKinds) {
  const std::string text =
      "item,value\na,-3\nb,2.5\nc,99999999999999999999\nd,nan\ne,inf\nf,1e400\n";
  EXPECT_EQ(bad_csv(text, of_numbers(Numbers::whole)),
            (Texts{"3: the number is not whole", "5: the number is not whole",
                   "6: the number is not whole", "7: the number is not whole"}));
  EXPECT_EQ(shown(read_rest(Format::csv, text, of_numbers(Numbers::whole))),
            "a=-3 c=9223372036854775807 (2 of )");
  EXPECT_EQ(bad_csv(text, of_numbers(Numbers::real)),
            (Texts{"5: the number is not a finite decimal number",
                   "6: the number is not a finite decimal number"}));
  const Values values = read_rest(Format::csv, text, of_numbers(Numbers::real));
  EXPECT_TRUE(values.whole.empty());
  EXPECT_EQ(values.real, (std::vector<double>{-3, 2.5, 99999999999999991611392.0 / 1000, DBL_MAX}));
}

TEST(Table, FloorsRealsToAGrid) {
  Input input = of_numbers(Numbers::real);
  input.step = -1;
  const Values values = read_csv("item,value\na,0.99\nb,-0.01\nc,1e300\n", input);
  EXPECT_EQ(values.real, (std::vector<double>{0.5, -0.5, 0x1p52}));
}

TEST(Table, CountsRows) {
  const std::string text = "when,what\n1,a\n2,b\n3,a\n4,\n";
  const Values values = read_rest(Format::csv, text, rows("what"));
  EXPECT_EQ(shown(values), "a=2 b=1 (3 of row)");
  EXPECT_EQ(bad_csv(text, rows("what")), Texts{"5: the item is empty"});
  // A column of numbers is ignored.
  EXPECT_EQ(shown(read_csv("item,count\na,x\na,y\n", rows("item"))), "a=2 (2 of row)");
}

TEST(Table, CountsDistinctUnits) {
  const std::string text = "user,page\nu1,a\nu1,a\nu2,a\nu1,b\nu2,a\n u1 ,b\n,a\nu3,\n";
  EXPECT_EQ(shown(read_rest(Format::csv, text, units("page", "user"))), "a=2 b=1 (6 of user)");
  EXPECT_EQ(bad_csv(text, units("page", "user")),
            (Texts{"8: the unit is empty", "9: the item is empty"}));
  EXPECT_EQ(bad_csv("user,page\n" + std::string(1025, 'u') + ",a\n", units("page", "user")),
            Texts{"2: the unit is longer than 1024 bytes"});
  // The values of one column are not confused with the other's.
  EXPECT_EQ(shown(read_csv("user,page\na,b\nb,a\na,a\nb,b\n", units("page", "user"))),
            "b=2 a=2 (4 of user)");
}

TEST(Table, RefusesAHeaderThatMakesNoSense) {
  const auto why = [](std::string_view text, const Input& input = {}) {
    Problems problems = Problems::dropped();  // which makes no difference
    return refusal([&] { read_text(Format::csv, text, problems, input); });
  };
  EXPECT_EQ(why(""), "text: it is empty; the first line must name the columns");
  EXPECT_EQ(why("\n \n"), "text: it is empty; the first line must name the columns");
  const std::string remedy =
      "; the first line must name the columns. Name the column of items with --item COLUMN and, to "
      "count rows, that of the people with --unit COLUMN. Or add --input-format dat if there is no "
      "such line, and each line is a list of items";
  EXPECT_EQ(why("name,count\n"), "text: there is no column \"item\"" + remedy);
  EXPECT_EQ(why("item,number\n"),
            "text: there is no column \"count\", \"value\" or \"utility\"; name the column of "
            "numbers with --value COLUMN and what they count with --unit NAME, or count rows with "
            "--item COLUMN --unit COLUMN");
  EXPECT_EQ(why("item,count,value\n"),
            "text: there is more than one of \"count\", \"value\" and \"utility\"; say which with "
            "--value count");
  EXPECT_EQ(why("item,count,count\n"), "text: there is more than one column \"count\"");
  EXPECT_EQ(why("item,item,count\n"), "text: there is more than one column \"item\"");
  EXPECT_EQ(why("\xff,count\n"), "text: the header is malformed: it is not valid UTF-8");
  EXPECT_EQ(why("\"item,count\n"),
            "text: the header is malformed: it has a quote that is not closed on its line");
  EXPECT_EQ(why("a,b\n", rows("c")), "text: there is no column \"c\"" + remedy);
  EXPECT_EQ(why("a,b\n", units("a", "c")), "text: there is no column \"c\"" + remedy);
  EXPECT_EQ(why("a;c\n", rows("c")), "text: semicolons separate its columns: write it with commas");
  EXPECT_EQ(why("item|count\n"), "text: bars separate its columns: write it with commas");
  EXPECT_EQ(why("a\tc\n", rows("c")), "text: tabs separate its columns: add --input-format tsv");
  EXPECT_EQ(why("a;b\n", rows("c")), "text: there is no column \"c\"" + remedy);
  EXPECT_EQ(why("a;c,b\n", rows("c")), "text: there is no column \"c\"" + remedy);
  EXPECT_EQ(why("a,b\n", units("a", "a")),
            "text: the units must stand in another column than the items");
}

TEST(Table, NamesItsNumbersByColumn) {
  Input input;
  EXPECT_EQ(read_text(Format::csv, "item,count\na,4\n", input).number_column, "count");
  input.value = "sold";
  const Values values = read_text(Format::csv, "item,count,sold\na,4,7\nb,5,6\n", input);
  EXPECT_EQ(shown(values), "a=7 b=6 (2 of )");
  EXPECT_EQ(values.number_column, "sold");
  input.item = "name";  // with a column of numbers it names that of the items: nothing is counted
  EXPECT_EQ(shown(read_text(Format::csv, "name,item,sold\na,x,7\nb,x,6\n", input)),
            "a=7 b=6 (2 of )");
  input.item = "sold";
  EXPECT_EQ(refusal([&] { read_text(Format::csv, "name,sold\na,7\n", input); }),
            "text: the numbers must stand in another column than the items");
}

TEST(Table, TakesNothingButCountsForCounts) {
  Input input;
  input.counts_only = true;
  EXPECT_EQ(shown(read_text(Format::csv, "item,count\na,4\n", input)), "a=4 (1 of )");
  for (const char* column : {"value", "utility", "sold"}) {
    const std::string text = std::string("item,") + column + "\na,4\n";
    input.value = column == std::string("sold") ? std::optional<std::string>(column) : std::nullopt;
    const std::string why = refusal([&] { read_text(Format::csv, text, input); });
    EXPECT_NE(why.find("values are not counts: say how much one unit can change one of them"),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("--kind general --sensitivity"), std::string::npos) << why;
  }
  input.value = "count";
  EXPECT_EQ(shown(read_text(Format::csv, "item,value,count\na,9,4\n", input)), "a=4 (1 of )");
}

TEST(Table, CountsRowsWhereTheUnitIsTheRow) {
  EXPECT_EQ(shown(read_text(Format::csv, "who,what\nann,x\nann,x\n", units("what", "row"))),
            "x=2 (2 of row)");
  EXPECT_EQ(refusal([] { read_text(Format::csv, "row,what\nann,x\n", units("what", "row")); }),
            "text: --unit row counts rows, but there is a column \"row\" as well; rename it");
}

TEST(Table, NeverShowsARecordForAHeader) {
  for (const Input& input : {Input{}, rows("what"), units("what", "who")}) {
    for (const char* line :
         {"Ann Miller,HIV test\n", "\"Ann Miller\",\"HIV test\n", "Ann Miller\tHIV test\n"}) {
      const std::string why = refusal([&] { read_text(Format::csv, line, input); });
      EXPECT_NE(why, "nothing is refused");
      EXPECT_EQ(why.find("Ann"), std::string::npos) << why;
      EXPECT_EQ(why.find("HIV"), std::string::npos) << why;
    }
  }
}

TEST(Table, HasLinesThatAreTooLong) {
  const Way way{.reading = {.chunk = 8, .longest_line = 12}};
  EXPECT_EQ(bad_records(Format::csv, "item,count\na,1\nbbbbbbbbbbb,2\nc,3\n", {}, way),
            Texts{"3: the line is too long"});
  EXPECT_EQ(refusal([&] { read_text(Format::csv, "item,count,other\na,1,\n", {}, way); }),
            "text: the header is malformed: the line is too long");
}

TEST(List, HasNoLinesThatAreTooLong) {
  const auto bytes = in_memory("a\n123456789\nb\n");
  EXPECT_EQ(refusal([&] { read_items(*bytes, "list", {.chunk = 4, .longest_line = 8}); }),
            "list, line 2: the line is too long");
}

TEST(List, HoldsItemsOneALine) {
  const auto list = [](std::string_view text) {
    const auto bytes = decompressed(in_memory(text), "list");
    return read_items(*bytes, "list");
  };
  EXPECT_EQ(list(""), Texts());
  EXPECT_EQ(list("\xef\xbb\xbf b \r\n\n\ta c\n日本"), (Texts{"b", "a c", "日本"}));
  EXPECT_EQ(list(gzip("a\n")), Texts{"a"});
  EXPECT_EQ(list(std::string(1024, 'x')), Texts{std::string(1024, 'x')});
  EXPECT_EQ(refusal([&] { list("a\nb\n\n a\n"); }), "list, line 4: it repeats the item of line 1");
  EXPECT_EQ(refusal([&] { list("a\n\xff\n"); }), "list, line 2: it is not valid UTF-8");
  EXPECT_EQ(refusal([&] { list(std::string(1025, 'x')); }),
            "list, line 1: the item is longer than 1024 bytes");
  EXPECT_EQ(list("\"a\",1\n"),
            Texts{"\"a\",1"});  // not a table: quotes and commas are ordinary characters
}

}  // namespace
}  // namespace freegap::sources
