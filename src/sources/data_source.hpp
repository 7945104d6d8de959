#pragma once

/// @file
/// What an input is. Format, unit and type of numbers are decided here, once, from what was
/// declared and never from what the data holds; all others ask.

#include <optional>
#include <string>
#include <string_view>

#include "freegap/grid.hpp"
#include "freegap/queries.hpp"
#include "sources/source.hpp"

namespace freegap::sources {

/// What is declared about an input, besides where it is.
struct Declaration {
  Queries queries;           ///< kind, neighbours and sensitivity
  bool stream = false;       ///< `name,value` lines, answered as they arrive
  bool whole_noise = false;  ///< the noise is whole, and so must be all numbers
};

/// Queries as they are answered. Real numbers are put on a public grid when they are read, and
/// their sensitivity is rounded up to it (docs/sources.md); that of whole numbers must be at least
/// 1. Throws InvalidParameter.
Queries answered(const Queries& declared, bool whole);

/// An input with all that follows from its declaration. Holds no data.
class DataSource {
 public:
  /// Throws InvalidParameter where the input or the declaration makes no sense.
  DataSource(Input input, const Declaration& declared);

  /// What its records are.
  [[nodiscard]] Records records() const { return records_; }
  /// What is protected: "transaction", the column of units, what ready-made numbers were said to
  /// count, or "row".
  [[nodiscard]] std::string unit() const;
  /// Whether all its numbers are whole: counts, all that is counted here, and all that gets noise
  /// of whole numbers.
  [[nodiscard]] bool whole() const { return input_.numbers != Numbers::real; }
  /// What is asked, with the sensitivity of the numbers as they are read.
  [[nodiscard]] const Queries& queries() const { return queries_; }

  /// Reads and counts: see sources::read. Not for streams.
  [[nodiscard]] Values read() const;
  /// Collects malformed records: see sources::check. Not for streams.
  [[nodiscard]] Values check() const;
  /// A number of a stream, put on the grid as those of a file are; nothing if it is malformed.
  [[nodiscard]] std::optional<Answer> number(std::string_view text) const;

 private:
  Input input_;
  Records records_;
  Queries queries_;
};

}  // namespace freegap::sources
