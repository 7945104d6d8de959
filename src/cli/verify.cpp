#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "verify/report.hpp"
#include "verify/suite.hpp"

namespace freegap::cli {
namespace {

constexpr std::uint64_t quick_replays = 100'000;
constexpr std::uint64_t full_replays = 10'000'000;

constexpr const char* example = R"(Example:
  freegap verify --quick --html report.html

Checks, on the very code that makes releases:
  alignments   the proofs, tape by tape: same output, exact cost, one-to-one
  enumeration  every outcome on small inputs: exact losses and distributions
  black boxes  lower bounds on the loss from many runs of the public functions
  bad variants mechanisms known to be wrong, each of which must be caught

Exit status: 0 if everything holds and everything bad was caught, 1 if not.)";

struct Options {
  bool quick = false;
  std::uint64_t replays = full_replays;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
  OutputFormat format = OutputFormat::table;
  std::optional<std::string> html;
};

int verify_all(const Options& options, const Context& context) {
  if (options.html) {
    check_output("--html", *options.html);
  }
  verify::SuiteOptions suite;
  suite.replays = options.quick ? quick_replays : options.replays;
  // A bound needs enough runs to come near the loss, and gains little from very many.
  suite.black_box_runs = std::clamp<std::uint64_t>(suite.replays, 100'000, 1'000'000);
  suite.threads = options.threads;
  suite.seed = options.seed;
  verify::Report report;
  {
    Progress progress(context.err, context.terminal);
    suite.progress = [&](std::size_t finished, std::size_t all) { progress.show(finished, all); };
    report = verify::run_suite(suite, context.checks,
                               [&](const std::string& name) { progress.start(name); });
  }
  context.out << (options.format == OutputFormat::json ? verify::as_json(report)
                                                       : verify::as_table(report));
  if (options.html) {
    write_file(*options.html, verify::as_html(report));
  }
  if (!report.passed()) {
    context.err << "freegap: verification failed\n";
    return verification_failed;
  }
  return done;
}

}  // namespace

void add_verify(CLI::App& app, const Context& context, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("verify", "Check every mechanism, and report what was found");
  CLI::Option* quick = verb->add_flag("--quick", options->quick,
                                      "100000 replays of each variant instead of 10000000");
  add_number(*verb, "--replays", options->replays, "Tapes to replay for each variant", 1,
             std::uint64_t{1} << 40U)
      ->excludes(quick);
  add_number(*verb, "--threads", options->threads, "Threads to check with (default: all cores)", 1,
             1024);
  add_number(*verb, "--seed", options->seed, "The same seed makes the same tapes, inputs and runs",
             0);
  add_choice(*verb, "--format", options->format, "Of the report (default: table)",
             names_of({OutputFormat::table, OutputFormat::json}));
  verb->add_option("--html", options->html, "Also write the report to this file, as a page");
  verb->footer(example);
  verb->callback([options, &context, &status] { status = verify_all(*options, context); });
}

}  // namespace freegap::cli
