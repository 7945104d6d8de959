#pragma once

/// @file
/// Options that several verbs share, and how their texts are understood.

#include <cstdint>
#include <optional>
#include <string>

#include "freegap/distribution.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "sources/source.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
class Option;
class Validator;
}  // namespace CLI

namespace freegap::cli {

/// Whether the data a verb reads is secret. `simulate` works on data that is not.
enum class Secrecy : std::uint8_t { secret, not_secret };

/// Where data comes from, what its numbers mean, and who the candidates are.
struct DataOptions {
  std::string input;                      ///< a file, or "-"
  std::string input_format;               ///< dat (.gz, .zst), csv or tsv; empty: by the name
  std::string sqlite;                     ///< a database
  std::string query;                      ///< what to ask it
  std::string item;                       ///< column of items
  std::string unit;                       ///< column of units, or what ready-made counts count
  bool skip_bad_records = false;          ///< drop them, without a word
  std::string kind;                       ///< counts or general; empty: the verb's default
  std::string sensitivity = "1";          ///< the most that one unit changes one number
  std::string neighbours = "add-remove";  ///< or replace
  std::string candidates;                 ///< file with a public list
  std::string universe;                   ///< LO..HI
  bool items_are_public = false;          ///< said outright
  bool sorted = false;                    ///< by label, not as in the data
};

/// How a release is shown.
struct OutputOptions {
  std::string format;               ///< table, json or csv; empty: by where it goes
  std::string confidence = "0.95";  ///< of intervals and claims
  /// `confidence` as a number; throws InvalidParameter unless it is above 0 and below 1.
  [[nodiscard]] double level() const;
};

/// How noise is drawn.
struct NoiseOptions {
  std::string distribution = "exponential";  ///< or laplace, geometric
  std::string tick;                          ///< a power of two; empty: fine enough
};

/// Refuses what is not a whole number from 0 on, written without leading zeros.
CLI::Validator whole_number();
/// Refuses what is not a whole number from 1 on, written without leading zeros.
CLI::Validator at_least_one();
/// INPUT, --input-format, --sqlite, --query, --item, --unit, --skip-bad-records. `dash` says what a
/// - for INPUT does.
void add_input(CLI::App& verb, DataOptions& options,
               const std::string& dash = "for standard input");
/// --kind, --sensitivity, --neighbours.
void add_queries(CLI::App& verb, DataOptions& options);
/// --candidates, --items-are-public and, where it makes sense, --universe.
void add_candidates(CLI::App& verb, DataOptions& options, bool universe);
/// --noise and --tick.
void add_noise(CLI::App& verb, NoiseOptions& options);
/// --format.
void add_format(CLI::App& verb, std::string& format);
/// --confidence and, unless the output is that of a simulation, --format.
void add_output(CLI::App& verb, OutputOptions& options, Secrecy secrecy);

/// A number given for `flag`. Throws InvalidParameter, naming the flag.
Rational rational_of(const std::string& flag, const std::string& text);
/// A budget given for `flag`.
Epsilon epsilon_of(const std::string& flag, const std::string& text);
/// The share of a budget given for `flag`: at least 0, below 1.
Rational share_of(const std::string& flag, const std::string& text);
/// The tick, where one was given.
std::optional<Rational> tick_of(const NoiseOptions& options);
/// The distribution by its name.
Distribution distribution_of(const std::string& name);
/// Neighbours by their name.
Neighbours neighbours_of(const std::string& name);
/// Whether the program itself counts: transactions, or rows with --item. Follows from the options
/// alone, so that everything that depends on it is the same whatever the data holds.
bool counts_records(const DataOptions& options);
/// What is asked, `by_default` standing in where no kind was given. Real numbers are put on a
/// public grid when they are read, and the sensitivity is rounded up to it
/// (docs/sources.md).
Queries queries_of(const DataOptions& options, Kind by_default, bool whole);
/// The grid that real numbers are put on.
sources::RealGrid real_grid_of(const DataOptions& options);
/// What the readers need to know. `numbers` are those of ready-made values.
sources::Input source_of(const DataOptions& options, sources::Numbers numbers);

}  // namespace freegap::cli
