#include "questions/plan.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/hybrid.hpp"
#include "freegap/planning.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/version.hpp"
#include "questions/document.hpp"

namespace freegap::questions {
namespace {

std::string four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

/// The budget for an error. Six decimals of an ε are plenty for a plan.
template <class Asked>
Rational budget_for(const Asked& question, double error) {
  try {
    const double epsilon = epsilon_for(question, error);
    return {static_cast<std::int64_t>(std::ceil(epsilon * 1e6)), 1'000'000};
  } catch (const InvalidParameter& refused) {
    const std::string_view said = refused.what();
    if (!said.starts_with("target: ")) {
      throw;
    }
    throw InvalidParameter("--target-error", "no budget from 1e-9 to 1000 gives this error");
  }
}

/// Completes a question: of k, budget and error two are given.
template <class Asked>
std::optional<WinnersFor> complete(Asked& question, const PlanOptions& options) {
  const int given = static_cast<int>(options.k.has_value()) +
                    static_cast<int>(options.epsilon.has_value()) +
                    static_cast<int>(options.target_error.has_value());
  if (given != 2) {
    throw InvalidParameter("-k", "give two of -k, --epsilon and --target-error, to find the third");
  }
  question.k = options.k.value_or(1);
  if (!options.epsilon) {
    question.epsilon = budget_for(question, *options.target_error);
    return std::nullopt;
  }
  question.epsilon = options.epsilon->value();
  if (options.k) {
    return std::nullopt;
  }
  const WinnersFor winners = winners_for(question, *options.target_error);
  if (winners.separated == 0) {
    throw InvalidParameter("--target-error",
                           "with this budget even a single winner has a standard error of " +
                               four_digits(forecast(question).combined_error));
  }
  question.k = winners.separated;
  return winners;
}

/// Asks what both verbs have in common.
template <class Asked>
Json plan_of(Asked& question, const PlanOptions& options, const std::string& verb) {
  const Queries declared = options.queries.declared(Kind::counts);
  question.queries = sources::answered(declared, declared.kind == Kind::counts);
  question.queries.max_items = options.max_items;
  question.noise = options.noise;
  question.measuring_share = options.measure;
  const std::optional<WinnersFor> winners = complete(question, options);
  const Forecast forecast = freegap::forecast(question);
  Json parameters{{"k", question.k}, {"noise", name(question.noise)}};
  describe(parameters, question.queries);
  parameters["measure"] = question.measuring_share.str();
  Json plan{{"freegap", version}, {"plan", verb}, {"parameters", parameters}};
  plan["epsilon"] = question.epsilon.str();
  if (options.target_error) {
    plan["target_error"] = *options.target_error;
  }
  if (winners) {
    plan["winners"] = winners->separated;
    plan["winners_whatever_the_data"] =
        std::isfinite(forecast.direct_error) ? Json(winners->whatever_the_data) : Json();
    plan["winners_limit"] = most_planned_winners;  // this many, or more
  }
  plan["gap_error"] = forecast.gap_error;
  plan["measured_error"] =
      std::isfinite(forecast.direct_error) ? Json(forecast.direct_error) : Json();
  plan["estimate_error"] = forecast.combined_error;
  // Without measurements there is nothing that the gaps could improve on.
  plan["mse_reduction"] = std::isfinite(forecast.direct_error) ? Json(forecast.reduction) : Json();
  if (!options.errors_alone) {
    plan["best_measure"] = best_measuring_share(question).str();
  }
  return plan;
}

void check_unknown_items(const PlanOptions& options) {
  if (!options.unknown_items && options.delta) {
    throw InvalidParameter("--delta", "it goes with --unknown-items");
  }
  if (options.unknown_items && (!options.delta || !options.max_items)) {
    throw InvalidParameter("--unknown-items", "it needs --delta and --max-items");
  }
  const Queries queries = options.queries.declared(Kind::counts);
  if (options.unknown_items && (!queries.monotone() || queries.sensitivity != Rational(1))) {
    throw InvalidParameter("--unknown-items",
                           "it goes with counts of sensitivity 1 and add-remove neighbours");
  }
}

/// The threshold that items nobody listed must reach.
void add_safe_threshold(Json& plan, const TopKQuestion& question, const PlanOptions& options) {
  const std::vector<std::int64_t> none;
  const Rational selecting = (Rational(1) - question.measuring_share) * question.epsilon;
  const HybridPlan hybrid =
      plan_hybrid(Candidates::unknown(none, *options.max_items), {.k = question.k,
                                                                  .epsilon = Epsilon(selecting),
                                                                  .delta = options.delta,
                                                                  .noise = question.noise});
  plan["delta"] = options.delta->value().str();
  plan["threshold"] = {{"used", number(hybrid.blank.threshold.used)},
                       {"scale", hybrid.blank.threshold_noise.scale.shown()}};
}

}  // namespace

Json plan_top(const PlanOptions& options) {
  if (options.measure.sign() == 0) {
    throw InvalidParameter("--measure",
                           "without measurements there is no error to plan; it must be above 0");
  }
  check_unknown_items(options);
  TopKQuestion question;
  Json plan = plan_of(question, options, "top");
  if (options.unknown_items && !options.errors_alone) {
    add_safe_threshold(plan, question, options);
  }
  return plan;
}

Json plan_above(const PlanOptions& options) {
  SparseVectorQuestion question;
  question.theta = options.theta;
  question.branches = options.adaptive ? options.branches : 1;
  question.sigma = options.sigma;
  question.stop_rule = options.stop_rule;
  Json plan = plan_of(question, options, "above");
  if (options.errors_alone) {
    return plan;
  }
  const Rational selecting = (Rational(1) - question.measuring_share) * question.epsilon;
  const SparseVectorPlan mechanism =  // refuses what `above` would
      plan_sparse_vector(question.queries,
                         {.k = question.k,
                          .epsilon = Epsilon(selecting),
                          .threshold = 0,
                          .noise = question.noise,
                          .branches = question.branches,
                          .theta = question.theta,
                          .sigma = question.sigma,
                          .stop_rule = question.stop_rule},
                         true);
  plan["parameters"]["branches"] = question.branches;
  plan["parameters"]["sigma"] = number(question.sigma);
  plan["parameters"]["stop_rule"] = name(question.stop_rule);
  plan["theta"] = mechanism.blank.theta.str();
  plan["per_query_error"] = forecast(question).per_query_error;
  if (options.distance) {
    const double distance = options.distance->shown();
    plan["distance"] = distance;
    plan["expected_answers"] = expected_answers(question, distance);
  }
  return plan;
}

}  // namespace freegap::questions
