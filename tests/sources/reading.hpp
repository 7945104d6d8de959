// Reads texts as if they were files, and compresses them. Needs no test framework.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/readers.hpp"

namespace freegap::sources {

/// How a test reads a text.
struct Way {
  Reading reading = {.chunk = 4096};
  std::size_t at_once = 1U << 20U;  ///< bytes per read of the stream
};

inline Values read_text(Format format, std::string_view text, Problems& problems,
                        const Input& input = {}, const Way& way = {}) {
  const auto bytes = decompressed(in_memory(text, way.at_once), "text");
  problems.stand_in("text", "line");
  if (format == Format::transactions) {
    return read_transactions(*bytes, problems, way.reading);
  }
  return read_table(*bytes, format == Format::csv ? ',' : '\t', input, problems, "text",
                    way.reading);
}

/// Refuses malformed records.
inline Values read_text(Format format, std::string_view text, const Input& input = {},
                        const Way& way = {}) {
  Problems problems = Problems::refused();
  return read_text(format, text, problems, input, way);
}

/// Drops malformed records.
inline Values read_rest(Format format, std::string_view text, const Input& input = {},
                        const Way& way = {}) {
  Problems problems = Problems::dropped();
  return read_text(format, text, problems, input, way);
}

/// The malformed records of a text: "3: the item is empty".
inline std::vector<std::string> bad_records(Format format, std::string_view text,
                                            const Input& input = {}, const Way& way = {}) {
  Problems problems = Problems::noted(1000);
  read_text(format, text, problems, input, way);
  std::vector<std::string> bad;
  for (const BadRecord& record : problems.take()) {
    bad.push_back(std::to_string(record.line) + ": " + record.problem);
  }
  return bad;
}

/// Items with their whole numbers.
inline std::map<std::string, std::int64_t> by_item(const Values& values) {
  std::map<std::string, std::int64_t> map;
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    if (!map.emplace(values.items[i], values.whole.at(i)).second) {
      throw std::logic_error("an item stands twice");
    }
  }
  return map;
}

/// Everything that was read, for comparison.
inline std::string shown(const Values& values) {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    text << values.items[i] << '=';
    if (values.real.empty()) {
      text << values.whole.at(i) << ' ';
    } else {
      text << values.real.at(i) << ' ';
    }
  }
  text << '(' << values.records << " of " << values.unit << ')';
  for (const BadRecord& bad : values.bad) {
    text << '\n' << bad.line << ": " << bad.problem;
  }
  return text.str();
}

/// The message with which a call is refused.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "nothing is refused";
}

inline std::string gzip(std::string_view text) {
  std::string out(compressBound(text.size()) + 32, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstandard(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

}  // namespace freegap::sources
