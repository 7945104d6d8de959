#pragma once

/// @file
/// Policies for malformed records: refuse the first, drop all, or drop all and list some for the
/// owner of the data. Whether a record is malformed depends on that record alone, so dropping one
/// does not change the others. (The exception is a repeated item in a table of ready-made values.)

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sources/source.hpp"

namespace freegap::sources {

/// Receives malformed records.
class Problems {
 public:
  /// The first one is refused.
  static Problems refused() { return {Policy::refuse, 0}; }
  /// All are dropped silently.
  static Problems dropped() { return {Policy::drop, 0}; }
  /// All are dropped, and the first `most` of them are kept in a list.
  static Problems noted(std::size_t most) { return {Policy::note, most}; }

  /// The name of a record's position in messages: "line" for files, "row" for queries.
  void stand_in(std::string where, std::string record);
  /// Throws InvalidParameter if they are refused.
  void add(std::uint64_t line, const std::string& problem);
  /// The list of malformed records.
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
