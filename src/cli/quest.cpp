#include "experiments/quest.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "cli/program.hpp"
#include "cli/verbs.hpp"
#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Examples:
  freegap quest T10I4D100K --out t10.dat
  freegap quest --transactions 1000000 --mean-size 5 --seed 7 | head

Writes one transaction per line, items separated by blanks. The data is made up
from the seed and public: there is nothing in it to protect.)";

struct QuestVerb {
  experiments::QuestOptions preset = *experiments::quest_preset("T10I4D100K");
  experiments::QuestOptions changes;
  bool weighted_items = true;
  std::optional<std::string> out;
  bool force = false;
};

/// A number, exactly as every other option reads one.
double decimal(const std::string& text) { return Rational::parse(text).shown(); }

/// The preset, with what the command line says otherwise.
experiments::QuestOptions chosen(const CLI::App& verb, const QuestVerb& asked) {
  experiments::QuestOptions options = asked.preset;
  const auto change = [&](const char* name, auto& option, const auto& value) {
    if (verb.count(name) > 0) {
      option = value;
    }
  };
  change("--transactions", options.transactions, asked.changes.transactions);
  change("--mean-size", options.mean_size, asked.changes.mean_size);
  change("--mean-pattern", options.mean_pattern, asked.changes.mean_pattern);
  change("--patterns", options.patterns, asked.changes.patterns);
  change("--items", options.items, asked.changes.items);
  change("--correlation", options.correlation, asked.changes.correlation);
  change("--corruption", options.corruption, asked.changes.corruption);
  change("--seed", options.seed, asked.changes.seed);
  options.weighted_items = asked.weighted_items;
  return options;
}

/// Refuses to overwrite a file that nobody gave up.
void check_destination(const QuestVerb& asked) {
  if (!asked.out) {
    return;
  }
  check_output("--out", *asked.out);
  if (!asked.force && std::filesystem::is_regular_file(*asked.out)) {
    throw InvalidParameter("--out", *asked.out + " exists; --force overwrites it");
  }
}

void write(const experiments::QuestOptions& options, const std::optional<std::string>& path,
           const Context& context) {
  if (!path) {
    experiments::write_quest(options, context.out);
    show(context, "");
    return;
  }
  std::ofstream file(*path, std::ios::binary);
  experiments::write_quest(options, file);
  file.close();
  if (!file) {
    throw MachineFault("cannot write " + *path);
  }
}

}  // namespace

void add_quest(CLI::App& app, const Context& context) {
  auto asked = std::make_shared<QuestVerb>();
  CLI::App* verb = app.add_subcommand("quest", "Make up transactions, after Agrawal and Srikant");
  Names<experiments::QuestOptions> presets;
  for (const char* preset : {"T10I4D100K", "T40I10D100K"}) {
    presets.emplace_back(preset, *experiments::quest_preset(preset));
  }
  add_choice(*verb, "preset", asked->preset, "T10I4D100K (default) or T40I10D100K", presets);
  experiments::QuestOptions& options = asked->changes;
  add_number(*verb, "--transactions", options.transactions, "How many (100000)");
  add_parsed(*verb, "--mean-size", options.mean_size, "Mean size of a transaction (T: 10 or 40)",
             decimal);
  add_parsed(*verb, "--mean-pattern", options.mean_pattern, "Mean size of a pattern (I: 4 or 10)",
             decimal);
  add_number(*verb, "--patterns", options.patterns, "Sets that tend to be bought together (2000)");
  add_number(*verb, "--items", options.items, "Items to choose from (1000)");
  add_parsed(*verb, "--correlation", options.correlation,
             "Mean share of a pattern that the one before it has, too (0.25)", decimal);
  add_parsed(*verb, "--corruption", options.corruption,
             "Mean chance to leave out one more item of a pattern (0.5)", decimal);
  add_choice(*verb, "--item-weights", asked->weighted_items,
             "Distribution of the items' weights (exponential)",
             Names<bool>{{"exponential", true}, {"uniform", false}});
  add_number(*verb, "--seed", options.seed, "The same seed makes the same transactions (1)", 0);
  verb->add_option("--out", asked->out, "Write to this file instead of standard output")
      ->type_name("FILE");
  verb->add_flag("--force", asked->force, "Overwrite the file of --out");
  verb->footer(example);
  verb->callback([asked, verb, &context] {
    check_destination(*asked);
    write(chosen(*verb, *asked), asked->out, context);
  });
}

}  // namespace freegap::cli
