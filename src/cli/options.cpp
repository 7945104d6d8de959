#include "options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

std::optional<sources::Format> format_of(const std::string& name) {
  if (name.empty()) {
    return std::nullopt;
  }
  if (name.starts_with("dat")) {
    return sources::Format::transactions;
  }
  return name == "csv" ? sources::Format::csv : sources::Format::tsv;
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// A message without the name of its argument, which stands in front of it.
std::string without_argument(const InvalidParameter& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

/// Whether lines are transactions, by what was said or by the name's ending.
bool reads_transactions(const DataOptions& options) {
  if (!options.input_format.empty()) {
    return options.input_format.starts_with("dat");
  }
  std::string name = options.input;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) {
      name.resize(name.size() - std::string(packed).size());
    }
  }
  return name.ends_with(".dat");
}

/// Whether a text is a whole number as people write it, of 64 bits. The parser itself takes -1 and
/// what is too large for 2^64 - 1, and 010 for eight.
bool is_whole(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && (text.front() != '0' || text == "0");
}

}  // namespace

double OutputOptions::level() const {
  const double level = rational_of("--confidence", confidence).shown();
  if (!(level > 0 && level < 1)) {
    throw InvalidParameter("--confidence", "it must be above 0 and below 1, for example 0.95");
  }
  return level;
}

CLI::Validator whole_number() {
  return {[](const std::string& text) {
            return is_whole(text) ? std::string() : "must be a whole number from 0 to 2^64 - 1";
          },
          ""};
}

CLI::Validator at_least_one() {
  return {[](const std::string& text) {
            return is_whole(text) && text != "0" ? std::string()
                                                 : "must be a whole number from 1 to 2^64 - 1";
          },
          ""};
}

void add_input(CLI::App& verb, DataOptions& options, const std::string& dash) {
  verb.add_option("INPUT", options.input,
                  "Data: .dat (a transaction a line), .csv or .tsv with a header; .gz and .zst are "
                  "unpacked; - " +
                      dash);
  verb.add_option("--input-format", options.input_format,
                  "How INPUT is written, where its name does not tell")
      ->check(CLI::IsMember({"dat", "dat.gz", "dat.zst", "csv", "tsv"}));
  verb.add_option("--sqlite", options.sqlite, "Read from this database instead (read-only)");
  verb.add_option("--query", options.query, "The query that gives item and count");
  verb.add_option("--item", options.item, "Column of items: count rows, or units, for each item");
  verb.add_option("--unit", options.unit,
                  "With --item: column of units, each counted once for each item. For ready-made "
                  "counts: what they count");
  verb.add_flag("--skip-bad-records", options.skip_bad_records,
                "Drop malformed records one by one, without a word");
}

void add_queries(CLI::App& verb, DataOptions& options) {
  verb.add_option("--kind", options.kind,
                  "counts: one unit more never lowers a number; general: it may go either way")
      ->check(CLI::IsMember({"counts", "general"}));
  verb.add_option("--sensitivity", options.sensitivity,
                  "The most that one unit changes one number (default 1)");
  verb.add_option("--neighbours", options.neighbours,
                  "What is protected: a unit's being there (add-remove, the default) or its being "
                  "exchanged (replace)")
      ->check(CLI::IsMember({"add-remove", "replace"}));
}

void add_candidates(CLI::App& verb, DataOptions& options, bool universe) {
  CLI::Option* list = verb.add_option("--candidates", options.candidates,
                                      "File with a public list of items, one a line");
  CLI::Option* said = verb.add_flag("--items-are-public", options.items_are_public,
                                    "Declare that which items occur is no secret");
  said->excludes(list);
  if (universe) {
    verb.add_option("--universe", options.universe,
                    "LO..HI: all integer ids in this range are candidates")
        ->excludes(list)
        ->excludes(said);
  }
}

void add_noise(CLI::App& verb, NoiseOptions& options) {
  verb.add_option("--noise", options.distribution, "exponential (default), laplace or geometric")
      ->check(CLI::IsMember({"exponential", "laplace", "geometric"}));
  verb.add_option("--tick", options.tick,
                  "Grid of the noise: 1 or another power of two (default: fine)");
}

