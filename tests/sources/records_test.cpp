// The basis of sensitivity 1. Whatever one record contains, the others are read as if it did not
// exist. A well-formed record increases each count by at most one and decreases none. The same
// holds for all rows of a unit together. Tested on random files with random garbage and random
// chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sources/reading.hpp"

namespace freegap::sources {
namespace {

using Random = std::mt19937_64;
using Counts = std::map<std::string, std::int64_t>;

std::string pick(Random& random, const std::vector<std::string>& pieces) {
  return pieces[random() % pieces.size()];
}

std::string made_up_item(Random& random) {
  return pick(random, {"a", "b", "c", "17", "a longish item", "crème", "日本", "\"\"", "x,y", "'"});
}

/// A text as a field of a table, quoted if necessary or at random.
std::string field(Random& random, const std::string& text, char separator) {
  if (text.find_first_of(std::string("\"") + separator) == std::string::npos && random() % 3 != 0) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

struct Kind {
  const char* name;
  Format format;
  std::string header;
  Input input;
};

std::vector<Kind> kinds() {
  Input rows;
  rows.item = "item";
  Input units = rows;
  units.unit = "unit";
  return {{"transactions", Format::transactions, "", {}},
          {"rows", Format::csv, "unit,item\n", rows},
          {"units", Format::csv, "unit,item\n", units},
          {"units with tabs", Format::tsv, "unit\titem\n", units}};
}

std::string made_up_record(Random& random, const Kind& kind, const std::string& unit) {
  if (kind.format == Format::transactions) {
    std::string line = pick(random, {"", " ", "\t"});
    for (std::size_t items = random() % 5; items > 0; --items) {
      std::string item = made_up_item(random);
      std::replace(item.begin(), item.end(), ' ', '_');
      line += item + pick(random, {" ", "\t", "  "});
    }
    return line;
  }
  const char separator = kind.format == Format::csv ? ',' : '\t';
  return field(random, unit, separator) + separator +
         field(random, made_up_item(random), separator);
}

std::string made_up_unit(Random& random) {
  return std::string("unit ").append(std::to_string(random() % 6));
}

/// A line that is malformed in any context.
std::string garbage(Random& random, const Kind& kind) {
  const std::string record = made_up_record(random, kind, "u");
  switch (random() % (kind.format == Format::transactions ? 4 : 8)) {
    case 0:
      return record + "\xff";
    case 1:
      return std::string("\0", 1) + record;
    case 2:
      return record + std::string(kind.format == Format::transactions ? " " : "") +
             std::string(1100, 'x');
    case 3:
      return record + "\x1b[2J";
    case 4:
      return std::string("\"")
          .append(record.substr(record.find_first_not_of('"')))
          .append(R"(""x"")");
    case 5:
      return kind.format == Format::csv ? "u,a,b" : "u\ta\tb";
    case 6:
      return kind.format == Format::csv ? "u," : "u\t";
    default:
      return kind.format == Format::csv ? "u,\"a" : "u\t\"a";
  }
}

std::string joined(Random& random, const Kind& kind, const std::vector<std::string>& lines) {
  std::string text = kind.header;
  for (const std::string& line : lines) {
    text += line + (random() % 4 == 0 ? "\r\n" : "\n");
  }
  if (!lines.empty() && random() % 4 == 0) {
    text.pop_back();  // the last line's end
  }
  return text;
}

Way made_up_way(Random& random) {
  const std::size_t chunk = random() % 2 == 0 ? random() % 40 + 1 : std::size_t{4096};
  return {.reading = {.chunk = chunk},
          .at_once = random() % 2 == 0 ? random() % 40 + 1 : 1U << 20U};
}

std::string packed(Random& random, const std::string& text) {
  switch (random() % 4) {
    case 0:
      return gzip(text);
    case 1:
      return zstandard(text);
    default:
      return text;
  }
}

std::vector<std::string> made_up_lines(Random& random, const Kind& kind) {
  std::vector<std::string> lines(random() % 12);
  for (std::string& line : lines) {
    line = made_up_record(random, kind, made_up_unit(random));
  }
  return lines;
}

TEST(Records, StandForThemselves) {
  Random random(41);
  for (const Kind& kind : kinds()) {
    int dropped = 0;
    for (int i = 0; i < 1'500; ++i) {
      std::vector<std::string> lines = made_up_lines(random, kind);
      const std::string clean = joined(random, kind, lines);
      const Values expected = read_text(kind.format, clean, kind.input);
      for (std::size_t insertions = random() % 4 + 1; insertions > 0; --insertions) {
        const auto place = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
        lines.insert(lines.begin() + place, garbage(random, kind));
      }
      const std::string dirty = joined(random, kind, lines);
      const Values rest =
          read_rest(kind.format, packed(random, dirty), kind.input, made_up_way(random));
      ASSERT_EQ(shown(rest), shown(expected)) << kind.name << '\n' << dirty;
      const auto bad = bad_records(kind.format, dirty, kind.input, made_up_way(random));
      ASSERT_EQ(expected.records + bad.size(),
                lines.size() - static_cast<std::size_t>(std::count_if(
                                   lines.begin(), lines.end(),
                                   [](const std::string& line) {
                                     return line.find_first_not_of(" \t") == std::string::npos;
                                   })))
          << kind.name << '\n'
          << dirty;
      dropped += static_cast<int>(bad.size());
    }
    EXPECT_GT(dropped, 1'500);
  }
}

/// Expects that each count in `more` exceeds that in `less` by 0 or 1.
void expect_at_most_one_more(const Counts& less, const Counts& more) {
  for (const auto& [item, count] : less) {
    ASSERT_TRUE(more.contains(item));
  }
  for (const auto& [item, count] : more) {
    const auto before = less.find(item);
    const std::int64_t difference = count - (before == less.end() ? 0 : before->second);
    ASSERT_GE(difference, 0);
    ASSERT_LE(difference, 1);
  }
}

TEST(Records, AddAtMostOneToEachCount) {
  Random random(43);
  for (const Kind& kind : kinds()) {
    for (int i = 0; i < 1'500; ++i) {
      std::vector<std::string> lines = made_up_lines(random, kind);
      const Counts less = by_item(read_text(kind.format, joined(random, kind, lines), kind.input));
      // Adds one record; for units, all rows of a new unit, at random places among the others.
      const std::size_t more = kind.input.unit ? random() % 6 + 1 : 1;
      for (std::size_t record = 0; record < more; ++record) {
        const auto place = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
        lines.insert(lines.begin() + place, made_up_record(random, kind, "another unit"));
      }
      const std::string text = joined(random, kind, lines);
      expect_at_most_one_more(
          less, by_item(read_text(kind.format, text, kind.input, made_up_way(random))));
    }
  }
}

TEST(Records, MayBeAnyBytes) {
  // The same for records of random bytes, malformed or not, except line feeds and the first bytes
  // of compressed files.
  Random random(47);
  const std::string common = " \t\r\",,,\"\"ab\xc3\xa9\xef\xbb\xbf\x01\x7f\xff";
  for (const Kind& kind : kinds()) {
    for (int i = 0; i < 3'000; ++i) {
      std::vector<std::string> lines = made_up_lines(random, kind);
      const Counts less = by_item(read_text(kind.format, joined(random, kind, lines), kind.input));
      std::string record(random() % 12, ' ');
      for (char& c : record) {
        c = random() % 4 == 0 ? static_cast<char>(random()) : common[random() % common.size()];
      }
      std::erase(record, '\n');
      const std::size_t place = random() % (lines.size() + 1);
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), record);
      const std::string text = joined(random, kind, lines);
      if (kind.header.empty() && text.starts_with("\x1f\x8b")) {
        continue;
      }
      const Counts more = by_item(read_rest(kind.format, text, kind.input, made_up_way(random)));
      expect_at_most_one_more(less, more);
    }
  }
}

TEST(Records, OfReadyMadeValuesStandForThemselves) {
  Random random(53);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<std::string> lines;
    for (std::size_t item = 0; item < random() % 10; ++item) {
      lines.push_back(std::string("i").append(std::to_string(item)) + "," +
                      std::to_string(random() % 100));
    }
    const Kind kind{"values", Format::csv, "item,count\n", {}};
    const std::string expected = shown(read_text(kind.format, joined(random, kind, lines), {}));
    for (std::size_t insertions = random() % 4; insertions > 0; --insertions) {
      const auto place = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
      lines.insert(lines.begin() + place,
                   pick(random, {"i1,-1", "i1,", "i2,x", "i3", "\"i4,1", ",5", "i5,1,1", "i6,\xff",
                                 "i7,1.5", "i8,1e2", "\x1f\x8b,1"}));
    }
    const std::string text = joined(random, kind, lines);
    ASSERT_EQ(shown(read_rest(kind.format, text, {}, made_up_way(random))), expected) << text;
  }
}

}  // namespace
}  // namespace freegap::sources
