#include "questions/above.hpp"

#include <CLI/CLI.hpp>

#include "cli/answers_table.hpp"
#include "cli/release_verb_table.hpp"
#include "cli/stream.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap above sample.dat --threshold 300 -k 5 --epsilon 0.7 --adaptive \
    --items-are-public --no-ledger
  printf 'monday,812\ntuesday,40\n' | \
    freegap above - --threshold 500 -k 3 --epsilon 1 --sensitivity 1 --no-ledger

Asks of one query after another whether its number is above the threshold. Only
answers above it cost budget, and each comes with the gap over the threshold.
--adaptive tries with more noise first, so that clear answers cost less. With
--universe only the answers above are listed. INPUT - answers `name,value` lines
as they arrive; --sensitivity says how much one unit can change a value.)";

/// An order that comes from secret records would reveal them: loss without bound where it shows
/// which record came first.
void check_order(const AboveOptions& options, Secrecy secrecy) {
  const CandidateOptions& candidates = options.data.candidates;
  if (candidates.universe && options.order != Order::random) {
    throw InvalidParameter("--order", "the ids of a universe are asked in random order");
  }
  const bool public_list = !candidates.list.empty();
  const bool counted = sources::records_of(options.data.input) != sources::Records::numbers;
  if (options.order == Order::file && secrecy == Secrecy::secret && counted && !public_list) {
    throw InvalidParameter("--order",
                           "records are counted here, and their order shows which came first. File "
                           "order is for a public list (--candidates FILE) or for ready-made "
                           "numbers; say --order label, or leave it out");
  }
}

void check_stream(const AboveOptions& options) {
  if (options.measure.sign() != 0) {
    throw InvalidParameter("--measure",
                           "a stream is not measured: its gaps already give estimates");
  }
  const sources::Input& input = options.data.input;
  const CandidateOptions& candidates = options.data.candidates;
  if (input.format || input.item || input.value || input.separator || sources::asks_engine(input) ||
      !input.query.empty() || !candidates.list.empty() || candidates.items_are_public ||
      candidates.universe || input.max_items || input.bounded_by ||
      options.order != Order::random) {
    throw InvalidParameter(
        "INPUT",
        "- answers a stream of name,value lines, as they come; --input-format, --separator, "
        "--candidates, --universe, --items-are-public, --item, --value, --parquet, --sqlite, "
        "--duckdb, --query, --max-items, --bounded-by and --order are for files");
  }
  if (!options.data.queries.sensitivity) {
    throw InvalidParameter("--sensitivity",
                           "a stream's values are not counts: say how much one unit can change one "
                           "of them, for example --sensitivity 1");
  }
}

Question stream_question(const AboveOptions& options, const OutputOptions& output,
                         const Context& context) {
  check_stream(options);
  const sources::DataSource source(options.data.input, options.declaration(Secrecy::secret, true));
  Json parameters = selection_parameters(options, source);
  add_parameters(parameters, options, "as asked");
  parameters["estimator"] = name(options.estimator);
  parameters["confidence"] = output.confidence;
  const SparseVectorOptions asked = sparse_vector_options(options, options.epsilon.value());
  const SparseVectorPlan plan = plan_sparse_vector(source.queries(), asked, source.whole());
  describe_limit(parameters, source, {plan.grid.tick()});
  return cli::stream_question(source, asked, parameters,
                              {.confidence = output.confidence, .method = options.estimator},
                              output, context, options.data.input.skip_bad_records);
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
  add_choice(
      verb, "--order", options.order,
      "random, which is the default; label; or file: the order of a public list or, declared "
      "public, of ready-made numbers",
      names_of({Order::random, Order::file, Order::label}));
  verb.add_flag("--classic", options.classic, "Without gaps");
  add_constant_work(verb, options.constant_work);
}

RegisteredVerb add(CLI::App& parent, Secrecy secrecy) {
  auto options = std::make_shared<AboveOptions>();
  CLI::App* verb = parent.add_subcommand("above", "What is above a threshold, and by how much");
  add_input(*verb, options->data.input,
            secrecy == Secrecy::secret
                ? "to answer `name,value` lines from standard input as they arrive"
                : "for standard input");
  add_options(*verb, *options);
  add_candidates(*verb, options->data.candidates, true);
  add_bounds(*verb, options->data.input);
  add_queries(*verb, options->data);
  add_noise(*verb, options->noise);
  add_estimator(*verb, options->estimator);
  verb->footer(example);
  return {verb,
          [=](const OutputOptions& output, const Context& context) {
            if (secrecy == Secrecy::secret && options->data.input.path == "-") {
              return stream_question(*options, output, context);
            }
            options->data.candidates.sorted = options->order == Order::label;
            check_order(*options, secrecy);
            return above_question(*options, output.confidence, read_candidates(*options, secrecy));
          },
          [=] {
            return options->data.input.path == "-" ? std::vector<Missing>()
                                                   : selection_missing(*options, secrecy);
          },
          {options, &options->data.input}};
}

}  // namespace

ReleaseVerb above_verb() { return {add, sparse_vector_renderers()}; }

}  // namespace freegap::cli
