#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <system_error>

#include "freegap/errors.hpp"
#include "sources/number.hpp"
#include "sources/text.hpp"

namespace freegap::cli {
namespace {

/// A message without the name of its argument, which stands in front of it.
std::string without_argument(const InvalidParameter& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

double parse_confidence(const std::string& text) {
  const double level = Rational::parse(text).shown();
  if (!(level > 0 && level < 1)) {
    throw InvalidParameter("confidence", "it must be above 0 and below 1, for example 0.95");
  }
  return level;
}

/// LO..HI, two ids as they are always written: no plus sign, no leading zeros.
Universe parse_universe(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = sources::parse_id(text.substr(0, dots));
  const auto last =
      dots == std::string::npos ? std::nullopt : sources::parse_id(text.substr(dots + 2));
  if (!first || !last || *first > *last) {
    throw InvalidParameter("universe", "write two whole numbers, for example 0..999999");
  }
  return {*first, *last};
}

/// LO..HI, two numbers.
sources::Range parse_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    throw InvalidParameter("range", "write two numbers, for example 0..1000");
  }
  sources::Range range{Rational::parse(text.substr(0, dots)),
                       Rational::parse(text.substr(dots + 2))};
  if (range.low > range.high) {
    throw InvalidParameter("range", "its first end must not be above the second");
  }
  return range;
}

/// What separates items: one character of ASCII, or the word for one that is hard to type.
char parse_separator(const std::string& text) {
  if (text == "blank" || text == "space") {
    return ' ';
  }
  if (text == "tab" || text == "\\t" || text == "\t") {
    return '\t';
  }
  const bool punctuation = text.size() == 1 && std::ispunct(static_cast<unsigned char>(text[0]));
  if (!punctuation || text == "\"") {
    throw InvalidParameter("separator",
                           "write one sign of punctuation, such as , or ;, or the word tab or "
                           "blank (spaces and tabs)");
  }
  return text[0];
}

/// A name; nothing for an empty one.
std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

CLI::Option* add_text(CLI::App& verb, const std::string& flag, const std::string& description,
                      std::function<void(const std::string&)> take, const char* type) {
  return verb
      .add_option_function<std::string>(
          flag,
          [flag, take = std::move(take)](const std::string& text) {
            try {
              take(text);
            } catch (const InvalidParameter& error) {
              throw InvalidParameter(flag, without_argument(error));
            }
          },
          description)
      ->type_name(type);
}

CLI::Option* add_one_of(CLI::App& verb, const std::string& flag, const std::string& description,
                        std::vector<std::string> texts, std::function<void(std::size_t)> take) {
  const auto member = CLI::IsMember(texts);
  return add_text(verb, flag, description,
                  [texts = std::move(texts), take = std::move(take)](const std::string& text) {
                    const auto found = std::find(texts.begin(), texts.end(), text);
                    take(static_cast<std::size_t>(found - texts.begin()));
                  })
      ->check(member);
}

// CLI11 itself takes -1 and what is too large for 2^64 - 1, and 010 for eight.
std::uint64_t parse_whole(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool whole = error == std::errc() && rest == end && (text.front() != '0' || text == "0");
  if (!whole || value < least || value > most) {
    throw InvalidParameter("number", "must be a whole number from " + std::to_string(least) +
                                         " to " +
                                         (most == UINT64_MAX ? "2^64 - 1" : std::to_string(most)));
  }
  return value;
}

Rational parse_share(const std::string& text) {
  Rational share = Rational::parse(text);
  if (share.sign() < 0 || share >= Rational(1)) {
    throw InvalidParameter("share", "it must be at least 0 and below 1, for example 0.5");
  }
  return share;
}

std::string item_name(const std::string& flag, const std::string& text) {
  std::string name(sources::trimmed(text));
  if (name.empty() || name.size() > sources::longest_text ||
      sources::text_problem(name) != nullptr) {
    throw InvalidParameter(flag, "a name is 1 to 1024 bytes of UTF-8 without control characters");
  }
  return name;
}

void add_input(CLI::App& verb, sources::Input& input, const std::string& dash) {
  verb.add_option("INPUT", input.path,
                  "Data: .dat (one transaction per line), .csv or .tsv with a header; .gz and .zst "
                  "are unpacked; - " +
                      dash);
  add_one_of(verb, "--input-format", "Format of INPUT, where its name does not say it",
             {"dat", "dat.gz", "dat.zst", "csv", "tsv"}, [&input](std::size_t i) {
               constexpr std::array formats{sources::Format::csv, sources::Format::tsv};
               input.format = i < 3 ? sources::Format::transactions : formats.at(i - 3);
               input.packed = i == 1 || i == 2;
             });
  add_parsed(verb, "--separator", input.separator,
             "What separates the items of a transaction: a sign such as , or the word tab "
             "(default: blanks)",
             parse_separator);
  add_parsed(verb, "--parquet", input.parquet,
             "Read these Parquet files instead; 'DIR/*.parquet' for several. Needs the Python "
             "package with DuckDB",
             given);
  add_parsed(verb, "--sqlite", input.sqlite, "Ask this database of SQLite instead (read-only)",
             given);
  add_parsed(
      verb, "--duckdb", input.duckdb,
      "Ask this database of DuckDB instead (read-only). Needs the Python package with DuckDB",
      given);
  verb.add_option("--query", input.query,
                  "What to ask the database: one SELECT, whose columns are those of a table");
  add_parsed(verb, "--item", input.item,
             "Column of items: count rows, or units, for each item. With --value: column of their "
             "names",
             given);
  add_parsed(verb, "--value", input.value,
             "Column of ready-made numbers (default: count, value or utility). They are counts if "
             "it is named count; others need --kind and --sensitivity",
             given);
  add_parsed(verb, "--unit", input.unit,
             "What is protected. With --item: column of units, each counted once per item, or row. "
             "For ready-made numbers: what they count, for example customer",
             given);
  verb.add_flag("--skip-bad-records", input.skip_bad_records,
                "Drop malformed records one by one, without a message");
}

void add_max_items(CLI::App& verb, std::optional<std::uint64_t>& max_items,
                   const std::string& description) {
  add_number(verb, "--max-items", max_items, description);
}

void add_bounds(CLI::App& verb, sources::Input& input) {
  add_max_items(verb, input.max_items,
                "Contribution bound: a unit that brings more items keeps so many of them, chosen "
                "at random. Measuring then costs less");
  add_number(verb, "--bounded-by", input.bounded_by,
             "Of ready-made numbers: declare that each unit was cut down to so many items before "
             "they were counted");
}

void add_queries(CLI::App& verb, QueryOptions& options) {
  add_choice(verb, "--kind", options.kind,
             "counts: one unit more never lowers a number; general: it may go either way",
             names_of({Kind::counts, Kind::general}));
  add_parsed(verb, "--sensitivity", options.sensitivity,
             "The most that one unit changes one number (default 1, of counts)", Rational::parse);
  add_neighbours(verb, options.neighbours,
                 "What is protected: whether a unit is in the data (add-remove, the default) or "
                 "which unit it is (replace)");
}

void add_queries(CLI::App& verb, DataOptions& options) {
  add_queries(verb, options.queries);
  add_parsed(verb, "--range", options.range,
             "LO..HI: public range of ready-made numbers; others are clamped into it. Without it "
             "counts are clamped at 2^62 ticks of the noise, other numbers at about 2^36 "
             "sensitivities, and the release says where (limit)",
             parse_range);
}

void add_neighbours(CLI::App& verb, Neighbours& neighbours, const std::string& description) {
  add_choice(verb, "--neighbours", neighbours, description,
             names_of({Neighbours::add_remove, Neighbours::replace}));
}

CLI::Option* add_universe(CLI::App& verb, CandidateOptions& options,
                          const std::string& description) {
  return add_parsed(verb, "--universe", options.universe, description, parse_universe);
}

void add_candidates(CLI::App& verb, CandidateOptions& options, bool universe) {
  CLI::Option* list = verb.add_option("--candidates", options.list,
                                      "File with a public list of items, one per line");
  CLI::Option* declared = verb.add_flag("--items-are-public", options.items_are_public,
                                        "Declare that which items occur is no secret");
  declared->excludes(list);
  if (universe) {
    add_universe(verb, options, "LO..HI: all integer ids in this range are candidates")
        ->excludes(list)
        ->excludes(declared);
  }
}

void add_distribution(CLI::App& verb, Distribution& distribution) {
  add_choice(verb, "--noise", distribution, "exponential (default), laplace or geometric",
             names_of({Distribution::exponential, Distribution::laplace, Distribution::geometric}));
}

void add_noise(CLI::App& verb, NoiseOptions& options) {
  add_distribution(verb, options.distribution);
  add_parsed(verb, "--tick", options.tick,
             "Grid of the noise: 1 or another power of two (default: fine)", WrittenNumber::parse);
}

void add_estimator(CLI::App& verb, Method& method) {
  add_choice(verb, "--estimator", method,
             "likelihood (default): gaps and measurements as far as each tells; linear: the "
             "paper's, biased in a crowd; measured: measurements alone",
             names_of({Method::likelihood, Method::linear, Method::measured}));
}

void add_constant_work(CLI::App& verb, bool& constant_work) {
  verb.add_flag(
      "--constant-work", constant_work,
      "The same work whatever the data, slower: for a service that answers strangers, who "
      "can time it");
}

void add_stop_rule(CLI::App& verb, StopRule& rule, const std::string& description) {
  add_choice(verb, "--stop-rule", rule, description, names_of({StopRule::afford, StopRule::paper}));
}

void add_format(CLI::App& verb, std::optional<OutputFormat>& format) {
  add_choice(verb, "--format", format,
             "table, json, csv, or csv-safe: csv in which no text is a formula to a spreadsheet "
             "(default: table on a terminal, else json)",
             names_of({OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                       OutputFormat::csv_safe}));
}

void add_report(CLI::App& verb, std::optional<std::string>& report) {
  verb.add_option("--report", report, "Also write a page for a browser to this file, NAME.html")
      ->type_name("FILE");
}

void add_output(CLI::App& verb, OutputOptions& options, Secrecy secrecy) {
  add_parsed(verb, "--confidence", options.confidence, "Of intervals and bounds (default 0.95)",
             parse_confidence);
  if (secrecy == Secrecy::secret) {
    add_format(verb, options.format);
    add_report(verb, options.report);
  }
}

}  // namespace freegap::cli
