#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "cli/asked.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/release_verb_table.hpp"
#include "cli/report_file.hpp"
#include "cli/verbs.hpp"

namespace freegap::cli {
namespace {

constexpr const char* simulate_example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap simulate top sample.dat -k 3 --epsilon 0.7 --runs 2 --seed 1
)";

constexpr const char* simulation_note = R"(
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

/// The files that a call names, but for its report.
std::vector<NamedFile> files_of(const CLI::App& verb) {
  std::vector<NamedFile> files;
  for (const char* name :
       {"INPUT", "--parquet", "--sqlite", "--duckdb", "--candidates", "--items-file", "--ledger"}) {
    const CLI::Option* option = verb.get_option_no_throw(name);
    if (option != nullptr && option->count() > 0) {
      files.push_back({name, option->results().front()});
    }
  }
  return files;
}

/// The first example of a verb, with what is set up for it, as a simulation.
std::string simulated_example(const CLI::App& verb) {
  constexpr std::size_t widest = 80;
  const std::string call = "  freegap " + verb.get_name() + " ";
  std::istringstream lines(verb.get_footer());
  std::string example;
  bool called = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(call)) {
      line.insert(call.find(verb.get_name()), "simulate ");
      called = true;
    }
    const std::size_t ledger = line.find("--no-ledger");
    line = ledger == std::string::npos ? line : line.substr(0, ledger) + "--seed 1";
    if (line.size() > widest) {
      line.insert(line.rfind(" --", widest - 2) + 1, "\\\n    ");
    }
    example += line + "\n";
    if (called && !line.ends_with('\\')) {
      break;
    }
  }
  return example;
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
      std::vector<Missing> missing = verb.missing ? verb.missing() : std::vector<Missing>();
      if (const std::optional<Missing> charged = missing_ledger(*ledger)) {
        missing.push_back(*charged);
      }
      require_all(missing);
      if (output->report) {
        check_report(*output->report, files_of(*verb.command));
      }
      Question question = prepared(verb, *output, context);
      question.asked = what_was_asked(*verb.command, question, ledger->note);
      release(question, *ledger, *output, context);
    });
  }
}

void add_simulate(CLI::App& app, const Context& context) {
  CLI::App* simulation =
      app.add_subcommand("simulate", "Run a verb many times on data that is not secret");
  simulation->require_subcommand(1);
  simulation->footer(std::string(simulate_example) + simulation_note);
  for (const ReleaseVerb& release_verb : release_verbs()) {
    const RegisteredVerb verb = release_verb.add(*simulation, Secrecy::not_secret);
    auto output = std::make_shared<OutputOptions>();
    auto runs = std::make_shared<Runs>();
    verb.command->footer(simulated_example(*verb.command) + simulation_note);
    add_output(*verb.command, *output, Secrecy::not_secret);
    add_number(*verb.command, "--runs", runs->runs, "How many (default 1)");
    add_number(*verb.command, "--seed", runs->seed, "The same seed gives the same runs", 0)
        ->required();
    verb.command->callback([=, &context] {
      if (verb.input) {
        verb.input->insecure_seed = runs->seed;
      }
      simulate(verb.question(*output, context), runs->runs, runs->seed, context);
    });
  }
}

}  // namespace freegap::cli
