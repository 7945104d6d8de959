#pragma once

/// @file
/// The verification suite: everything that is checked about every mechanism, as one report.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace freegap::verify {

/// How much to check.
struct SuiteOptions {
  std::uint64_t replays = 100'000;         ///< tapes for each variant
  std::uint64_t black_box_runs = 200'000;  ///< runs of the shipped path for each black-box bound
  unsigned threads = 1;                    ///< to check with
  std::uint64_t seed = 1;                  ///< of tapes and inputs: checks are repeatable
  /// Called by one thread at a time with the number of rows of the current check that are done.
  std::function<void(std::size_t done, std::size_t all)> progress = nullptr;
};

/// What was found about one mechanism in one variant.
struct Row {
  std::string mechanism;      ///< top-k, sparse vector, ...
  std::string variant;        ///< noise, kind of queries, ...
  std::uint64_t replays = 0;  ///< tapes whose alignment was checked
  std::optional<double>
      alignment;  ///< worst cost of an alignment, as a share of the cost that the release states
  std::optional<double>
      exact;  ///< worst loss by enumeration, as a share of the cost that the release states
  std::optional<double>
      black_box;        ///< lower bound on the loss from runs of the shipped path, as a share of ε
  std::string problem;  ///< what does not hold; empty where everything holds
  bool same_distribution =
      false;  ///< by enumeration: the distribution is exactly that of the reference
};

/// What was found about a mechanism that is known to be wrong.
struct BadRow {
  std::string name;             ///< what is wrong with it
  bool by_alignment = false;    ///< caught by the alignment checker
  bool by_enumeration = false;  ///< caught by the enumerator
  std::string evidence;         ///< how: the largest excess, or the counterexample's problem

  /// Whether anything caught it.
  [[nodiscard]] bool caught() const { return by_alignment || by_enumeration; }
};

/// Everything that was checked.
struct Report {
  std::vector<Row> rows;         ///< mechanisms that must hold
  std::vector<BadRow> bad_rows;  ///< mechanisms that must be caught
  double seconds = 0;            ///< taken

  /// Whether every row holds and every bad variant was caught.
  [[nodiscard]] bool passed() const;
};

/// Rows of the same mechanism and variant as one: replays added up, the worst of each figure, all
/// problems.
std::vector<Row> merged(const std::vector<Row>& rows);

/// One row for each mechanism, kind of queries and distribution of noise: the worst cost of its
/// alignment as a share of what the release states. The exponential mechanism has no alignment; its
/// row has the worst loss in closed form.
std::vector<Row> check_alignments(const SuiteOptions& options);
/// Losses, and distributions of the ways to find the noisy top m, by enumeration.
std::vector<Row> check_enumerations(const SuiteOptions& options);
/// Lower bounds on losses from samples, at an overall confidence of 1 - 1e-6.
std::vector<Row> check_black_boxes(const SuiteOptions& options);
/// Puts every bad variant, with the alignment and the cost that its author would claim, through the
/// alignment checker and the enumeration.
std::vector<BadRow> check_bad_variants(const SuiteOptions& options);

/// One part of the suite: adds what it finds to a report.
struct Check {
  std::string name;                                          ///< for showing progress
  std::function<void(const SuiteOptions&, Report&)> add_to;  ///< runs it
};

/// The four checks above, over the mechanisms of mechanism_table.hpp.
std::vector<Check> all_checks();

/// Runs the checks given. `starting` is called with the name of each before it starts.
Report run_suite(const SuiteOptions& options, const std::vector<Check>& checks = all_checks(),
                 const std::function<void(const std::string&)>& starting = nullptr);

}  // namespace freegap::verify
