#include <unistd.h>

#include <iostream>

#include "cli/interruption.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"

int main(int argc, char** argv) {
  freegap::cli::prepare_process();
  std::ios::sync_with_stdio(false);
  freegap::cli::StandardInput input;
  std::istream in(&input);
  const freegap::cli::Context context{in,
                                      std::cout,
                                      std::cerr,
                                      isatty(STDERR_FILENO) == 1,
                                      isatty(STDOUT_FILENO) == 1,
                                      freegap::verify::all_checks()};
  return freegap::cli::run(argc, argv, context);
}
