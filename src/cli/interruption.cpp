#include "cli/interruption.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no sigaction
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

constexpr std::array watched{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t came = 0;

void note(int /*signal*/) { came = 1; }

/// Waits for input or for an interruption. One that came after asking whether there was one, and
/// before waiting, would go unnoticed; so signals are blocked in between, and ppoll unblocks them
/// as it begins to wait.
void wait_for_input() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : watched) {
    sigaddset(&held, signal);
  }
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &held, &before);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!interrupted() && ppoll(&input, 1, nullptr, &before) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = note;
  for (const int signal : watched) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
}

bool interrupted() { return came != 0; }

bool standard_input_is_open() {
  const int flags = fcntl(STDIN_FILENO, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

StandardInput::int_type StandardInput::underflow() {
  ssize_t got = -1;
  do {
    wait_for_input();
    if (interrupted()) {
      return traits_type::eof();
    }
    got = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
  } while (got < 0 && (errno == EINTR || errno == EAGAIN));
  if (got < 0) {
    throw MachineFault("cannot read standard input");
  }
  if (got == 0) {
    return traits_type::eof();
  }
  setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
  return traits_type::to_int_type(buffer_.front());
}

}  // namespace freegap::cli
