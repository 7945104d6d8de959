#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "cli/colour.hpp"
#include "cli/document.hpp"
#include "cli/program.hpp"
#include "cli/verbs.hpp"
#include "freegap/allocation.hpp"
#include "freegap/errors.hpp"
#include "freegap/planning.hpp"
#include "freegap/sparse_vector.hpp"
#include "freegap/version.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap plan top -k 10 --epsilon 0.7
  freegap plan top -k 10 --target-error 20
  freegap plan top --epsilon 1 --target-error 50
  freegap plan above -k 10 --epsilon 0.7 --adaptive --distance 500

From public parameters alone: standard errors if the winners stand apart and
whatever the data, what the gaps save, how best to divide the budget. Two of -k,
--epsilon and --target-error find the third. Reads no data and costs nothing.)";

struct PlanOptions {
  QueryOptions queries;
  Distribution noise = Distribution::exponential;
  std::optional<std::uint64_t> k;
  std::optional<Epsilon> epsilon;
  std::optional<double> target_error;
  Rational measure;
  std::optional<Rational> theta;
  bool adaptive = false;
  std::uint64_t branches = 2;
  Rational sigma = 2;
  StopRule stop_rule = StopRule::afford;
  std::optional<Rational> distance;
  std::optional<OutputFormat> format;
};

double parse_positive(const std::string& text) {
  const Rational value = Rational::parse(text);
  if (value.sign() <= 0) {
    throw InvalidParameter("number", "it must be above 0");
  }
  return value.shown();
}

/// Six decimals of an ε are plenty for a plan.
Rational budget_for(double epsilon) {
  if (!(epsilon <= Epsilon::largest)) {
    throw InvalidParameter("--target-error", "it takes a budget above 1000");
  }
  return {static_cast<std::int64_t>(std::ceil(epsilon * 1e6)), 1'000'000};
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
    question.epsilon = budget_for(epsilon_for(question, *options.target_error));
    return std::nullopt;
  }
  question.epsilon = options.epsilon->value();
  if (options.k) {
    return std::nullopt;
  }
  const WinnersFor winners = winners_for(question, *options.target_error);
  if (winners.separated == 0) {
    throw InvalidParameter(
        "--target-error",
        fmt::format("with this budget even a single winner has a standard error of {:.4g}",
                    forecast(question).combined_error));
  }
  question.k = winners.separated;
  return winners;
}

/// Asks what both verbs have in common.
template <class Asked>
Json plan_of(Asked& question, const PlanOptions& options, const std::string& verb) {
  const Queries declared = options.queries.declared(Kind::counts);
  question.queries = sources::answered(declared, declared.kind == Kind::counts);
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
  TopKQuestion question;
  return plan_of(question, options, "top");
}

Json plan_above(const PlanOptions& options) {
  SparseVectorQuestion question;
  question.theta = options.theta;
  question.branches = options.adaptive ? options.branches : 1;
  question.sigma = options.sigma;
  question.stop_rule = options.stop_rule;
  Json plan = plan_of(question, options, "above");
  const Rational selecting = (Rational(1) - question.measuring_share) * question.epsilon;
  static_cast<void>(plan_sparse_vector(question.queries,
                                       {.k = question.k,
                                        .epsilon = Epsilon(selecting),
                                        .threshold = 0,
                                        .noise = question.noise,
                                        .branches = question.branches,
                                        .theta = question.theta,
                                        .sigma = question.sigma,
                                        .stop_rule = question.stop_rule},
                                       true));  // refuses what `above` would
  plan["parameters"]["branches"] = question.branches;
  plan["parameters"]["sigma"] = number(question.sigma);
  plan["parameters"]["stop_rule"] = name(question.stop_rule);
  plan["theta"] = question.theta
                      ? question.theta->str()
                      : best_threshold_share({question.noise, question.queries.noise_factor(),
                                              question.k, selecting, 1})
                            .str();
  plan["per_query_error"] = forecast(question).per_query_error;
  if (options.distance) {
    const double distance = options.distance->shown();
    plan["distance"] = distance;
    plan["expected_answers"] = expected_answers(question, distance);
  }
  return plan;
}

