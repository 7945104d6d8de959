#include "cli/process.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no sigaction
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "cli/program.hpp"

namespace freegap::cli {
namespace {

void end_as_a_fault(int /*signal*/) {
  constexpr std::string_view message =
      "freegap: out of memory, or an internal fault; what was charged stays charged\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(machine_fault);
}

}  // namespace

void prepare_process() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // The lowest free number is this one. Standard input cannot be read, the others not written.
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = end_as_a_fault;
  sigaction(SIGABRT, &action, nullptr);
}

}  // namespace freegap::cli
