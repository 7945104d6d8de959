#include "questions/top.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/colour.hpp"
#include "cli/release_verb_table.hpp"
#include "report/explanations.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap top sample.dat -k 5 --epsilon 0.7 --universe 0..999 --no-ledger

Names the k items with the largest noisy counts, with the gap by which each
beats the next, at no cost. Half of the budget (--measure) measures the winners;
gaps and measurements together give estimates with error bars. With --above T
only items above T are returned, and budget comes back where they are fewer than
k.)";

const Names<Prefer> preferences{{questions::name(Prefer::identity), Prefer::identity},
                                {questions::name(Prefer::estimates), Prefer::estimates}};

std::string winners_table(const Json& document, bool hybrid) {
  const Json& parameters = document["parameters"];
  const Json& rows = document["winners"];
  const std::string what = hybrid ? fmt::format("Up to {} items above {}", shown(parameters["k"]),
                                                shown(document["threshold"]["used"]))
                                  : fmt::format("Top {}", shown(parameters["k"]));
  const std::string of = parameters.contains("candidate_count")
                             ? fmt::format(" of {}", shown(parameters["candidate_count"]))
                             : "";
  std::string text = heading(what + of) + "\n" + setting(document) + "\n\n";
  if (rows.empty()) {
    text += "Nothing is above the threshold.\n";
  } else {
    std::vector<Column> columns{{"rank", "rank"}, {"item", "item", 18, true}, {"gap", "gap"}};
    if (hybrid) {
      columns.push_back({"to", "gap_to", 9, true});
    }
    columns.push_back({"estimate ± error", "estimate", 26});
    columns.push_back({percent(document) + " interval", "interval", 28});
    if (says_who_is_on_top(document)) {
      columns.push_back({"sure?", "sure"});
    }
    text += table(for_people(rows), columns) + footnotes(document, rows);
  }
  return text + "\n" + cost(document);
}

std::string top_table(const Json& document) { return winners_table(document, false); }
std::string hybrid_table(const Json& document) { return winners_table(document, true); }

/// The members of a winner, in order: those that both mechanisms have, and `more` where they go.
std::vector<std::string> csv_columns(const std::vector<std::string>& after_gap,
                                     const std::vector<std::string>& at_the_end) {
  std::vector<std::string> columns{"rank", "item", "gap", "gap_ticks"};
  const auto append = [&](const std::vector<std::string>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  append(after_gap);
  append({"measured"});
  append(estimate_columns());
  append({"used_gap"});
  append(at_the_end);
  return columns;
}

RegisteredVerb add(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* verb = parent.add_subcommand("top", "The k largest, with the gaps between them");
  options->measure = Rational(1, 2);
  add_input(*verb, options->data.input);
  add_number(*verb, "-k", options->k, "How many winners")->required();
  add_parsed(*verb, "--epsilon", options->epsilon, "Budget for all of it, for example 0.7 or 7/10",
             Epsilon::parse)
      ->required();
  add_parsed(*verb, "--measure", options->measure,
             "Share of the budget that measures the winners (default 0.5; 0 for none)",
             parse_share);
  add_parsed(*verb, "--above", options->above, "Only items above this threshold", Rational::parse);
  add_choice(*verb, "--prefer", options->prefer,
             "With --above: identity (less noise, the default) or estimates (a gap over the "
             "threshold for every winner)",
             preferences);
  add_parsed(*verb, "--theta", options->theta,
             "With --prefer estimates: share of the threshold (default: the best)",
             WrittenNumber::parse);
  verb->add_flag("--classic", options->classic, "Without gaps");
  add_number(*verb, "--threads", options->threads, "That scan the numbers (default 1)", 1, 1024);
  add_constant_work(*verb, options->constant_work);
  add_candidates(*verb, options->data.candidates, true);
  verb->add_flag("--unknown-items", options->data.candidates.unknown_items,
                 "Nobody can list the items: those that occur can win, above a threshold that an "
                 "item of one unit alone hardly reaches. Needs --delta and --max-items");
  add_parsed(*verb, "--delta", options->delta,
             "With --unknown-items: the probability with which an item of one unit alone may "
             "appear, for example 1e-9",
             Delta::parse);
  add_bounds(*verb, options->data.input);
  add_queries(*verb, options->data);
  add_noise(*verb, options->noise);
  add_estimator(*verb, options->estimator);
  verb->footer(example);
  return {verb,
          [=](const OutputOptions& output, const Context&) {
            check(*options);
            return top_question(*options, output.confidence, read_candidates(*options, secrecy));
          },
          [=] { return selection_missing(*options, secrecy); },
          {options, &options->data.input}};
}

}  // namespace

ReleaseVerb top_verb() {
  return {add,
          {{"top_k", top_table, "winners", csv_columns({}, {"lead_at_least", "p_not_ahead"})},
           {"top_k_above", hybrid_table, "winners",
            csv_columns({"gap_to"}, {"lower", "p_not_above"})}}};
}

}  // namespace freegap::cli
