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

/// Candidates, and the memory that they are a view of. Destroyed with the GIL held.
struct Data {
  std::optional<Array> values;        ///< the caller's numbers, seen in place
  std::optional<Array> multiplicity;  ///< of groups
  std::vector<std::string> labels;    ///< names, where they were given
  std::vector<std::int64_t> ids;      ///< of a universe
  std::vector<std::int64_t> whole;    ///< numbers in the order of a public list
  std::vector<double> real;           ///< the same
  questions::CandidateFacts facts;    ///< what is public
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
  Queries queries;                  ///< what the numbers mean
  std::optional<std::string> unit;  ///< whose presence is protected
  bool secret = true;               ///< false in simulations
  const char* value = "count";      ///< the name of the numbers
  bool counted = false;             ///< the caller has counted rows, by the column `unit`
};

/// kind, sensitivity, neighbours and unit of ready-made numbers; with `counted`, of rows that the
/// package has counted.
Setting take_setting(Keywords& keywords, bool secret, Kind by_default, bool needs_unit,
                     const char* value);

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
