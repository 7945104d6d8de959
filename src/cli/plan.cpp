#include "questions/plan.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/colour.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/verbs.hpp"
#include "freegap/errors.hpp"
#include "freegap/planning.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap plan top -k 10 --epsilon 0.7
  freegap plan top -k 10 --target-error 20
  freegap plan top --epsilon 1 --target-error 50
  freegap plan top -k 10 --epsilon 1 --unknown-items --delta 1e-9 --max-items 20
  freegap plan above -k 10 --epsilon 0.7 --adaptive --distance 500

From public parameters alone: standard errors if the winners stand apart and
whatever the data, what the gaps save, how best to divide the budget. Two of -k,
--epsilon and --target-error find the third. Reads no data and costs nothing.)";

struct PlanCall : PlanOptions {
  std::optional<OutputFormat> format;
};

double parse_positive(const std::string& text) {
  const Rational value = Rational::parse(text);
  if (value.sign() <= 0) {
    throw InvalidParameter("number", "it must be above 0");
  }
  return value.shown();
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
  const auto winners_shown = [&](const Json& value) {
    return shown_or_none(value) + (value == plan["winners_limit"] ? " or more" : "");
  };
  if (plan.contains("winners")) {
    text +=
        fmt::format("  winners with a standard error of {} at most\n", shown(plan["target_error"]));
    add("  if the winners stand apart", winners_shown(plan["winners"]));
    add("  whatever the data", winners_shown(plan["winners_whatever_the_data"]));
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
  if (plan.contains("threshold")) {
    const std::string used = fmt::format("{:.0f}", plan["threshold"]["used"].get<double>());
    add("threshold of items nobody listed, identity first", used);
    text += fmt::format(
        "\nAn item of {} units appears about every second time. Items of far fewer can hardly "
        "appear, "
        "and one of a single unit with probability {} at most.\n",
        used, shown_delta(plan["delta"]));
  }
  return text + "\nWinners stand apart that are clearly above all others (docs/estimates.md).\n";
}

std::string plan_csv(const Json& plan, OutputFormat format) {
  std::vector<std::string> columns{"plan",           "epsilon",        "gap_error",
                                   "measured_error", "estimate_error", "mse_reduction",
                                   "best_measure"};
  for (const char* more : {"winners", "winners_whatever_the_data", "winners_limit", "theta",
                           "per_query_error", "distance", "expected_answers"}) {
    if (plan.contains(more)) {
      columns.emplace_back(more);
    }
  }
  return csv(Json::array({plan}), columns, format);
}

CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   PlanCall& options) {
  CLI::App* verb = parent.add_subcommand(name, what);
  add_number(*verb, "-k", options.k, "How many winners, or answers");
  add_parsed(*verb, "--epsilon", options.epsilon, "Budget for all of it", Epsilon::parse);
  add_parsed(*verb, "--target-error", options.target_error,
             "Find the budget, or without -k the number of winners, for this standard error",
             parse_positive);
  add_parsed(*verb, "--measure", options.measure,
             "Share that measures (default: 0.5 for top, 0 for above)", parse_share);
  add_distribution(*verb, options.noise);
  add_max_items(*verb, options.max_items,
                "Contribution bound that is to apply: the most items of one unit");
  add_queries(*verb, options.queries);
  add_format(*verb, options.format);
  verb->footer(example);
  return verb;
}

void show_plan(const Json& plan, const PlanCall& options, const Context& context) {
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

  auto top = std::make_shared<PlanCall>();
  top->measure = Rational(1, 2);  // as in `top` itself; that of `above` is 0
  CLI::App* verb = add_verb(*planning, "top", "For `top`", *top);
  verb->add_flag("--unknown-items", top->unknown_items,
                 "As in `top`: which threshold must items reach?");
  add_parsed(*verb, "--delta", top->delta, "With --unknown-items: as in `top`", Delta::parse);
  verb->callback([top, &context] { show_plan(plan_top(*top), *top, context); });

  auto above = std::make_shared<PlanCall>();
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
