#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "document.hpp"
#include "freegap/allocation.hpp"
#include "freegap/errors.hpp"
#include "freegap/planning.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/version.hpp"
#include "present.hpp"
#include "program.hpp"
#include "verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap plan top -k 10 --epsilon 0.7
  freegap plan top -k 10 --target-error 20
  freegap plan above -k 10 --epsilon 0.7 --adaptive --distance 500

From public parameters alone, on well-separated data: standard errors, what the
gaps save, how best to divide the budget. Reads no data and costs nothing.)";

struct PlanOptions {
  DataOptions data;  // kind, sensitivity and neighbours alone
  NoiseOptions noise;
  std::uint64_t k = 0;
  std::string epsilon;
  std::string target_error;
  std::string measure = "0.5";
  std::string theta;
  bool adaptive = false;
  std::size_t branches = 2;
  std::string sigma = "2";
  std::string stop_rule = "afford";
  std::string distance;
  std::string format;
};

double positive(const std::string& flag, const std::string& text) {
  const Rational value = rational_of(flag, text);
  if (value.sign() <= 0) {
    throw InvalidParameter(flag, "it must be above 0");
  }
  return value.shown();
}

/// Reads what both questions have in common. With a target error the budget is what it takes.
template <class Question>
Question question_of(const PlanOptions& options) {
  Question question;
  question.queries = queries_of(options.data, Kind::counts, false);
  if (options.k == 0) {
    throw InvalidParameter("-k", "it must be at least 1");
  }
  question.k = options.k;
  question.noise = distribution_of(options.noise.distribution);
  question.measuring_share = share_of("--measure", options.measure);
  if (options.epsilon.empty() == options.target_error.empty()) {
    throw InvalidParameter("--epsilon", "give either --epsilon or --target-error");
  }
  return question;
}

/// Six decimals of an ε are plenty for a plan.
Rational budget_for(double epsilon) {
  if (!(epsilon <= Epsilon::largest)) {
    throw InvalidParameter("--target-error", "it takes a budget above 1000");
  }
  return {static_cast<std::int64_t>(std::ceil(epsilon * 1e6)), 1'000'000};
}

template <class Question>
Json plan_of(Question& question, const PlanOptions& options, const std::string& verb) {
  if (options.target_error.empty()) {
    question.epsilon = epsilon_of("--epsilon", options.epsilon).value();
  } else {
    question.epsilon =
        budget_for(epsilon_for(question, positive("--target-error", options.target_error)));
  }
  const Forecast forecast = freegap::forecast(question);
  Json parameters{{"k", options.k}, {"noise", name(question.noise)}};
  parameters["kind"] = name(question.queries.kind);
  parameters["sensitivity"] = number(question.queries.sensitivity);
  parameters["neighbours"] = name(question.queries.neighbours);
  parameters["monotone"] = question.queries.monotone();
  parameters["measure"] = question.measuring_share.str();
  Json plan{{"freegap", version}, {"plan", verb}, {"parameters", parameters}};
  plan["epsilon"] = question.epsilon.str();
  if (!options.target_error.empty()) {
    plan["target_error"] = positive("--target-error", options.target_error);
  }
  plan["gap_error"] = forecast.gap_error;
  plan["measured_error"] =
      std::isfinite(forecast.direct_error) ? Json(forecast.direct_error) : Json();
  plan["estimate_error"] = forecast.combined_error;
  // Without measurements there is nothing that the gaps could improve on.
  plan["mse_reduction"] = std::isfinite(forecast.direct_error) ? Json(forecast.reduction) : Json();
  plan["best_measure"] = best_measuring_share(question).str();
  return plan;
}

Json plan_top(const PlanOptions& options) {
  auto question = question_of<TopKQuestion>(options);
  return plan_of(question, options, "top");
}

Json plan_above(const PlanOptions& options) {
  auto question = question_of<SparseVectorQuestion>(options);
  if (!options.theta.empty()) {
    question.theta = rational_of("--theta", options.theta);
  }
  question.branches = options.adaptive ? options.branches : 1;
  question.sigma = rational_of("--sigma", options.sigma);
  question.stop_rule = options.stop_rule == "paper" ? StopRule::paper : StopRule::afford;
  Json plan = plan_of(question, options, "above");
  const Rational selecting = (Rational(1) - question.measuring_share) * question.epsilon;
  SparseVectorOptions verb{.k = question.k, .epsilon = Epsilon(selecting), .threshold = 0};
  verb.noise = question.noise;
  verb.branches = question.branches;
  verb.theta = question.theta;
  verb.sigma = question.sigma;
  verb.stop_rule = question.stop_rule;
  static_cast<void>(
      plan_sparse_vector(question.queries, verb, true));  // refuses what `above` would
  plan["parameters"]["branches"] = question.branches;
  plan["parameters"]["sigma"] = number(question.sigma);
  plan["parameters"]["stop_rule"] = name(question.stop_rule);
  plan["theta"] = question.theta
                      ? question.theta->str()
                      : best_threshold_share({question.noise, question.queries.noise_factor(),
                                              question.k, selecting, 1})
                            .str();
  plan["per_query_error"] = forecast(question).per_query_error;
  if (!options.distance.empty()) {
    const double distance = rational_of("--distance", options.distance).shown();
    plan["distance"] = distance;
    plan["expected_answers"] = expected_answers(question, distance);
  }
  return plan;
}

