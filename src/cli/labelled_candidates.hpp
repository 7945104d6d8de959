#pragma once

/// @file
/// The candidates of a release: who they are, which is public, and their numbers, which are secret.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "freegap/candidates.hpp"
#include "options.hpp"

namespace freegap::cli {

/// Candidates with their labels. Nothing a labelled says about a label depends on whether it is in
/// the data.
class LabelledCandidates {
 public:
  /// Reads the data and declares the candidates. Refuses a candidate list that nobody declared
  /// public, unless the data is no secret. `whole` asks for whole numbers.
  static LabelledCandidates read(const DataOptions& options, const Queries& queries, bool whole,
                                 Secrecy secrecy);
  /// Reads the data; the candidates are `labels`, which are public.
  static LabelledCandidates of(std::vector<std::string> labels, const DataOptions& options,
                               const Queries& queries, bool whole);

  /// The candidates, as a view of this labelled.
  [[nodiscard]] Candidates candidates() const;
  /// The public name of a candidate.
  [[nodiscard]] std::string label(const Item& item) const;
  /// What one unit of the data is.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// How the candidates were declared.
  [[nodiscard]] const std::string& mode() const { return mode_; }
  /// The range of ids, where that is how they were declared.
  [[nodiscard]] const std::optional<Universe>& universe() const { return universe_; }

 private:
  void sort_by_label();
  void take(const sources::Values& values, const DataOptions& options);
  void take_ids(const sources::Values& values);
  void take_listed(const sources::Values& values);

  Queries queries_;
  bool is_whole_ = true;
  std::string unit_;
  std::string mode_;
  std::optional<Universe> universe_;
  std::vector<std::string> labels_;  // without a universe
  std::vector<std::int64_t> ids_;    // with a universe: those in the data
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
};

}  // namespace freegap::cli
