#include "asking.hpp"

#include <nanobind/stl/string.h>

#include <cfenv>

#include "exact.hpp"
#include "freegap/errors.hpp"
#include "freegap/version.hpp"
#include "questions/ledger_entry.hpp"
#include "sources/text.hpp"

namespace freegap::python {

namespace nb = nanobind;
using questions::Json;

namespace {

/// The thread in which Python handles signals.
unsigned long main_thread = 0;

/// Raises what the caller's own code raised during a draw, now that it is known what is charged.
/// Its traceback is dropped: frames of a lookup hold the counts of the winners.
[[noreturn]] void raise_again(const nb::object& raised, const char* message, bool charged) {
  PyException_SetTraceback(raised.ptr(), Py_None);
  if (!charged || PyObject_IsInstance(raised.ptr(), PyExc_Exception) != 1) {
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
  } else {
    const nb::object fault =
        nb::module_::import_("freegap._errors").attr("MachineFault")(nb::str(message));
    PyException_SetCause(fault.ptr(), nb::object(raised).release().ptr());
    PyErr_SetObject(fault.type().ptr(), fault.ptr());
  }
  throw nb::python_error();
}

}  // namespace

nb::object exception_of(nb::python_error& error) {
  error.restore();
#if PY_VERSION_HEX >= 0x030C0000
  return nb::steal(PyErr_GetRaisedException());
#else
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) {
    PyException_SetTraceback(value, trace);
  }
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return nb::steal(value);
#endif
}

void remember_main_thread() {
  main_thread = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
}

void raise_interrupt() {
  if (PyThread_get_thread_ident() != main_thread) {
    return;
  }
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) {
    throw nb::python_error();
  }
}

SecureNoise& thread_noise() {
  thread_local SecureNoise noise;
  // The object checked this when it was made, but other libraries may change it later.
  if (std::fegetround() != FE_TONEAREST) {
    throw MachineFault("floating-point arithmetic must round to nearest");
  }
  return noise;
}

questions::LedgerOptions take_ledger(Keywords& keywords) {
  if (!keywords.present("ledger")) {
    throw InvalidParameter("ledger",
                           "where is the cost to be charged? Say ledger=freegap.Ledger(...), or "
                           "ledger=None if you account for the cost yourself. Nothing was spent");
  }
  const nb::handle ledger = keywords.take("ledger");
  questions::LedgerOptions options;
  if (const nb::handle note = keywords.take("note"); note.is_valid()) {
    options.note = PyUnicode_Check(note.ptr()) ? utf8(note, "note") : std::string();
    if (options.note.empty() || options.note.size() > 1000 ||
        sources::text_problem(options.note) != nullptr) {
      throw InvalidParameter("note",
                             "a note is 1 to 1000 bytes of UTF-8 without control characters");
    }
  }
  options.no_ledger = !ledger.is_valid();
  if (ledger.is_valid()) {
    if (!nb::hasattr(ledger, "_charged_to")) {
      throw nb::type_error("ledger: give a freegap.Ledger, or None");
    }
    const nb::object place = ledger.attr("_charged_to")();
    options.file = nb::cast<std::string>(place[0]);
    options.dataset = nb::cast<std::string>(place[1]);
    options.rehearsal = nb::len(place) > 2;  // see freegap/_counting.py
  }
  return options;
}

Json what_was_asked(nb::dict given, const Data* data, const std::string& note) {
  Json asked;
  asked["input"] = "Python";
  for (const char* name : {"input", "sql"}) {
    if (given.contains(name) && PyUnicode_Check(nb::handle(given[name]).ptr())) {
      asked[name] = utf8(given[name], name);
    }
  }
  if (data != nullptr && data->facts.list) {
    asked["candidates"] = {{"length", data->facts.list->length},
                           {"sha256", data->facts.list->hash}};
  }
  Json& options = asked["options"] = Json::object();
  for (const auto& [key, value] : given) {
    const std::string name = nb::str(key).c_str();
    const bool simple = PyUnicode_Check(value.ptr()) || PyFloat_Check(value.ptr()) ||
                        PyLong_Check(value.ptr()) || value.type().is(&PyRange_Type) ||
                        nb::hasattr(value, "as_integer_ratio");
    if (simple && name != "input" && name != "sql" && name != "note") {
      options[name] = utf8(nb::str(value), name.c_str());
    }
  }
  asked["freegap"] = version;
  if (!note.empty()) {
    asked["note"] = note;
  }
  return asked;
}

Release answered(questions::Question question, const questions::LedgerOptions& ledger,
                 const Data* data) {
  SecureNoise& noise = thread_noise();  // throws without entropy, before anything is charged
  questions::Outcome outcome;
  try {
    const nb::gil_scoped_release no_gil;
    questions::LedgerEntry entry(ledger, question, raise_interrupt);
    outcome = questions::settled(question, entry, noise);
    entry.stamp(outcome.document);
  } catch (const MachineFault& fault) {
    if (data != nullptr && data->raised && data->raised->is_valid()) {
      raise_again(*data->raised, fault.what(), !ledger.no_ledger && !ledger.rehearsal);
    }
    throw;
  }
  return Release(std::move(outcome.document));
}

nb::list simulated(const questions::Question& question, std::uint64_t runs, std::uint64_t seed,
                   const Data& data) {
  nb::list releases;
  InsecureSeededNoise noise(seed);
  for (std::uint64_t run = 1; run <= runs; ++run) {
    questions::Outcome outcome;
    try {
      const nb::gil_scoped_release no_gil;
      outcome = question.draw(noise);
    } catch (const std::runtime_error& error) {
      if (data.raised && data.raised->is_valid()) {
        raise_again(*data.raised, error.what(), false);
      }
      throw;
    }
    outcome.document["simulated"] = {{"seed", seed}, {"run", run}};
    releases.append(shown(Release(std::move(outcome.document))));
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  }
  return releases;
}

}  // namespace freegap::python
