#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "freegap/errors.hpp"
#include "selection.hpp"
#include "sparse_vector_document.hpp"
#include "stream.hpp"
#include "verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap above sample.dat --threshold 300 -k 5 --epsilon 0.7 --adaptive \
    --items-are-public --no-ledger
  printf 'monday,812\ntuesday,40\n' | \
    freegap above - --threshold 500 -k 3 --epsilon 1 --no-ledger

Asks, one query after another, whether its number is above the threshold; only
answers above it cost budget, and each tells by how much. --adaptive tries with
more noise first, so that clear answers cost less. INPUT - answers `name,value`
lines as they arrive.)";

struct AboveOptions : SelectionOptions {
  std::string threshold;
  bool adaptive = false;
  std::size_t branches = 2;
  std::string sigma = "2";
  std::string stop_rule = "afford";
  std::uint64_t stop_after = 0;
  std::string order = "random";
};

SparseVectorOptions sparse_vector_options(const AboveOptions& options, const Epsilon& epsilon,
                                          const std::optional<Rational>& theta,
                                          Distribution distribution,
                                          const std::optional<Rational>& tick) {
  SparseVectorOptions result{.k = options.k,
                             .epsilon = epsilon,
                             .threshold = rational_of("--threshold", options.threshold)};
  result.noise = distribution;
  result.branches = options.adaptive ? options.branches : 1;
  result.theta = theta;
  result.sigma = rational_of("--sigma", options.sigma);
  result.stop_rule = options.stop_rule == "paper" ? StopRule::paper : StopRule::afford;
  if (options.stop_after > 0) {
    result.stop_after = options.stop_after;
  }
  result.gaps = !options.classic;
  result.tick = tick;
  result.asking = options.order == "random" ? Asking::shuffled : Asking::as_given;
  return result;
}

void add_parameters(Json& parameters, const AboveOptions& options) {
  parameters["threshold"] = number(rational_of("--threshold", options.threshold));
  parameters["adaptive"] = options.adaptive;
  if (options.adaptive) {
    parameters["branches"] = options.branches;
    parameters["sigma"] = number(rational_of("--sigma", options.sigma));
  }
  parameters["stop_rule"] = options.stop_rule;
  parameters["stop_after"] = options.stop_after > 0 ? Json(options.stop_after) : Json();
  parameters["classic"] = options.classic;
}

Outcome draw(Selection& selection, const SparseVectorOptions& options, ExactNoise& noise) {
  const SparseVectorRelease release = sparse_vector(selection.candidates, options, noise);
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
  add_setting(outcome.document, release);
  outcome.document["answers"] =
      answers(release, direct, labels, selection.estimator, selection.confidence);
  outcome.document["stopped"] = why_stopped(release, options.stop_after,
                                            release.answers.size() == selection.candidates.size());
  return outcome;
}

Job make_job(const AboveOptions& options, const OutputOptions& output, Secrecy secrecy) {
  const auto selection = std::make_shared<Selection>(options, output, secrecy);
  const SparseVectorOptions asked = sparse_vector_options(
      options, selection->selecting, selection->theta, selection->distribution, selection->tick);
  const SparseVectorPlan plan =
      plan_sparse_vector(selection->queries, asked, selection->candidates.whole());
  // Every answer costs at least 1/branches of the full price.
  const std::uint64_t most =
      std::min<std::uint64_t>(selection->candidates.size(), options.k * asked.branches);
  selection->check_measuring(most);
  add_parameters(selection->parameters, options);
  selection->parameters["order"] = options.order;
  return job_of("above", *selection, selection->worst_case(plan.blank.cost),
                [=](ExactNoise& noise) { return draw(*selection, asked, noise); });
}

