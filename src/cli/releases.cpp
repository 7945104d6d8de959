#include <CLI/CLI.hpp>
#include <memory>

#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/release_verb_table.hpp"
#include "cli/verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* simulate_example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap simulate top sample.dat -k 3 --epsilon 0.7 --runs 2 --seed 1

Runs a verb many times on data that is NOT secret, with noise from a seed, to
learn how it behaves. One JSON object per run, no ledger. Never publish the
result of a simulation on real data: anyone who knows the seed can subtract the
noise.)";

struct Runs {
  std::uint64_t runs = 1;
  std::uint64_t seed = 0;
};

/// Reads, validates and plans, which takes a while for large data.
Question prepared(const RegisteredVerb& verb, const OutputOptions& output, const Context& context) {
  Progress progress(context.err, context.terminal);
  progress.start("reading the data");
  return verb.question(output, context);
}

}  // namespace

const std::vector<ReleaseVerb>& release_verbs() {
#define FREEGAP_LIST_VERB(name) name##_verb(),
  static const std::vector<ReleaseVerb> verbs{FREEGAP_RELEASE_VERBS(FREEGAP_LIST_VERB)};
#undef FREEGAP_LIST_VERB
  return verbs;
}

void add_releases(CLI::App& app, const Context& context) {
  for (const ReleaseVerb& release_verb : release_verbs()) {
    const RegisteredVerb verb = release_verb.add(app, Secrecy::secret);
    auto output = std::make_shared<OutputOptions>();
    auto ledger = std::make_shared<LedgerOptions>();
    add_output(*verb.command, *output, Secrecy::secret);
    add_ledger(*verb.command, *ledger);
    verb.command->callback([=, &context] {
      check_ledger(*ledger);
      release(prepared(verb, *output, context), *ledger, format_or_default(output->format, context),
              context);
    });
  }
}

void add_simulate(CLI::App& app, const Context& context) {
  CLI::App* simulation =
      app.add_subcommand("simulate", "Run a verb many times on data that is not secret");
  simulation->require_subcommand(1);
  simulation->footer(simulate_example);
  for (const ReleaseVerb& release_verb : release_verbs()) {
    const RegisteredVerb verb = release_verb.add(*simulation, Secrecy::not_secret);
    auto output = std::make_shared<OutputOptions>();
    auto runs = std::make_shared<Runs>();
    add_output(*verb.command, *output, Secrecy::not_secret);
    add_number(*verb.command, "--runs", runs->runs, "How many (default 1)");
    add_number(*verb.command, "--seed", runs->seed, "The same seed gives the same runs", 0)
        ->required();
    verb.command->callback([=, &context] {
      simulate(verb.question(*output, context), runs->runs, runs->seed, context);
    });
  }
}

}  // namespace freegap::cli
