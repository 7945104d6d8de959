// Writes the manual pages and the completions of freegap: freegap_pages FOLDER DATE.
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>

#include "cli/pages/completions.hpp"
#include "cli/pages/manual.hpp"
#include "cli/program.hpp"
#include "cli/verbs.hpp"

int main(int argc, char** argv) {
  using namespace freegap::cli;
  if (argc != 3) {
    std::cerr << "usage: freegap_pages FOLDER DATE\n";
    return bad_input;
  }
  try {
    const Context context{std::cin, std::cout, std::cerr, false, false, {}};
    int status = done;
    CLI::App app;
    add_program(app, context, status);
    const Command program = command_of(app);
    const std::filesystem::path folder = argv[1];
    const auto write = [&](const std::string& under, const std::string& name,
                           const std::string& text) {
      std::filesystem::create_directories(folder / under);
      write_file(folder / under / name, text);
    };
    for (const Command* command : all_of(program)) {
      write("man/man1", command->name("-") + ".1", manual_page(*command, program, argv[2]));
    }
    write("bash-completion/completions", "freegap", bash_completion(program));
    write("zsh/site-functions", "_freegap", zsh_completion(program));
    write("fish/vendor_completions.d", "freegap.fish", fish_completion(program));
    return done;
  } catch (const std::exception& error) {
    std::cerr << "freegap_pages: " << error.what() << "\n";
    return machine_fault;
  }
}