void add_format(CLI::App& verb, std::string& format) {
  verb.add_option("--format", format,
                  "table, json or csv (default: table on a terminal, else json)")
      ->check(CLI::IsMember({"table", "json", "csv"}));
}

void add_output(CLI::App& verb, OutputOptions& options, Secrecy secrecy) {
  verb.add_option("--confidence", options.confidence, "Of intervals and bounds (default 0.95)");
  if (secrecy == Secrecy::secret) {
    add_format(verb, options.format);
  }
}

Rational rational_of(const std::string& flag, const std::string& text) {
  try {
    return Rational::parse(text);
  } catch (const InvalidParameter& error) {
    throw InvalidParameter(flag, without_argument(error));
  }
}

Epsilon epsilon_of(const std::string& flag, const std::string& text) {
  const Rational value = rational_of(flag, text);
  try {
    return Epsilon(value);
  } catch (const InvalidParameter& error) {
    throw InvalidParameter(flag, without_argument(error));
  }
}

Rational share_of(const std::string& flag, const std::string& text) {
  Rational share = rational_of(flag, text);
  if (share.sign() < 0 || share >= Rational(1)) {
    throw InvalidParameter(flag, "it must be at least 0 and below 1, for example 0.5");
  }
  return share;
}

std::optional<Rational> tick_of(const NoiseOptions& options) {
  return options.tick.empty() ? std::nullopt : std::optional(rational_of("--tick", options.tick));
}

Distribution distribution_of(const std::string& name) {
  if (name == "laplace") {
    return Distribution::laplace;
  }
  return name == "geometric" ? Distribution::geometric : Distribution::exponential;
}

Neighbours neighbours_of(const std::string& name) {
  return name == "replace" ? Neighbours::replace : Neighbours::add_remove;
}

bool counts_records(const DataOptions& options) {
  return !options.item.empty() || (options.sqlite.empty() && reads_transactions(options));
}

sources::RealGrid real_grid_of(const DataOptions& options) {
  const Rational sensitivity = rational_of("--sensitivity", options.sensitivity);
  if (sensitivity.sign() <= 0) {
    throw InvalidParameter("--sensitivity", "it must be above 0");
  }
  return sources::RealGrid::of(sensitivity);
}

Queries queries_of(const DataOptions& options, Kind by_default, bool whole) {
  Queries queries;
  queries.kind = by_default;
  if (!options.kind.empty()) {
    queries.kind = options.kind == "counts" ? Kind::counts : Kind::general;
  }
  queries.neighbours = neighbours_of(options.neighbours);
  const Rational on_grid = real_grid_of(options).sensitivity;
  queries.sensitivity = rational_of("--sensitivity", options.sensitivity);
  if (queries.kind == Kind::general && !whole) {
    queries.sensitivity = on_grid;
  } else if (queries.sensitivity < Rational(1)) {
    throw InvalidParameter("--sensitivity",
                           "whole numbers change by 1 or more, so it is at least 1");
  }
  return queries;
}

sources::Input source_of(const DataOptions& options, sources::Numbers numbers) {
  if (options.input.empty() == options.sqlite.empty()) {
    throw InvalidParameter("INPUT", "give one file, or --sqlite FILE --query SQL");
  }
  if (options.sqlite.empty() != options.query.empty()) {
    throw InvalidParameter("--query", "it goes with --sqlite FILE, and --sqlite with --query SQL");
  }
  sources::Input input;
  input.path = options.input;
  input.format = format_of(options.input_format);
  input.packed = options.input_format.starts_with("dat.");
  input.sqlite = given(options.sqlite);
  input.query = options.query;
  input.item = given(options.item);
  // Of ready-made counts the unit is a name, not a column; of transactions it is what it is.
  if (counts_records(options) && !(options.item.empty() && options.unit == "transaction")) {
    input.unit = given(options.unit);
  }
  input.numbers = numbers;
  if (numbers == sources::Numbers::real) {
    input.step = real_grid_of(options).step;
  }
  input.skip_bad_records = options.skip_bad_records;
  return input;
}

}  // namespace freegap::cli
