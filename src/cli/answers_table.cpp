#include "cli/answers_table.hpp"

#include <fmt/format.h>

#include "cli/colour.hpp"
#include "questions/sparse_vector_document.hpp"
#include "report/explanations.hpp"

namespace freegap::cli {
namespace {

std::string answers_table(const Json& document) {
  Json passed = Json::array();
  for (const Json& row : document["answers"]) {
    if (row["above"].get<bool>()) {
      passed.push_back(row);
    }
  }
  std::string text = heading(answers_title(document, passed.size(), document["answers"].size())) +
                     "\n" + setting(document) + "\n\n";
  if (!passed.empty()) {
    text += table(for_people(passed), {{"query", "query", 18, true},
                                       {"branch", "branch"},
                                       {"gap", "gap"},
                                       {"estimate ± error", "estimate", 26},
                                       {"at least", "lower"},
                                       {"spent", "spent", 16}});
    const std::string notes = footnotes(document, passed);
    text += notes.empty() ? "\n" : notes;
    text +=
        fmt::format("\"at least\" holds with confidence {} each, given that the query passed.\n",
                    percent(document));
  }
  return text + fmt::format("Stopped: {}. ", sentence_of(shown(document["stopped"]))) +
         cost(document);
}

}  // namespace

std::vector<Renderer> sparse_vector_renderers() {
  return {{"sparse_vector", answers_table, "answers", answer_columns()},
          {"adaptive_sparse_vector", answers_table, "answers", answer_columns()}};
}

}  // namespace freegap::cli
