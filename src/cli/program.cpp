#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>

#include "cli/colour.hpp"
#include "cli/suggestions.hpp"
#include "cli/verbs.hpp"
#include "freegap/version.hpp"
#include "report/visible_text.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap budget create --ledger ledger.db --dataset shop --epsilon 3 \
    --unit transaction
  freegap top sample.dat -k 5 --epsilon 0.7 --universe 0..999 \
    --ledger ledger.db --dataset shop
  freegap budget show --ledger ledger.db --dataset shop

`freegap VERB --help` explains a verb. Exit status: 0 done, 1 verification
failed, 2 bad input or a refused budget (nothing spent), 3 a fault of the
machine.)";

/// Breaks a text into lines that fit beside the names of options, 80 columns in all.
std::string wrapped(const std::string& text) {
  constexpr std::size_t widest = 49;
  std::istringstream words(text);
  std::string result;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    const bool fits = column == 0 || column + 1 + word.size() <= widest;
    result += fits ? (column == 0 ? "" : " ") : "\n";
    column = fits && column > 0 ? column + 1 + word.size() : word.size();
    result += word;
  }
  return result;
}

/// Makes all help fit 80 columns.
void wrap_help(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    option->description(wrapped(option->get_description()));
  }
  for (CLI::App* verb : app.get_subcommands({})) {
    wrap_help(*verb);
  }
}

/// Version, and how this program was built.
std::string version_text() {
  std::string text = std::string("freegap ") + version + " (" + FREEGAP_BUILD_TYPE + ", ";
#if defined(__clang__)
  text += "Clang ";
#else
  text += "GCC ";
#endif
  return text + __VERSION__ + ", commit " + commit() + ")";
}

/// A message, its first line in red where colour is wanted.
std::string red_first_line(const std::string& text, bool colour) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return end == 0 ? text : red(text.substr(0, end), colour) + text.substr(end);
}

}  // namespace

void add_program(CLI::App& app, const Context& context, int& status) {
  app.description("Differentially private selection with free gaps.");
  app.name("freegap");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(example);
  add_releases(app, context);
  add_count(app, context);
  add_plan(app, context);
  add_budget(app, context, status);
  add_simulate(app, context);
  add_verify(app, context, status);
  add_quest(app, context);
  add_reproduce(app, context);
  add_colour(app);
}

int run(int argc, const char* const* argv, const Context& given) {
  Context context = given;
  context.out_colour = wants_colour(argc, argv, context.out_terminal);
  const bool err_colour = wants_colour(argc, argv, context.terminal);
  const auto complain = [&](const std::exception& error) {
    const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    context.err << red("freegap:", err_colour) << " "
                << (no_memory ? "out of memory" : visible_lines(error.what())) << "\n";
  };
  std::string hint;
  try {
    int status = done;
    CLI::App app;
    add_program(app, context, status);
    wrap_help(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      // Help and version are results; everything else is a message.
      std::ostringstream message;
      status = app.exit(error, context.out, message) == 0 ? done : bad_input;
      message << (status == done ? "" : suggestion(app, argc, argv));
      context.err << red_first_line(visible_lines(message.str()), err_colour);
    } catch (const std::invalid_argument&) {
      // The value of an option that does not exist may have been taken for another argument.
      hint = suggestion(app, argc, argv);
      throw;
    }
    show(context, "");  // whatever was written must have got there
    return status;
  } catch (const std::invalid_argument& error) {
    context.err << visible_lines(hint);
    complain(error);
    return bad_input;
  } catch (const std::exception& error) {
    complain(error);
    return machine_fault;
  }
}

}  // namespace freegap::cli