std::string plan_table(const Json& plan) {
  std::string text = fmt::format("With ε = {} for everything, of which {} measures:\n\n",
                                 plan["epsilon"].get<std::string>(),
                                 plan["parameters"]["measure"].get<std::string>());
  text += fmt::format("  {:<46}{:>12}\n", "standard error of a gap", shown(plan["gap_error"]));
  text += fmt::format("  {:<46}{:>12}\n", "standard error of a measurement alone",
                      plan["measured_error"].is_null() ? "-" : shown(plan["measured_error"]));
  text += fmt::format("  {:<46}{:>12}\n", "standard error with the gaps",
                      shown(plan["estimate_error"]));
  if (!plan["mse_reduction"].is_null()) {
    text += fmt::format("  {:<46}{:>10.1f} %\n", "mean squared error saved by the gaps",
                        100 * plan["mse_reduction"].get<double>());
  }
  text += fmt::format("  {:<46}{:>12}\n", "share to measure with that errs least",
                      plan["best_measure"].get<std::string>());
  if (plan.contains("theta")) {
    text += fmt::format("  {:<46}{:>12}\n", "share of the threshold (theta)",
                        cut(plan["theta"].get<std::string>(), 24));
  }
  if (plan.contains("expected_answers")) {
    text += fmt::format("  {:<46}{:>12}\n",
                        fmt::format("answers, queries being {} above", shown(plan["distance"])),
                        shown(plan["expected_answers"]));
  }
  return text + "\nOn well-separated data; crowded data gains less (docs/estimates.md).\n";
}

std::string plan_csv(const Json& plan) {
  std::vector<std::string> columns{"plan",           "epsilon",        "gap_error",
                                   "measured_error", "estimate_error", "mse_reduction",
                                   "best_measure"};
  for (const char* more : {"theta", "per_query_error", "distance", "expected_answers"}) {
    if (plan.contains(more)) {
      columns.emplace_back(more);
    }
  }
  return csv(Json::array({plan}), columns);
}

CLI::App* add_job(CLI::App& parent, const std::string& name, const std::string& what,
                  PlanOptions& options) {
  CLI::App* verb = parent.add_subcommand(name, what);
  verb->add_option("-k", options.k, "How many winners, or answers")
      ->check(at_least_one())
      ->required();
  verb->add_option("--epsilon", options.epsilon, "Budget for all of it");
  verb->add_option("--target-error", options.target_error,
                   "Find the budget for this standard error of the estimates instead");
  verb->add_option("--measure", options.measure,
                   "Share that measures (default: 0.5 for top, 0 for above)");
  verb->add_option("--noise", options.noise.distribution,
                   "exponential (default), laplace or geometric")
      ->check(CLI::IsMember({"exponential", "laplace", "geometric"}));
  add_queries(*verb, options.data);
  add_format(*verb, options.format);
  verb->footer(example);
  return verb;
}

void show_plan(const Json& plan, const std::string& format, const Context& context) {
  const std::string chosen = format_or_default(format, context);
  show(context, chosen == "table" ? plan_table(plan)
                                  : (chosen == "csv" ? plan_csv(plan) : line_of(plan) + "\n"));
}

}  // namespace

void add_plan(CLI::App& app, const Context& context) {
  CLI::App* planning = app.add_subcommand("plan", "What to expect, before anything is spent");
  planning->require_subcommand(1);
  planning->footer(example);

  auto top = std::make_shared<PlanOptions>();
  CLI::App* verb = add_job(*planning, "top", "For `top`", *top);
  verb->callback([top, &context] { show_plan(plan_top(*top), top->format, context); });

  auto above = std::make_shared<PlanOptions>();
  above->measure = "0";  // as in `above` itself
  verb = add_job(*planning, "above", "For `above`", *above);
  CLI::Option* adaptive = verb->add_flag("--adaptive", above->adaptive, "As in `above`");
  verb->add_option("--branches", above->branches, "As in `above` (default 2)")
      ->check(at_least_one())
      ->needs(adaptive);
  verb->add_option("--sigma", above->sigma, "As in `above` (default 2)")->needs(adaptive);
  verb->add_option("--stop-rule", above->stop_rule, "As in `above` (default afford)")
      ->check(CLI::IsMember({"afford", "paper"}));
  verb->add_option("--theta", above->theta, "As in `above` (default: the best)");
  verb->add_option("--distance", above->distance,
                   "How far above the threshold queries are: how many will be answered?");
  verb->callback([above, &context] { show_plan(plan_above(*above), above->format, context); });
}

}  // namespace freegap::cli
