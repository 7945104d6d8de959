#pragma once

/// @file
/// Options that several verbs share. Each text of the command line is parsed once, here, to its
/// type; what is refused is reported with the option's name.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "questions/options.hpp"
#include "sources/data_source.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
class Option;
}  // namespace CLI

namespace freegap::cli {

/// How a release is shown.
struct OutputOptions {
  std::optional<OutputFormat> format;  ///< none: by where it goes
  double confidence = 0.95;            ///< of intervals and claims, above 0 and below 1
  std::optional<std::string> report;   ///< file for a page about the release
};

/// An option whose text `take` understands; the InvalidParameter that it throws is reported under
/// the name of the flag. `type` is shown in the help.
CLI::Option* add_text(CLI::App& verb, const std::string& flag, const std::string& description,
                      std::function<void(const std::string&)> take, const char* type = "TEXT");
/// An option that takes one of some texts, and hands on which.
CLI::Option* add_one_of(CLI::App& verb, const std::string& flag, const std::string& description,
                        std::vector<std::string> texts, std::function<void(std::size_t)> take);

/// An option whose text `parse` turns into the target's type.
template <class Target, class Parse>
CLI::Option* add_parsed(CLI::App& verb, const std::string& flag, Target& target,
                        const std::string& description, Parse parse, const char* type = "TEXT") {
  return add_text(
      verb, flag, description, [&target, parse](const std::string& text) { target = parse(text); },
      type);
}

/// A whole number from `least` to `most`, written without sign or leading zeros. Throws
/// InvalidParameter.
std::uint64_t parse_whole(const std::string& text, std::uint64_t least, std::uint64_t most);
/// A whole number from `least` to `most` that the target's type can hold. Decimal only: 010 is not
/// eight, and 0x10 is no number.
template <class Target>
CLI::Option* add_number(CLI::App& verb, const std::string& flag, Target& target,
                        const std::string& description, std::uint64_t least = 1,
                        std::uint64_t most = UINT64_MAX) {
  using Number = typename decltype(std::optional(target))::value_type;
  most = std::min<std::uint64_t>(most, std::numeric_limits<Number>::max());
  return add_parsed(
      verb, flag, target, description,
      [=](const std::string& text) { return static_cast<Number>(parse_whole(text, least, most)); },
      "UINT");
}

/// Values by their names.
template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;
/// Values of an enumeration by the names that `name(value)` gives them.
template <class Value>
Names<Value> names_of(std::initializer_list<Value> values) {
  Names<Value> names;
  for (const Value value : values) {
    names.emplace_back(name(value), value);
  }
  return names;
}
/// An option that takes one of some values by its name.
template <class Target, class Value>
CLI::Option* add_choice(CLI::App& verb, const std::string& flag, Target& target,
                        const std::string& description, const Names<Value>& names) {
  std::vector<std::string> texts;
  for (const auto& [text, value] : names) {
    texts.push_back(text);
  }
  return add_one_of(verb, flag, description, texts,
                    [&target, names](std::size_t i) { target = names[i].second; });
}

/// The share of a budget: at least 0, below 1. Throws InvalidParameter.
Rational parse_share(const std::string& text);

/// The name of an item as the readers take it: without blanks around it, and not empty. Throws
/// InvalidParameter under the name of the flag.
std::string item_name(const std::string& flag, const std::string& text);

/// INPUT, --input-format, --separator, --parquet, --sqlite, --duckdb, --query, --item, --value,
/// --unit and
/// --skip-bad-records. `dash` says what a - for INPUT does.
void add_input(CLI::App& verb, sources::Input& input,
               const std::string& dash = "for standard input");
/// --max-items.
void add_max_items(CLI::App& verb, std::optional<std::uint64_t>& max_items,
                   const std::string& description);
/// --max-items and --bounded-by.
void add_bounds(CLI::App& verb, sources::Input& input);
/// --kind, --sensitivity, --neighbours.
void add_queries(CLI::App& verb, QueryOptions& options);
/// The same, and --range.
void add_queries(CLI::App& verb, DataOptions& options);
/// --neighbours.
void add_neighbours(CLI::App& verb, Neighbours& neighbours, const std::string& description);
/// --universe.
CLI::Option* add_universe(CLI::App& verb, CandidateOptions& options,
                          const std::string& description);
/// --candidates, --items-are-public and, where it makes sense, --universe.
void add_candidates(CLI::App& verb, CandidateOptions& options, bool universe);
/// --noise.
void add_distribution(CLI::App& verb, Distribution& distribution);
/// --noise and --tick.
void add_noise(CLI::App& verb, NoiseOptions& options);
/// How estimates are made of what was selected.
void add_estimator(CLI::App& verb, Method& method);
/// --constant-work.
void add_constant_work(CLI::App& verb, bool& constant_work);
/// --stop-rule.
void add_stop_rule(CLI::App& verb, StopRule& rule, const std::string& description);
/// --format.
void add_format(CLI::App& verb, std::optional<OutputFormat>& format);
/// --report.
void add_report(CLI::App& verb, std::optional<std::string>& report);
/// --confidence and, unless the output is that of a simulation, --format and --report.
void add_output(CLI::App& verb, OutputOptions& options, Secrecy secrecy);

}  // namespace freegap::cli
