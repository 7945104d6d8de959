#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/release_verb_table.hpp"
#include "cli/selection.hpp"
#include "cli/sparse_vector_document.hpp"
#include "cli/stream.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap above sample.dat --threshold 300 -k 5 --epsilon 0.7 --adaptive \
    --items-are-public --no-ledger
  printf 'monday,812\ntuesday,40\n' | \
    freegap above - --threshold 500 -k 3 --epsilon 1 --no-ledger

Asks of one query after another whether its number is above the threshold. Only
answers above it cost budget, and each comes with the gap over the threshold.
--adaptive tries with more noise first, so that clear answers cost less. INPUT -
answers `name,value` lines as they arrive.)";

/// In which order the queries of a file are asked.
enum class Order : std::uint8_t { random, file, label };

const char* name(Order order) {
  if (order == Order::random) {
    return "random";
  }
  return order == Order::file ? "file" : "label";
}

struct AboveOptions : SelectionOptions {
  Rational threshold;
  bool adaptive = false;
  std::uint64_t branches = 2;
  Rational sigma = 2;
  StopRule stop_rule = StopRule::afford;
  std::optional<std::uint64_t> stop_after;
  Order order = Order::random;
};

SparseVectorOptions sparse_vector_options(const AboveOptions& options, const Epsilon& epsilon) {
  return {.k = options.k,
          .epsilon = epsilon,
          .threshold = options.threshold,
          .noise = options.noise.distribution,
          .branches = options.adaptive ? options.branches : 1,
          .theta = value_of(options.theta),
          .sigma = options.sigma,
          .stop_rule = options.stop_rule,
          .stop_after = options.stop_after,
          .gaps = !options.classic,
          .tick = value_of(options.noise.tick),
          .asking = options.order == Order::random ? Asking::shuffled : Asking::as_given};
}

void add_parameters(Json& parameters, const AboveOptions& options, const char* order) {
  parameters["threshold"] = number(options.threshold);
  parameters["adaptive"] = options.adaptive;
  if (options.adaptive) {
    parameters["branches"] = options.branches;
    parameters["sigma"] = number(options.sigma);
  }
  parameters["stop_rule"] = name(options.stop_rule);
  parameters["stop_after"] = options.stop_after ? Json(*options.stop_after) : Json();
  parameters["classic"] = options.classic;
  parameters["order"] = order;
}

Outcome draw(Selection& selection, const SparseVectorOptions& options, ExactNoise& noise) {
  const Candidates& candidates = selection.labelled.candidates();
  const SparseVectorRelease release = sparse_vector(candidates, options, noise);
  std::vector<Item> passed;
  std::vector<std::string> labels;
  for (const SparseVectorAnswer& answer : release.answers) {
    labels.push_back(selection.labelled.label(answer.item));
    if (answer.above) {
      passed.push_back(answer.item);
    }
  }
  const std::optional<MeasureRelease> direct = selection.measure_all(passed, noise);
  Outcome outcome = selection.outcome(mechanism(release), release.cost, direct);
  const bool all_asked = release.answers.size() == candidates.size();
  add_answers(outcome.document, release,
              answers(release, direct, labels, selection.estimator, selection.confidence),
              why_stopped(release, options.stop_after, all_asked));
  return outcome;
}

Question file_question(const AboveOptions& options, const OutputOptions& output, Secrecy secrecy) {
  const auto selection = std::make_shared<Selection>(options, output, secrecy);
  const SparseVectorOptions asked = sparse_vector_options(options, selection->selecting);
  const Candidates& candidates = selection->labelled.candidates();
  const SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), asked, candidates.whole());
  // Every answer costs at least 1/branches of the full price.
  selection->check_measuring(
      std::min<std::uint64_t>(candidates.size(), options.k * asked.branches));
  add_parameters(selection->parameters, options, name(options.order));
  return selection->question("above", plan.blank.cost,
                             [=](ExactNoise& noise) { return draw(*selection, asked, noise); });
}

void check_stream(const AboveOptions& options) {
  if (options.measure.sign() != 0) {
    throw InvalidParameter("--measure",
                           "a stream is not measured: its gaps already give estimates");
  }
  const sources::Input& input = options.data.input;
  if (input.format || input.item || input.sqlite || !input.query.empty() ||
      input.skip_bad_records || !options.data.candidates.list.empty() ||
      options.data.candidates.items_are_public || options.order != Order::random) {
    throw InvalidParameter(
        "INPUT",
        "- answers a stream of name,value lines, as they come; --input-format, "
        "--candidates, --items-are-public, --item, --sqlite, --query, --order and "
        "--skip-bad-records are for files");
  }
}

Question stream_question(const AboveOptions& options, const OutputOptions& output,
                         const Context& context) {
  check_stream(options);
  const sources::DataSource source = options.source(true);
  Json parameters = selection_parameters(options, source);
  add_parameters(parameters, options, "as asked");
  parameters["confidence"] = output.confidence;
  return cli::stream_question(source, sparse_vector_options(options, options.epsilon.value()),
                              parameters, output, context);
}

void add_options(CLI::App& verb, AboveOptions& options) {
  add_parsed(verb, "--threshold", options.threshold, "Public threshold; rounded up to a tick",
             Rational::parse)
      ->required();
  add_number(verb, "-k", options.k, "How many answers above it the budget must last for")
      ->required();
  add_parsed(verb, "--epsilon", options.epsilon, "Budget for all of it, for example 0.7 or 7/10",
             Epsilon::parse)
      ->required();
  CLI::Option* adaptive =
      verb.add_flag("--adaptive", options.adaptive, "Let clear answers cost less");
  add_number(verb, "--branches", options.branches, "With --adaptive: prices to try (default 2)")
      ->needs(adaptive);
  add_parsed(verb, "--sigma", options.sigma,
             "With --adaptive: standard deviations by which a cheap answer must pass (default 2)",
             Rational::parse)
      ->needs(adaptive);
  add_parsed(verb, "--theta", options.theta,
             "Share of the budget for the threshold (default: the best)", WrittenNumber::parse);
  add_stop_rule(
      verb, options.stop_rule,
      "afford (default): while some answer can be paid for; paper: while the most expensive "
      "can");
  add_number(verb, "--stop-after", options.stop_after, "Stop after so many answers above");
  add_parsed(verb, "--measure", options.measure,
             "Share of the budget that measures what passed (default 0: gaps give estimates)",
             parse_share);
  add_choice(verb, "--order", options.order,
             "random, which is the default; file, which declares the order of the file public; or "
             "label",
             names_of({Order::random, Order::file, Order::label}));
  verb.add_flag("--classic", options.classic, "Without gaps");
}

RegisteredVerb add(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<AboveOptions>();
  CLI::App* verb = parent.add_subcommand("above", "What is above a threshold, and by how much");
  add_input(*verb, options->data.input,
            secrecy == Secrecy::secret
                ? "to answer `name,value` lines from standard input as they arrive"
                : "for standard input");
  add_options(*verb, *options);
  add_candidates(*verb, options->data.candidates, false);
  add_queries(*verb, options->data.queries);
  add_noise(*verb, options->noise);
  verb->footer(example);
  return {verb, [=](const OutputOptions& output, const Context& context) {
            if (secrecy == Secrecy::secret && options->data.input.path == "-") {
              return stream_question(*options, output, context);
            }
            options->data.candidates.sorted = options->order == Order::label;
            return file_question(*options, output, secrecy);
          }};
}

}  // namespace

ReleaseVerb above_verb() { return {add, sparse_vector_renderers()}; }

}  // namespace freegap::cli
