#pragma once

/// @file
/// The candidates of a call: an array, names with numbers, or groups that an engine has counted.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "options.hpp"
#include "questions/labelled_candidates.hpp"

namespace freegap::python {

/// What to ask where candidates, or the unit of rows, were not declared.
extern const char* const which_items;
extern const char* const whose_rows;

/// Candidates, and the memory that they are a view of. Destroyed with the GIL held.
struct Data {
  std::optional<Array> values;              ///< the caller's numbers, seen in place
  Answers numbers;                          ///< the same, or copies that are clamped into a range
  std::vector<std::int64_t> clamped_whole;  ///< such copies
  std::vector<double> clamped_real;         ///< the same
  std::optional<Array> multiplicity;        ///< of groups
  std::vector<std::string> labels;          ///< names, where they were given
  std::vector<std::int64_t> ids;            ///< of a universe
  std::vector<std::int64_t> whole;          ///< numbers in the order of a public list; of items
                                            ///< nobody listed, those above 0
  std::vector<double> real;                 ///< the same
  questions::CandidateFacts facts;          ///< what is public
  std::optional<sources::DataSource> source;
  std::optional<Candidates> candidates;
  std::shared_ptr<const questions::LabelledCandidates> labelled;  ///< made by `finish`
  std::shared_ptr<nanobind::object> lookup;                       ///< of groups: names them
  std::shared_ptr<nanobind::object> raised;                       ///< what the lookup raised

  /// Makes `labelled`.
  void finish();
};

/// What a call works with besides its numbers.
struct Setting {
  Queries queries;                           ///< what the numbers mean
  std::optional<std::string> unit;           ///< whose presence is protected
  bool secret = true;                        ///< false in simulations
  const char* value = "count";               ///< the name of the numbers
  bool counted = false;                      ///< the caller has counted rows, by the column `unit`
  std::optional<sources::Range> range = {};  ///< that the numbers are clamped into
  bool unknown_items = false;                ///< nobody can list the items: see TopOptions::delta
  bool sorted = false;                       ///< by label, not as given
  /// Whether looking at all numbers would take longer than the call: a bare array that is not
  /// measured. Whether a count is negative does not matter to the guarantee.
  bool in_a_hurry = false;
};

/// kind, sensitivity, neighbours and unit of ready-made numbers; with `counted`, of rows that the
/// package has counted.
Setting take_setting(Keywords& keywords, bool secret, Kind by_default, bool needs_unit,
                     const char* value);

/// range=(low, high): the public range that numbers are clamped into, if one is given.
std::optional<sources::Range> take_range(Keywords& keywords);

/// An array, or with `labels` names and numbers, whose candidates must be declared. With `named`
/// the candidates are these names.
void take_data(Data& data, nanobind::handle values, Keywords& keywords, const Setting& setting,
               const std::vector<std::string>* named = nullptr);

/// Groups: `counts[i]` is the number of `multiplicities[i]` items, and `lookup` names them.
void take_groups(Data& data, nanobind::handle counts, nanobind::handle multiplicities,
                 nanobind::handle lookup, Keywords& keywords, const Setting& setting);

/// Names as a sequence gives them.
std::vector<std::string> names_of(nanobind::handle sequence, const char* argument);

}  // namespace freegap::python
