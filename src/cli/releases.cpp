#include <CLI/CLI.hpp>
#include <utility>

#include "program.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace freegap::cli {
namespace {

constexpr auto all_verbs = {add_top, add_above, add_choose, add_measure};

constexpr const char* simulate_example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap simulate top sample.dat -k 3 --epsilon 0.7 --runs 2 --seed 1

Runs a verb many times on data that is NOT secret, with noise from a seed, to
learn how it behaves. One JSON object a run, no ledger. Never publish the result
of a simulation on real data: whoever knows the seed can take the noise off
again.)";

struct Runs {
  std::uint64_t runs = 1;
  std::uint64_t seed = 0;
};

/// Reads, validates and plans, which takes a while for large data.
Job prepared(const Verb& verb, const Context& context) {
  Progress progress(context.err, context.terminal);
  progress.start("reading the data");
  return verb.job();
}

}  // namespace

Verb finished(CLI::App& command, const std::shared_ptr<OutputOptions>& output, Secrecy secrecy,
              const char* example, std::function<Job()> job) {
  add_output(command, *output, secrecy);
  command.footer(example);
  Verb verb;
  verb.command = &command;
  verb.output = output;
  verb.job = std::move(job);
  return verb;
}

void add_releases(CLI::App& app, const Context& context) {
  for (const auto& add : all_verbs) {
    const Verb verb = add(app, Secrecy::secret);
    auto ledger = std::make_shared<LedgerOptions>();
    add_ledger(*verb.command, *ledger);
    verb.command->callback([=, &context] {
      Booking::check(*ledger);
      if (verb.online()) {
        verb.stream(*ledger, context);
      } else {
        release(prepared(verb, context), *ledger, verb.output->format, context);
      }
    });
  }
}

void add_simulate(CLI::App& app, const Context& context) {
  CLI::App* simulation =
      app.add_subcommand("simulate", "Run a verb many times on data that is not secret");
  simulation->require_subcommand(1);
  simulation->footer(simulate_example);
  for (const auto& add : all_verbs) {
    const Verb verb = add(*simulation, Secrecy::not_secret);
    auto runs = std::make_shared<Runs>();
    verb.command->add_option("--runs", runs->runs, "How many (default 1)")->check(at_least_one());
    verb.command->add_option("--seed", runs->seed, "The same seed gives the same runs")
        ->check(whole_number())
        ->required();
    verb.command->callback(
        [=, &context] { simulate(verb.job(), runs->runs, runs->seed, context); });
  }
}

}  // namespace freegap::cli