std::string plan_table(const Json& plan) {
  std::string text = heading(fmt::format("With ε = {} for everything, of which {} measures:",
                                         plan["epsilon"].get<std::string>(),
                                         plan["parameters"]["measure"].get<std::string>())) +
                     "\n\n";
  const auto add = [&](const std::string& what, const std::string& value) {
    text += fmt::format("  {:<46}{:>12}\n", what, value);
  };
  const auto shown_or_none = [](const Json& value) {
    return value.is_null() ? std::string("-") : shown(value);
  };
  if (plan.contains("winners")) {
    text +=
        fmt::format("  winners with a standard error of {} at most\n", shown(plan["target_error"]));
    add("  if the winners stand apart", shown(plan["winners"]));
    add("  whatever the data", shown_or_none(plan["winners_whatever_the_data"]));
  }
  text += "  standard error of the estimates\n";
  add("  if the winners stand apart", shown(plan["estimate_error"]));
  add("  whatever the data (measuring alone)", shown_or_none(plan["measured_error"]));
  add("standard error of a gap", shown(plan["gap_error"]));
  if (!plan["mse_reduction"].is_null()) {
    add("mean squared error saved if they stand apart",
        fmt::format("{:.1f} %", 100 * plan["mse_reduction"].get<double>()));
  }
  add("share to measure with that errs least", plan["best_measure"].get<std::string>());
  if (plan.contains("theta")) {
    add("share of the threshold (theta)", cut(plan["theta"].get<std::string>(), 24));
  }
  if (plan.contains("expected_answers")) {
    add(fmt::format("answers, queries being {} above", shown(plan["distance"])),
        shown(plan["expected_answers"]));
  }
  return text + "\nWinners stand apart that are clearly above all others (docs/estimates.md).\n";
}

std::string plan_csv(const Json& plan, OutputFormat format) {
  std::vector<std::string> columns{"plan",           "epsilon",        "gap_error",
                                   "measured_error", "estimate_error", "mse_reduction",
                                   "best_measure"};
  for (const char* more : {"winners", "winners_whatever_the_data", "theta", "per_query_error",
                           "distance", "expected_answers"}) {
    if (plan.contains(more)) {
      columns.emplace_back(more);
    }
  }
  return csv(Json::array({plan}), columns, format);
}

CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   PlanOptions& options) {
  CLI::App* verb = parent.add_subcommand(name, what);
  add_number(*verb, "-k", options.k, "How many winners, or answers");
  add_parsed(*verb, "--epsilon", options.epsilon, "Budget for all of it", Epsilon::parse);
  add_parsed(*verb, "--target-error", options.target_error,
             "Find the budget, or without -k the number of winners, for this standard error",
             parse_positive);
  add_parsed(*verb, "--measure", options.measure,
             "Share that measures (default: 0.5 for top, 0 for above)", parse_share);
  add_distribution(*verb, options.noise);
  add_queries(*verb, options.queries);
  add_format(*verb, options.format);
  verb->footer(example);
  return verb;
}

void show_plan(const Json& plan, const PlanOptions& options, const Context& context) {
  const OutputFormat format = format_or_default(options.format, context);
  if (format == OutputFormat::table) {
    show(context, plan_table(plan));
  } else {
    show(context, is_csv(format) ? plan_csv(plan, format) : line_of(plan) + "\n");
  }
}

}  // namespace

void add_plan(CLI::App& app, const Context& context) {
  CLI::App* planning = app.add_subcommand("plan", "What to expect, before anything is spent");
  planning->require_subcommand(1);
  planning->footer(example);

  auto top = std::make_shared<PlanOptions>();
  top->measure = Rational(1, 2);  // as in `top` itself; that of `above` is 0
  CLI::App* verb = add_verb(*planning, "top", "For `top`", *top);
  verb->callback([top, &context] { show_plan(plan_top(*top), *top, context); });

  auto above = std::make_shared<PlanOptions>();
  verb = add_verb(*planning, "above", "For `above`", *above);
  CLI::Option* adaptive = verb->add_flag("--adaptive", above->adaptive, "As in `above`");
  add_number(*verb, "--branches", above->branches, "As in `above` (default 2)")->needs(adaptive);
  add_parsed(*verb, "--sigma", above->sigma, "As in `above` (default 2)", Rational::parse)
      ->needs(adaptive);
  add_stop_rule(*verb, above->stop_rule, "As in `above` (default afford)");
  add_parsed(*verb, "--theta", above->theta, "As in `above` (default: the best)", Rational::parse);
  add_parsed(*verb, "--distance", above->distance,
             "How far above the threshold queries are: how many will be answered?",
             Rational::parse);
  verb->callback([above, &context] { show_plan(plan_above(*above), *above, context); });
}

}  // namespace freegap::cli
