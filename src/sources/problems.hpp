#pragma once

/// @file
/// What becomes of malformed records: the first is refused, all are dropped, or some are kept for
/// the data's owner to see. Whether a record is malformed depends on that record alone (a repeated
/// item in a table of ready-made values apart), so dropping one leaves the others as they are.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sources/source.hpp"

namespace freegap::sources {

/// Takes note of malformed records.
class Problems {
 public:
  /// The first one is refused.
  static Problems refused() { return {Policy::refuse, 0}; }
  /// All are dropped without a word.
  static Problems dropped() { return {Policy::drop, 0}; }
  /// All are dropped, and the first `most` of them noted.
  static Problems noted(std::size_t most) { return {Policy::note, most}; }

  /// How records are called in messages: those of a file have a line, those of a query a row.
  void stand_in(std::string where, std::string record);
  /// Throws InvalidParameter if they are refused.
  void add(std::uint64_t line, const std::string& problem);
  /// What was noted.
  std::vector<BadRecord> take() { return std::move(bad_); }
  /// "line" or "row".
  [[nodiscard]] const std::string& record() const { return record_; }

 private:
  enum class Policy : std::uint8_t { refuse, drop, note };
  Problems(Policy policy, std::size_t most) : policy_(policy), most_(most) {}

  Policy policy_;
  std::size_t most_;
  std::string where_ = "input";
  std::string record_ = "line";
  std::vector<BadRecord> bad_;
};

}  // namespace freegap::sources