void answer_stream(const AboveOptions& options, const OutputOptions& output,
                   const LedgerOptions& ledger, const Context& context) {
  if (rational_of("--measure", options.measure).sign() != 0) {
    throw InvalidParameter("--measure",
                           "a stream is not measured: its gaps already give estimates");
  }
  const DataOptions& data = options.data;
  if (!data.input_format.empty() || !data.candidates.empty() || !data.item.empty() ||
      !data.sqlite.empty() || !data.query.empty() || data.skip_bad_records ||
      options.order != "random") {
    throw InvalidParameter(
        "INPUT",
        "- answers a stream of name,value lines, as they come; --input-format, "
        "--candidates, --item, --sqlite, --query, --order and --skip-bad-records "
        "are for files");
  }
  const Distribution distribution = distribution_of(options.noise.distribution);
  const bool whole = distribution == Distribution::geometric || options.data.kind == "counts";
  const Queries queries = queries_of(options.data, Kind::general, whole);
  const Epsilon epsilon = epsilon_of("--epsilon", options.epsilon);
  StreamQuestion question{
      .queries = queries,
      .unit = options.data.unit.empty() ? "row" : options.data.unit,
      .options = sparse_vector_options(options, epsilon,
                                       options.theta.empty()
                                           ? std::nullopt
                                           : std::optional(rational_of("--theta", options.theta)),
                                       distribution, tick_of(options.noise)),
      .whole = whole,
      .step = real_grid_of(options.data).step,
      .parameters = {},
      .confidence = output.level(),
      .format = output.format};
  question.parameters["k"] = options.k;
  question.parameters["noise"] = name(distribution);
  describe(question.parameters, queries, question.unit);
  add_parameters(question.parameters, options);
  question.parameters["order"] = "as asked";
  question.parameters["confidence"] = question.confidence;
  answer(question, ledger, context);
}

void add_options(CLI::App& verb, AboveOptions& options) {
  verb.add_option("--threshold", options.threshold, "Public threshold; rounded up to a tick")
      ->required();
  verb.add_option("-k", options.k, "How many answers above it the budget must last for")
      ->check(at_least_one())
      ->required();
  verb.add_option("--epsilon", options.epsilon, "Budget for all of it, for example 0.7 or 7/10")
      ->required();
  CLI::Option* adaptive =
      verb.add_flag("--adaptive", options.adaptive, "Let clear answers cost less");
  verb.add_option("--branches", options.branches, "With --adaptive: prices to try (default 2)")
      ->check(at_least_one())
      ->needs(adaptive);
  verb.add_option("--sigma", options.sigma,
                  "With --adaptive: standard deviations by which a cheap answer must pass "
                  "(default 2)")
      ->needs(adaptive);
  verb.add_option("--theta", options.theta,
                  "Share of the budget for the threshold (default: the best)");
  verb.add_option("--stop-rule", options.stop_rule,
                  "afford (default): while some answer can be paid for; paper: while the dearest "
                  "can")
      ->check(CLI::IsMember({"afford", "paper"}));
  verb.add_option("--stop-after", options.stop_after, "Stop after so many answers above")
      ->check(at_least_one());
  verb.add_option("--measure", options.measure,
                  "Share of the budget that measures what passed (default 0: gaps give estimates)");
  verb.add_option("--order", options.order,
                  "random, which is the default; file, which declares the order of the file "
                  "public; or label")
      ->check(CLI::IsMember({"random", "file", "label"}));
  verb.add_flag("--classic", options.classic, "Without gaps");
}

}  // namespace

Verb add_above(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<AboveOptions>();
  auto output = std::make_shared<OutputOptions>();
  options->measure = "0";
  CLI::App* verb = parent.add_subcommand("above", "What is above a threshold, and by how much");
  add_input(*verb, options->data,
            secrecy == Secrecy::secret
                ? "to answer `name,value` lines from standard input as they arrive"
                : "for standard input");
  add_options(*verb, *options);
  add_candidates(*verb, options->data, false);
  add_queries(*verb, options->data);
  add_noise(*verb, options->noise);
  Verb result = finished(*verb, output, secrecy, example, [=] {
    options->data.sorted = options->order == "label";
    return make_job(*options, *output, secrecy);
  });
  if (secrecy == Secrecy::secret) {
    result.online = [=] { return options->data.input == "-"; };
    result.stream = [=](const LedgerOptions& ledger, const Context& context) {
      answer_stream(*options, *output, ledger, context);
    };
  }
  return result;
}

}  // namespace freegap::cli
