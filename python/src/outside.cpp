#include "outside.hpp"

#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

#include "asking.hpp"
#include "exact.hpp"
#include "freegap/errors.hpp"
#include "options.hpp"
#include "questions/document.hpp"
#include "release.hpp"

namespace freegap::python {

namespace nb = nanobind;
using namespace questions;  // NOLINT(google-build-using-namespace)

namespace {

/// So many bytes of disk space are held for what is drawn.
constexpr std::uint64_t room = std::uint64_t{1} << 20U;

std::string take_text(Keywords& keywords, const char* name) {
  const nb::handle text = keywords.take(name);
  if (!text.is_valid()) {
    throw InvalidParameter(name, "it must be given");
  }
  return name_text(text, name);
}

/// What one unit is, and which data sets are neighbours. Rows are no ready-made numbers: they have
/// no column of units.
sources::DataSource take_protected(Keywords& keywords) {
  const Queries queries = take_queries(keywords, Kind::counts);
  const std::string unit = take_text(keywords, "unit");
  return {queries, unit, true, unit == "row"};
}

/// What a JSON text says, as a member of a document; null where it cannot be kept: a number that no
/// double holds, half a surrogate pair, lists within lists without end. The error is not passed on,
/// since it would repeat the number.
Json kept(const std::string& text) {
  try {
    return parsed(text, deepest_level - 1);
  } catch (const Json::exception&) {
    return nullptr;
  } catch (const InvalidParameter&) {
    return nullptr;
  }
}

/// Charges `epsilon`, calls `draw` once, and settles at the whole of it: another library does not
/// say what its output shows to be unspent. `draw` returns a JSON text, the member `value` of the
/// document. What was drawn cannot be drawn again, so that a text that cannot be kept is no error.
nb::object release_outside(nb::dict given, nb::handle draw) {
  Keywords keywords(given, "release");
  const LedgerOptions ledger = take_ledger(keywords);
  const std::string mechanism = take_text(keywords, "mechanism");
  const Rational epsilon = Epsilon(exact(keywords.take("epsilon"), "epsilon")).value();
  Json parameters = Json::parse(utf8(keywords.take("parameters"), "parameters"));
  const sources::DataSource source = take_protected(keywords);
  keywords.finish();
  parameters["neighbours"] = name(source.queries().neighbours);
  Data data;
  data.raised = std::make_shared<nb::object>();
  const auto outcome = [&, caught = data.raised](ExactNoise& /*noise*/) {
    const nb::gil_scoped_acquire gil;
    try {
      Json document = head(mechanism, parameters, {epsilon, epsilon});
      document["value"] = kept(utf8(draw(), "value"));
      return Outcome{std::move(document), epsilon};
    } catch (nb::python_error& error) {
      *caught = exception_of(error);
      throw std::runtime_error("the measurement failed");
    }
  };
  Question question{.verb = mechanism,
                    .source = source,
                    .reserved = epsilon,
                    .parameters = parameters,
                    .draw = outcome,
                    .asked = {{"input", "Python"}},
                    .largest_release = room};
  if (!ledger.note.empty()) {
    question.asked["note"] = ledger.note;
  }
  return shown(answered(std::move(question), ledger, &data));
}

}  // namespace

void bind_outside(nb::module_& module) {
  module.def("release_outside", &release_outside, nb::arg("options"), nb::arg("draw"));
}

}  // namespace freegap::python
