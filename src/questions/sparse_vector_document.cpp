#include "questions/sparse_vector_document.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "freegap/confidence.hpp"

namespace freegap::questions {
namespace {

struct StopText {
  Stopped stopped;
  const char* name;
  const char* sentence;
};

constexpr std::array<StopText, 7> stop_texts{
    {{Stopped::budget, "budget", "the budget is used up"},
     {Stopped::input, "input", "no more queries"},
     {Stopped::stop_after, "stop_after", "enough answers above"},
     {Stopped::interrupted, "interrupted", "it was interrupted"},
     {Stopped::output, "output", "the output took no more"},
     {Stopped::room, "room", "there is no room to store more answers"},
     {Stopped::fault, "fault", "the input could not be read"}}};

}  // namespace

const char* name(Stopped stopped) {
  return std::find_if(stop_texts.begin(), stop_texts.end(),
                      [&](const StopText& text) { return text.stopped == stopped; })
      ->name;
}

std::string sentence_of(const std::string& stopped) {
  const auto* found = std::find_if(stop_texts.begin(), stop_texts.end(),
                                   [&](const StopText& text) { return text.name == stopped; });
  return found == stop_texts.end() ? stopped : found->sentence;
}

Stopped why_stopped(const SparseVectorRelease& release, bool input_ended) {
  if (release.stop_after && release.above() >= *release.stop_after) {
    return Stopped::stop_after;
  }
  return input_ended ? Stopped::input : Stopped::budget;
}

std::string mechanism(const SparseVectorRelease& release) {
  return release.branches.size() > 1 ? "adaptive_sparse_vector" : "sparse_vector";
}

Json answers(const SparseVectorRelease& release, const std::optional<MeasureRelease>& direct,
             const std::vector<std::string>& labels, Estimator& estimator, double confidence) {
  const bool gaps = release.above() > 0 &&
                    std::any_of(release.answers.begin(), release.answers.end(),
                                [](const auto& answer) { return answer.gap_ticks.has_value(); });
  std::vector<Estimate> estimates;
  if (direct) {
    estimates = gaps ? estimator(release, *direct) : estimator(*direct);
  } else if (gaps) {
    estimates = estimator(release);
  }
  const std::vector<Claim> claims = gaps ? claims_above(release, confidence) : std::vector<Claim>();
  Json rows = Json::array();
  std::size_t passed = 0;
  for (std::size_t i = 0; i < release.answers.size(); ++i) {
    const SparseVectorAnswer& answer = release.answers[i];
    Json row = {{"query", labels[i]}, {"above", answer.above}};
    if (answer.above) {
      row["branch"] = answer.branch;
      row["gap"] = answer.gap_ticks ? Json(release.shown(*answer.gap_ticks)) : Json();
      row["gap_ticks"] = answer.gap_ticks ? Json(*answer.gap_ticks) : Json();
      row["measured"] = direct ? Json(direct->value(passed)) : Json();
      add_estimate_with_gap(row,
                            estimates.empty() ? std::nullopt : std::optional(estimates[passed]));
      row["lower"] = claims.empty() ? Json() : number(claims[passed].at_least);
      row["p_not_above"] = claims.empty() ? Json() : Json(claims[passed].p_value);
      row["spent"] = release.spent(answer).str();
      ++passed;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_answers(Json& document, const SparseVectorRelease& release, Json answers,
                 Stopped stopped) {
  document["noise"] = {{"law", name(release.distribution)}, {"tick", release.tick.shown()}};
  document["theta"] = release.theta.str();
  document["threshold"] =
      threshold(release.threshold, release.threshold_epsilon, release.threshold_scale);
  Json& branches = document["branches"] = Json::array();
  for (std::size_t b = 1; b <= release.branches.size(); ++b) {
    branches.push_back(branch(b, release.branches[b - 1]));
  }
  document["stop_rule"] = name(release.stop_rule);
  document["answers"] = std::move(answers);
  document["stopped"] = name(stopped);
}

std::vector<std::string> answer_columns() {
  std::vector<std::string> columns{"query", "above", "branch", "gap", "gap_ticks", "measured"};
  for (const std::string& column : estimate_columns()) {
    columns.push_back(column);
  }
  columns.insert(columns.end(), {"used_gap", "lower", "p_not_above", "spent"});
  return columns;
}

}  // namespace freegap::questions
