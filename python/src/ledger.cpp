#include "ledger.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "asking.hpp"
#include "exact.hpp"
#include "freegap/errors.hpp"
#include "ledger/ledger.hpp"
#include "questions/json.hpp"
#include "questions/ledger_entry.hpp"
#include "questions/user.hpp"

namespace freegap::python {

namespace nb = nanobind;
using questions::Json;
using questions::line_of;

namespace {

Neighbours neighbours_of(const std::string& text) {
  for (const Neighbours known : {Neighbours::add_remove, Neighbours::replace}) {
    if (text == name(known)) {
      return known;
    }
  }
  throw InvalidParameter("neighbours", "give \"add-remove\" or \"replace\"");
}

/// An open ledger. Ctrl-C ends a wait for other processes.
ledger::Ledger opened(const std::string& path) { return ledger::Ledger(path, raise_interrupt); }

Json described(const ledger::Ledger& file, const std::string& dataset) {
  const ledger::Dataset about = file.dataset(dataset);
  Json result{{"dataset", about.name},
              {"unit", about.unit},
              {"neighbours", name(about.neighbours)},
              {"column", about.column ? Json(*about.column) : Json()},
              {"closed", about.closed}};
  result.update(questions::balance_document(file.balance(dataset)));
  return result;
}

Json described(const ledger::Entry& entry) {
  const auto parsed = [](const std::string& text) {
    return text.empty() ? Json() : Json::parse(text);
  };
  return {
      {"entry", entry.number},        {"dataset", entry.dataset},
      {"time", entry.time},           {"who", entry.who},
      {"verb", entry.verb},           {"parameters", parsed(entry.parameters)},
      {"asked", parsed(entry.asked)}, {"reserved", entry.reserved.str()},
      {"delta", entry.delta.str()},   {"spent", entry.spent ? Json(entry.spent->str()) : Json()}};
}

void create(const std::string& path, nb::handle dataset, nb::handle epsilon, nb::handle unit,
            nb::handle neighbours, nb::handle column, nb::handle delta) {
  const ledger::Dataset made{
      .name = utf8(dataset, "dataset"),
      .total = Epsilon(exact(epsilon, "epsilon")).value(),
      .unit = utf8(unit, "unit"),
      .neighbours = neighbours_of(utf8(neighbours, "neighbours")),
      .column = column.is_none() ? std::nullopt : std::optional(utf8(column, "column")),
      .delta = delta.is_none() ? Rational(0) : Delta(exact(delta, "delta")).value()};
  questions::check_unit_column(made.unit, made.column);
  const nb::gil_scoped_release no_gil;
  ledger::Ledger::create(path, made, raise_interrupt);
}

std::string about(const std::string& path, nb::handle dataset) {
  const std::string name = utf8(dataset, "dataset");
  const nb::gil_scoped_release no_gil;
  return line_of(described(opened(path), name));
}

std::string datasets(const std::string& path) {
  const nb::gil_scoped_release no_gil;
  Json names = Json::array();
  for (const ledger::Dataset& dataset : opened(path).datasets()) {
    names.push_back(dataset.name);
  }
  return line_of(names);
}

std::string history(const std::string& path, const std::string& dataset) {
  const nb::gil_scoped_release no_gil;
  Json entries = Json::array();
  for (const ledger::Entry& entry : opened(path).history(dataset)) {
    entries.push_back(described(entry));
  }
  return line_of(entries);
}

/// The stored release; nothing while the entry is unfinished.
std::optional<std::string> stored(const std::string& path, nb::handle entry) {
  const auto number = static_cast<std::int64_t>(whole(entry, "entry", 1, INT64_MAX));
  const nb::gil_scoped_release no_gil;
  return opened(path).entry(number).release;
}

nb::tuple head(const std::string& path) {
  const ledger::Head found = [&] {
    const nb::gil_scoped_release no_gil;
    return opened(path).head();
  }();
  return nb::make_tuple(found.rows, found.hash);
}

nb::tuple check(const std::string& path, nb::handle head) {
  std::optional<ledger::Head> earlier;
  if (!head.is_none()) {
    if (!(PyTuple_Check(head.ptr()) || PyList_Check(head.ptr())) || nb::len(head) != 2) {
      throw nb::type_error("head: give what head() returned, a pair of an int and a str");
    }
    earlier = ledger::Head{static_cast<std::int64_t>(whole(head[0], "head", 0, INT64_MAX)),
                           utf8(head[1], "head")};
  }
  const ledger::Head found = [&] {
    const nb::gil_scoped_release no_gil;
    return opened(path).check(earlier);
  }();
  return nb::make_tuple(found.rows, found.hash);
}

void close(const std::string& path, const std::string& dataset) {
  const nb::gil_scoped_release no_gil;
  opened(path).close(dataset, questions::user());
}

nb::tuple copy(const std::string& path, const std::string& to, bool closed) {
  const ledger::Head made = [&] {
    const nb::gil_scoped_release no_gil;
    return ledger::Ledger(path).copy(to, questions::user(),
                                     closed ? ledger::Copy::closed : ledger::Copy::moved);
  }();
  return nb::make_tuple(made.rows, made.hash);
}

}  // namespace

void bind_ledger(nb::module_& module) {
  module.def("ledger_create", &create, nb::arg("path"), nb::arg("dataset").none(),
             nb::arg("epsilon").none(), nb::arg("unit").none(), nb::arg("neighbours").none(),
             nb::arg("column").none(), nb::arg("delta").none());
  module.def("ledger_about", &about, nb::arg("path"), nb::arg("dataset").none());
  module.def("ledger_datasets", &datasets);
  module.def("ledger_history", &history);
  module.def("ledger_stored", &stored, nb::arg("path"), nb::arg("entry").none());
  module.def("ledger_head", &head);
  module.def("ledger_check", &check, nb::arg("path"), nb::arg("head").none());
  module.def("ledger_close", &close);
  module.def("ledger_copy", &copy);
}

}  // namespace freegap::python
