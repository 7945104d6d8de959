#include "interruption.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no sigaction
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

volatile std::sig_atomic_t came = 0;

void note(int /*signal*/) { came = 1; }

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = note;  // without SA_RESTART, so that a waiting read comes back
  for (const int signal : {SIGINT, SIGTERM}) {
    sigaction(signal, &action, nullptr);
  }
}

bool interrupted() { return came != 0; }

StandardInput::int_type StandardInput::underflow() {
  ssize_t got = -1;
  while (!interrupted()) {
    got = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    if (got >= 0 || errno != EINTR) {
      break;
    }
  }
  if (interrupted() || got == 0) {
    return traits_type::eof();
  }
  if (got < 0) {
    throw MachineFault("cannot read standard input");
  }
  setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
  return traits_type::to_int_type(buffer_.front());
}

}  // namespace freegap::cli
