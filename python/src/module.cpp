/// @file
/// The module freegap._core: the library, the questions of the program and its ledger for Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>

#include "alignments.hpp"
#include "asking.hpp"
#include "estimates.hpp"
#include "exact.hpp"
#include "freegap/errors.hpp"
#include "freegap/version.hpp"
#include "ledger.hpp"
#include "ledger/ledger.hpp"
#include "online.hpp"
#include "outside.hpp"
#include "questions/document.hpp"
#include "questions/passwords.hpp"
#include "release.hpp"
#include "timing.hpp"
#include "verbs.hpp"

namespace freegap::python {

namespace nb = nanobind;

namespace {

/// A message of the command line in the words of Python: --items-are-public is items_are_public.
/// What stands between quotation marks is the user's, and stays.
std::string in_python(const std::string& message) {
  static const std::regex with_delta("freegap budget create --delta");
  static const std::regex create("freegap budget create( --[a-z]+ [A-Z]+)*");
  static const std::regex option("(\"[^\"]*\")|(^|[^-A-Za-z0-9])--?([a-z][a-z-]*)");
  std::string text =
      std::regex_replace(message, with_delta, "freegap.Ledger.create(..., delta=...)");
  text = std::regex_replace(text, create,
                            "freegap.Ledger.create(path, dataset=..., epsilon=..., unit=...)");
  std::string result;
  auto last = text.cbegin();
  for (std::sregex_iterator found(text.begin(), text.end(), option), end; found != end; ++found) {
    std::string name = (*found)[3];
    std::replace(name.begin(), name.end(), '-', '_');
    result.append(last, (*found)[0].first);
    result += (*found)[1].str() + (*found)[2].str() + name;
    last = (*found)[0].second;
  }
  result.append(last, text.cend());
  return result;
}

void raise(const nb::object& exception) {
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

/// Exceptions of the library as those of the package.
void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  const auto errors = [] { return nb::module_::import_("freegap._errors"); };
  try {
    std::rethrow_exception(pointer);
  } catch (const ledger::Exceeded& exceeded) {
    raise(errors().attr("BudgetExceeded")(
        in_python(exceeded.what()), fraction(exceeded.asked()), fraction(exceeded.left()),
        fraction(exceeded.total()),
        exceeded.of() == PrivacyParameter::delta ? "delta" : "epsilon"));
  } catch (const MachineFault& fault) {
    raise(errors().attr("MachineFault")(std::string(fault.what())));
  } catch (const Exhausted& exhausted) {
    raise(errors().attr("Exhausted")(std::string(exhausted.what())));
  } catch (const Forked& forked) {
    PyErr_SetString(PyExc_RuntimeError, forked.what());
  } catch (const questions::Json::exception&) {
    PyErr_SetString(PyExc_ValueError, "release: it is not a document that freegap wrote");
  } catch (const std::invalid_argument& invalid) {
    PyErr_SetString(PyExc_ValueError, in_python(invalid.what()).c_str());
  }
}

}  // namespace

}  // namespace freegap::python

NB_MODULE(_core, module) {
  using namespace freegap::python;  // NOLINT(google-build-using-namespace)
  nb::register_exception_translator(translate);
  remember_main_thread();
  module.attr("version") = freegap::version;
  module.def("without_passwords", &freegap::questions::without_passwords, nb::arg("text"),
             "A text for the ledger, without what may be a password in it.");
  bind_release(module);
  bind_verbs(module);
  bind_ledger(module);
  bind_online(module);
  bind_outside(module);
  bind_alignments(module);
  bind_estimates(module);
#ifdef FREEGAP_TIMING
  bind_timing(module);
#endif
}
