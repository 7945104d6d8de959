#pragma once

/// @file
/// A question is planned and validated before it exists; then it is charged, drawn, settled and
/// stamped, in this order, whoever asks it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "freegap/noise.hpp"
#include "freegap/rational.hpp"
#include "questions/json.hpp"
#include "sources/data_source.hpp"

namespace freegap::questions {

/// The answers of a sparse vector as its page needs them. They take bounded memory, however many
/// there are.
struct DrawnAnswers {
  static constexpr std::size_t most_rows = 200;  ///< more bars than that show nothing
  Json rows = Json::array();  ///< the first ones above the threshold, as many as a page draws
  std::size_t above = 0;      ///< how many are above
  std::size_t asked = 0;      ///< how many there are

  /// Adds the row of an answer.
  void add(const Json& row) {
    ++asked;
    if (!row.value("above", false)) {
      return;
    }
    ++above;
    if (rows.size() < most_rows) {
      rows.push_back(row);
    }
  }
};

/// What was drawn: the public document that describes it, and its exact cost.
struct Outcome {
  Json document;           ///< everything public
  Rational spent;          ///< what the output shows was used
  std::string fault = {};  ///< what ended it early, if the machine did; it is settled all the same
  /// Of a stream: its answers as JSON, separated by commas. `document` has an empty list of them.
  std::string answers = {};
  std::optional<DrawnAnswers> drawn = {};  ///< of a stream: for its page
};

/// Called by a stream with the size of what it has to store, in bytes. Throws MachineFault if there
/// is no room for it.
using HoldRoom = std::function<void(std::uint64_t)>;

/// A public list of candidates that was read from a file.
struct CandidateList {
  std::uint64_t length = 0;  ///< how many
  std::string hash;          ///< SHA-256 of the names, each followed by a line feed
};

/// A bound of the bytes that the rows of a release take: so many rows in full, so many more that
/// say a name and little else, and so many bytes of names.
constexpr std::uint64_t bytes_of_rows(std::uint64_t full, std::uint64_t brief,
                                      std::uint64_t name_bytes) {
  constexpr std::uint64_t bytes_of_a_full_row = 1024;
  constexpr std::uint64_t bytes_of_a_brief_row = 64;
  return full * bytes_of_a_full_row + brief * bytes_of_a_brief_row + 2 * name_bytes;
}

/// A validated question, ready to be answered.
struct Question {
  std::string verb;                          ///< for the ledger
  sources::DataSource source;                ///< has its unit and its neighbours
  Rational reserved;                         ///< worst case
  Rational delta = 0;                        ///< 0 where pure ε holds
  Json parameters;                           ///< all public options
  std::function<Outcome(ExactNoise&)> draw;  ///< answers; of a stream, also shows each answer
  std::function<std::string(const Json&)> rest = {};  ///< of a stream: what is shown at its end
  Json asked = Json::object();                        ///< what was asked of what, for the ledger
  std::optional<CandidateList> candidate_list = {};   ///< which was named by --candidates
  /// Bytes that the rows of the release can take at most; of a stream, at first.
  std::uint64_t largest_release = 0;
  std::shared_ptr<HoldRoom> hold_room = {};  ///< of a stream: set before it is drawn
};

/// Where the cost of a release is charged.
struct LedgerOptions {
  std::string file;        ///< an existing ledger
  std::string dataset;     ///< a data set in it
  std::string note;        ///< kept with the entry
  bool no_ledger = false;  ///< the caller accounts for the cost
  bool rehearsal = false;  ///< looks whether it could be charged, and charges nothing
};

}  // namespace freegap::questions
