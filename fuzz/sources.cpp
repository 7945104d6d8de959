// Any bytes as a file, in any format: read in the same way whatever the chunks and the compression,
// refused exactly if a record is malformed, and no record affects another.

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/errors.hpp"
#include "fuzz/require.hpp"
#include "sources/reading.hpp"
#include "sources/text.hpp"

namespace {

using namespace freegap::sources;
using freegap::fuzz::require;

constexpr std::size_t all = 1'000'000;

struct File {
  Format format = Format::transactions;
  Input input;
  std::string text;
};

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd") ||
         (bytes.size() >= 4 && bytes.substr(1, 3) == "\x2a\x4d\x18");
}

/// What was read and what was malformed, or why the whole was refused.
std::string outcome(const File& file, const std::string& bytes, const Way& way) {
  try {
    Problems problems = Problems::noted(all);
    Values values = read_text(file.format, bytes, problems, file.input, way);
    values.bad = problems.take();
    return shown(values);
  } catch (const freegap::InvalidParameter& error) {
    // A stream may be damaged after a header that is not valid: either may be reported first.
    return is_compressed(bytes) && bytes == file.text ? "refused" : error.what();
  }
}

std::optional<Values> attempt(const File& file, const std::string& bytes, Problems problems) {
  try {
    const Way way{.reading = {.chunk = 4096}};
    Values values = read_text(file.format, bytes, problems, file.input, way);
    values.bad = problems.take();
    return values;
  } catch (const freegap::InvalidParameter&) {
    return std::nullopt;
  }
}

void check_values(const Values& values) {
  require(values.items.size() == values.whole.size() + values.real.size(),
          "each item has a number");
  std::vector<std::string> items = values.items;
  std::sort(items.begin(), items.end());
  require(std::adjacent_find(items.begin(), items.end()) == items.end(), "an item stands once");
  for (const std::string& item : items) {
    require(!item.empty() && item.size() <= longest_text && text_problem(item) == nullptr &&
                trimmed(item) == item,
            "an item is text");
  }
}

/// Adding a line of any bytes increases each count by at most one, decreases none, and makes no
/// other line malformed.
void check_neighbours(const File& file, const std::string& line, std::size_t after) {
  std::size_t place = 0;
  for (std::size_t lines = 0; lines <= after; ++lines) {
    const std::size_t end = file.text.find('\n', place);
    if (end == std::string::npos) {
      break;
    }
    place = end + 1;
  }
  if (place == 0) {
    return;  // the first line may be a header
  }
  const std::string more = file.text.substr(0, place) + line + "\n" + file.text.substr(place);
  const auto small = attempt(file, file.text, Problems::noted(all));
  const auto large = attempt(file, more, Problems::noted(all));
  require(small.has_value() && large.has_value(), "no record makes a file be refused as a whole");
  std::map<std::string, std::int64_t> counts;
  for (std::size_t i = 0; i < small->items.size(); ++i) {
    counts[small->items[i]] = small->whole[i];
  }
  for (std::size_t i = 0; i < large->items.size(); ++i) {
    const std::int64_t difference = large->whole[i] - counts[large->items[i]];
    require(difference == 0 || difference == 1, "a record adds at most one to each count");
    counts.erase(large->items[i]);
  }
  require(counts.empty(), "a record takes no item away");
  require(large->bad.size() <= small->bad.size() + 1, "a record spoils no other");
}

