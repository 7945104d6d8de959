#pragma once

/// @file
/// The program `freegap`: verbs, each in a file of its own, that parse, call the library and show
/// what it returns. Results go to standard output, messages to standard error.

#include <iosfwd>
#include <vector>

#include "verify/suite.hpp"

namespace freegap::cli {

/// The exit status of the program.
enum ExitStatus : int {
  done = 0,                 ///< all went well
  verification_failed = 1,  ///< something that was checked does not hold
  bad_input = 2,            ///< options or data that make no sense, or a refused budget
  machine_fault = 3         ///< disk, entropy, memory
};

/// What a verb works with.
struct Context {
  std::istream& in;                   ///< for streams of queries
  std::ostream& out;                  ///< for results
  std::ostream& err;                  ///< for messages
  bool terminal = false;              ///< whether `err` is one, so that progress may be shown
  bool out_terminal = false;          ///< whether `out` is one, so that tables are for people
  std::vector<verify::Check> checks;  ///< what `verify` runs
  bool out_colour = false;            ///< whether `out` shows headings bold; set by run()
};

/// The commit that the program was built from, with "+changes" where its sources differed from it;
/// "unknown" outside a clone. Defined in a source that each build writes anew (cmake/commit.cmake).
const char* commit();

/// Runs the program and returns its exit status. Never throws.
int run(int argc, const char* const* argv, const Context& given);

}  // namespace freegap::cli
