#pragma once

/// @file
/// Keyword arguments as the options of questions, under the names of the command line.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "questions/above.hpp"
#include "questions/choose.hpp"
#include "questions/plan.hpp"
#include "questions/top.hpp"

namespace freegap::python {

/// Keyword arguments, of which each is taken once. None stands for "not given".
class Keywords {
 public:
  /// `call` is the name of the function, for messages.
  Keywords(nanobind::dict given, const char* call)
      : given_(std::move(given)), call_(call), size_(given_.size()) {}

  /// The argument of this name; a null handle where it was not given or is None.
  nanobind::handle take(const char* name);
  /// Whether it was given, and is not None.
  bool given(const char* name);
  /// Whether it was given, None included.
  bool present(const char* name);
  /// Throws TypeError unless all that was given was taken.
  void finish();
  /// Throws TypeError with this message. It also names unknown options, which may be misspellings.
  [[noreturn]] void missing(const char* message) const;

 private:
  nanobind::dict given_;
  const char* call_;
  std::size_t size_;
  std::size_t taken_ = 0;
  std::array<const char*, 32> names_{};  // of those that were taken; a call takes fewer
};

/// True or False. Throws TypeError otherwise.
bool flag(nanobind::handle value, const char* name);
/// A text of 1 to 1024 bytes without control characters.
std::string name_text(nanobind::handle value, const char* name);

/// kind, neighbours, sensitivity. Numbers that are not counts need both kind and sensitivity.
Queries take_queries(Keywords& keywords, Kind by_default);
/// Above 0 and below 1; 0.95 unless said otherwise.
double take_confidence(Keywords& keywords);
/// How estimates are made.
Method take_method(Keywords& keywords);
/// k, epsilon, measure, noise, tick, theta, classic, constant_work, estimator.
void take_selection(Keywords& keywords, questions::SelectionOptions& options, const char* measure);
/// The same, threads, unknown_items, delta, prefer and, of a hybrid, threshold.
questions::TopOptions take_top(Keywords& keywords, bool hybrid);
/// Completes these options by what the numbers mean, and refuses what does not go together.
void check_top(questions::TopOptions& options, const Queries& queries,
               const std::optional<sources::Range>& range);
/// The same as take_selection, threshold and what else a sparse vector takes.
questions::AboveOptions take_above(Keywords& keywords);
/// What `plan` takes.
questions::PlanOptions take_plan(Keywords& keywords, const char* measure, bool above);

}  // namespace freegap::python
