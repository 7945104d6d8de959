#include <unistd.h>

#include <iostream>

#include "program.hpp"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const freegap::cli::Context context{std::cin,
                                      std::cout,
                                      std::cerr,
                                      isatty(STDERR_FILENO) == 1,
                                      isatty(STDOUT_FILENO) == 1,
                                      freegap::verify::all_checks()};
  return freegap::cli::run(argc, argv, context);
}
