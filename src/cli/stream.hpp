#pragma once

/// @file
/// A sparse vector that answers `name,value` lines as they arrive.

#include "freegap/sparse_vector.hpp"
#include "job.hpp"

namespace freegap::cli {

/// What a stream will be asked, all of it public.
struct StreamQuestion {
  Queries queries;              ///< of every line
  std::string unit;             ///< what is protected
  SparseVectorOptions options;  ///< budget, threshold, noise
  bool whole = false;           ///< whether all values are whole numbers
  int step = 0;                 ///< of the grid that real values are put on
  Json parameters;              ///< public description
  double confidence = 0.95;     ///< of intervals and bounds
  std::string format;           ///< table, json or csv; empty: by where it goes
};

/// Charges the worst case, answers line by line until the budget or the input ends, and settles. A
/// bad line is answered by an error, and the stream goes on. A last line without a line feed may be
/// part of one that was cut off, so it is a bad line; after an interruption it is not answered at
/// all. Throws MachineFault where the input cannot be read or the output takes nothing, after
/// settling like at any other end.
void answer(const StreamQuestion& question, const LedgerOptions& ledger, const Context& context);

}  // namespace freegap::cli