void check_file(const File& file, FuzzedDataProvider& bytes) {
  const Reading reading{.chunk = bytes.ConsumeIntegralInRange<std::size_t>(1, 70),
                        .longest_line = bytes.ConsumeBool() ? Reading().longest_line : 40};
  const Way at_once{.reading = {.chunk = 4096, .longest_line = reading.longest_line}};
  const Way piecemeal{.reading = reading,
                      .at_once = bytes.ConsumeIntegralInRange<std::size_t>(1, 70)};
  const std::string whole = outcome(file, file.text, at_once);
  require(whole == outcome(file, file.text, piecemeal), "what is read does not depend on chunks");
  if (!is_compressed(file.text)) {
    const bool gzipped = bytes.ConsumeBool();
    const std::string packed = gzipped ? gzip(file.text) : zstandard(file.text);
    require(whole == outcome(file, packed, piecemeal), "what is packed is the same");
  }
  const auto noted = attempt(file, file.text, Problems::noted(all));
  const auto dropped = attempt(file, file.text, Problems::dropped());
  const auto refused = attempt(file, file.text, Problems::refused());
  require(noted.has_value() == dropped.has_value(), "a schema does not depend on records");
  require(refused.has_value() == (noted && noted->bad.empty()),
          "a file is refused exactly if a record is malformed");
  if (noted) {
    check_values(*noted);
    Values silent = *noted;
    silent.bad.clear();
    require(shown(silent) == shown(*dropped), "dropping a record leaves the others");
  }
}

/// A literal of SQL.
std::string literal(FuzzedDataProvider& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto hexadecimal = [&] {
    std::string text = "x'";
    for (const char c : bytes.ConsumeRandomLengthString(20)) {
      text += digits[static_cast<unsigned char>(c) / 16];
      text += digits[static_cast<unsigned char>(c) % 16];
    }
    return text + "'";
  };
  switch (bytes.ConsumeIntegralInRange(0, 4)) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(bytes.ConsumeIntegral<std::int64_t>());
    case 2:
      return std::to_string(bytes.ConsumeFloatingPointInRange(-1e20, 1e20));
    case 3:
      return hexadecimal();
    default:
      return "CAST(" + hexadecimal() + " AS TEXT)";
  }
}

void check_query(Input input, FuzzedDataProvider& bytes) {
  input.sqlite = "/dev/null";  // an empty database
  input.query = "SELECT column1 AS unit, column2 AS item, column3 AS count FROM (VALUES ";
  for (std::size_t rows = bytes.ConsumeIntegralInRange<std::size_t>(1, 8); rows > 0; --rows) {
    input.query += "(" + literal(bytes) + "," + literal(bytes) + "," + literal(bytes) + ")";
    input.query += rows > 1 ? "," : ")";
  }
  const Values noted = check(input, all);
  check_values(noted);
  input.skip_bad_records = true;
  const Values dropped = read(input);
  require(dropped.items == noted.items && dropped.whole == noted.whole, "rows are dropped alike");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  File file;
  file.format = static_cast<Format>(bytes.ConsumeIntegralInRange(0, 2));
  file.input.numbers = static_cast<Numbers>(bytes.ConsumeIntegralInRange(0, 2));
  if (bytes.ConsumeBool()) {
    file.input.step = bytes.ConsumeIntegralInRange(-512, 512);
  }
  if (file.format != Format::transactions && bytes.ConsumeBool()) {
    file.input.item = "item";
    if (bytes.ConsumeBool()) {
      file.input.unit = "unit";
    }
  }
  if (file.format != Format::transactions && bytes.ConsumeIntegralInRange(0, 7) == 0) {
    check_query(file.input, bytes);
    return 0;
  }
  const std::size_t after = bytes.ConsumeIntegralInRange<std::size_t>(0, 7);
  std::string line = bytes.ConsumeRandomLengthString(100);
  line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
  const auto remaining = bytes.remaining_bytes();
  const std::size_t rest = remaining > 5 ? remaining - 5 : 0;  // the last bytes choose chunks
  file.text = bytes.ConsumeBytesAsString(rest);
  const bool has_header = file.format != Format::transactions && bytes.ConsumeBool();
  if (has_header) {
    const char separator = file.format == Format::csv ? ',' : '\t';
    file.text = std::string("unit") + separator + "item" + separator + "count\n" + file.text;
  }
  check_file(file, bytes);
  const bool has_records =
      file.format == Format::transactions ? !is_compressed(file.text) : has_header;
  if (has_records && (file.format == Format::transactions || file.input.item)) {
    check_neighbours(file, line, after);  // a row of ready-made values is not a record of a unit
  }
  return 0;
}
