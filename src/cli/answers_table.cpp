#include "cli/answers_table.hpp"

#include <fmt/format.h>

#include "cli/colour.hpp"
#include "cli/explanations.hpp"
#include "questions/sparse_vector_document.hpp"

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

std::string answers_title(const Json& document, std::size_t passed, std::size_t asked) {
  const std::string threshold = shown(document["threshold"]["used"]);
  // Of a universe the answers above alone are listed, and how many were asked is not told.
  if (document["parameters"].contains("answers")) {
    return fmt::format("{} {} found above {}", passed, passed == 1 ? "id" : "ids", threshold);
  }
  return fmt::format("{} of {} queries asked are above {}", passed, asked, threshold);
}

std::vector<Renderer> sparse_vector_renderers() {
  return {{"sparse_vector", answers_table, "answers", answer_columns()},
          {"adaptive_sparse_vector", answers_table, "answers", answer_columns()}};
}

}  // namespace freegap::cli
