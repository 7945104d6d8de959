#include "sparse_vector_document.hpp"

#include "freegap/confidence.hpp"

namespace freegap::cli {

std::string mechanism(const SparseVectorRelease& release) {
  return release.branches.size() > 1 ? "adaptive_sparse_vector" : "sparse_vector";
}

void add_setting(Json& document, const SparseVectorRelease& release) {
  document["noise"] = {{"law", name(release.distribution)}, {"tick", release.tick.shown()}};
  document["theta"] = release.theta.str();
  document["threshold"] =
      threshold(release.threshold, release.threshold_epsilon, release.threshold_scale);
  Json& branches = document["branches"] = Json::array();
  for (std::size_t b = 1; b <= release.branches.size(); ++b) {
    branches.push_back(branch(b, release.branches[b - 1]));
  }
  document["stop_rule"] = name(release.stop_rule);
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
      if (direct) {
        row["measured"] = direct->value(passed);
      }
      add_estimate(row, estimates.empty() ? std::nullopt : std::optional(estimates[passed]));
      row["lower"] = claims.empty() ? Json() : number(claims[passed].at_least);
      row["p_not_above"] = claims.empty() ? Json() : Json(claims[passed].p_value);
      row["spent"] = release.spent(answer).str();
      ++passed;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string why_stopped(const SparseVectorRelease& release,
                        const std::optional<std::uint64_t>& stop_after, bool input_ended) {
  if (stop_after && release.above() >= *stop_after) {
    return "stop_after";
  }
  return input_ended ? "input" : "budget";
}

}  // namespace freegap::cli
