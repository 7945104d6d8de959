#pragma once

/// @file
/// A release as Python holds it: public data alone. Its document is written when it is asked for.

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "freegap/release.hpp"
#include "questions/json.hpp"

namespace freegap::python {

/// A release.
class Release {
 public:
  /// A document that is written already.
  explicit Release(questions::Json document);
  /// The cost, and how the document is written on demand, from public data alone.
  Release(Cost cost, std::function<questions::Json()> write)
      : cost_(std::move(cost)), write_(std::move(write)) {}

  /// The document.
  const questions::Json& document() const;
  /// The document on one line.
  [[nodiscard]] std::string json() const { return questions::line_of(document()); }
  /// What was reserved and spent.
  [[nodiscard]] const Cost& cost() const { return cost_; }

 private:
  Cost cost_;
  std::function<questions::Json()> write_;
  mutable std::optional<questions::Json> document_;
};

/// Documents are nested no more deeply than this: writing one without end would overflow the stack.
constexpr int deepest_level = 64;

/// A document that may come from anywhere, or a part of one. Throws InvalidParameter where it is
/// nested more deeply.
questions::Json parsed(const std::string& json, int deepest = deepest_level);

/// A release as an object of the class that the package made of it (freegap/_releases.py).
nanobind::object shown(Release release);

/// Adds the class to the module.
void bind_release(nanobind::module_& module);

}  // namespace freegap::python
