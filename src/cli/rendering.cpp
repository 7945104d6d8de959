#include "cli/rendering.hpp"

#include <utility>

#include "cli/release_verb_table.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

/// Rows whose intervals have their ends as members, too: releases of earlier versions had not.
Json for_spreadsheets(const Json& rows) {
  Json result = Json::array();
  for (const Json& row : rows) {
    Json flat = row;
    for (const std::string name : {"interval", "simultaneous"}) {
      flat[name + "_low"] = end_of(row, name, 0);
      flat[name + "_high"] = end_of(row, name, 1);
    }
    result.push_back(std::move(flat));
  }
  return result;
}

/// The renderer of a mechanism, among those of all verbs.
Renderer renderer_of(const std::string& mechanism) {
  for (const ReleaseVerb& verb : release_verbs()) {
    for (const Renderer& renderer : verb.renderers) {
      if (renderer.mechanism == mechanism) {
        return renderer;
      }
    }
  }
  throw InvalidParameter(
      "--format", "this version does not know the mechanism \"" + mechanism + "\"; ask for json");
}

}  // namespace

std::string rendered(const Json& document, OutputFormat format) {
  if (format == OutputFormat::json) {
    return line_of(document) + "\n";
  }
  const Renderer renderer = renderer_of(document.value("mechanism", ""));
  if (format == OutputFormat::table) {
    return renderer.table(document);
  }
  const Json rows =
      renderer.rows.empty() ? Json::array({document}) : for_spreadsheets(document[renderer.rows]);
  return csv(rows, renderer.columns, format);
}

}  // namespace freegap::cli
