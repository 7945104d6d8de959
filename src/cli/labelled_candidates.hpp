#pragma once

/// @file
/// The candidates of a release: their labels, which are public, and their numbers, which are
/// secret.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/release.hpp"
#include "freegap/candidates.hpp"

namespace freegap::cli {

/// Refuses names that are not among the candidates, where these were declared: both are public, and
/// a mistyped name would be measured as noise around 0. Throws InvalidParameter. Returns the list
/// that was read from a file, if any.
std::optional<CandidateList> check_named(const std::vector<std::string>& names,
                                         const CandidateOptions& options);

/// Candidates with their labels. Nothing that is said about a label depends on whether it is in the
/// data.
class LabelledCandidates {
 public:
  /// Reads the data and declares the candidates. Refuses a list of candidates that was not declared
  /// public, unless the data is no secret.
  LabelledCandidates(const CandidateOptions& options, const sources::DataSource& source,
                     Secrecy secrecy);
  /// Reads the data; the candidates are `labels`, which are public.
  LabelledCandidates(std::vector<std::string> labels, const sources::DataSource& source);
  LabelledCandidates(const LabelledCandidates&) = delete;
  LabelledCandidates& operator=(const LabelledCandidates&) = delete;
  ~LabelledCandidates() = default;

  /// The candidates.
  [[nodiscard]] const Candidates& candidates() const { return *candidates_; }
  /// The public name of a candidate.
  [[nodiscard]] std::string label(const Item& item) const;
  /// Where they come from.
  [[nodiscard]] const sources::DataSource& source() const { return source_; }
  /// Adds how they were declared, and how many they are, to the parameters of a release.
  void describe(Json& parameters) const;
  /// The list of candidates that was read from a file, if any.
  [[nodiscard]] const std::optional<CandidateList>& list() const { return list_; }
  /// The most bytes that the names of so many candidates can have.
  [[nodiscard]] std::uint64_t name_bytes(std::uint64_t count) const;
  /// Adds the column that ready-made numbers stand in; nothing for what is counted.
  void describe_value(Json& parameters) const;

 private:
  void take_all(sources::Values values);
  void take_ids(const sources::Values& values);
  void take_listed(const sources::Values& values);
  void sort_by_label();
  [[nodiscard]] Candidates view() const;

  sources::DataSource source_;
  std::string mode_;
  std::string value_column_;  // of ready-made numbers
  std::optional<Universe> universe_;
  std::optional<CandidateList> list_;
  std::vector<std::string> labels_;  // without a universe
  std::vector<std::int64_t> ids_;    // with a universe: those in the data
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::optional<Candidates> candidates_;  // a view of the above
};

}  // namespace freegap::cli
