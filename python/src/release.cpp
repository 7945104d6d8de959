#include "release.hpp"

#include <nanobind/stl/string.h>

#include "exact.hpp"
#include "freegap/errors.hpp"
#include "report/numbers.hpp"
#include "report/release_page.hpp"

namespace freegap::python {

namespace nb = nanobind;

namespace {

/// The class of the package; never freed, as classes are not.
PyObject* release_class = nullptr;

}  // namespace

questions::Json parsed(const std::string& json, int deepest) {
  return questions::Json::parse(json, [=](int depth, auto /*event*/, const auto& /*value*/) {
    if (depth > deepest) {
      throw InvalidParameter("json", "it is nested more deeply than any release");
    }
    return true;
  });
}

Release::Release(questions::Json document)
    : cost_{report::written_fraction(document.at("epsilon").at("reserved").get<std::string>()),
            report::written_fraction(document.at("epsilon").at("spent").get<std::string>()),
            report::written_fraction(document.value("delta", "0"))},
      document_(std::move(document)) {}

const questions::Json& Release::document() const {
  if (!document_) {
    document_ = write_();
  }
  return *document_;
}

nb::object shown(Release release) {
  if (release_class == nullptr) {
    return nb::cast(std::move(release));
  }
  nb::object object = nb::inst_alloc(release_class);
  new (nb::inst_ptr<Release>(object)) Release(std::move(release));
  nb::inst_mark_ready(object);
  return object;
}

void bind_release(nb::module_& module) {
  nb::class_<Release>(module, "Release")
      .def(
          "__init__",
          [](Release* self, nb::handle json) {
            if (!PyUnicode_Check(json.ptr())) {
              throw nb::type_error(
                  "json: give the text of a release, as to_json() wrote it; of a dict it is "
                  "json.dumps(document)");
            }
            new (self) Release(parsed(utf8(json, "json")));
          },
          nb::arg("json").none())
      .def("to_json", &Release::json,
           "The document as the command line writes it: one line, without a line feed.")
      .def_prop_ro(
          "spent", [](const Release& self) { return fraction(self.cost().spent); },
          "What it cost, exactly.")
      .def_prop_ro(
          "reserved", [](const Release& self) { return fraction(self.cost().reserved); },
          "What it could have cost at most.")
      .def_prop_ro(
          "delta", [](const Release& self) { return fraction(self.cost().delta); },
          "Its δ, exactly: 0 where pure ε-differential privacy holds.");
  module.def(
      "release_html",
      [](const Release& release) { return report::release_fragment(release.document()); },
      nb::arg("release"), "What a notebook shows of it: the page of `--report`, made small.");
  module.def("use_release_class", [](nb::handle type) { release_class = type.inc_ref().ptr(); });
}

}  // namespace freegap::python
