#include "sources/child.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no kill
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "freegap/errors.hpp"

namespace freegap::sources {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw MachineFault(what + " failed: " + std::generic_category().message(error));
}

/// The redirections of a program that is to be started.
class Redirections {
 public:
  Redirections(int output, int messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, messages, STDERR_FILENO);
  }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::string& argument) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("making a pipe", errno);
  }
  output_ = ends[0];
  messages_ = ::memfd_create("messages", MFD_CLOEXEC);
  std::vector<std::string> words = command;
  const int error = messages_ < 0 ? errno
                                  : ::posix_spawnp(&process_, command.front().c_str(),
                                                   Redirections(ends[1], messages_).get(), nullptr,
                                                   pointers(words).data(), environ);
  ::close(ends[1]);
  if (error != 0) {
    process_ = -1;
    ::close(output_);
    ::close(messages_);
    if (error == ENOENT || error == EACCES || error == ENOTDIR || error == ENOEXEC) {
      throw InvalidParameter(argument, "there is no program " + command.front());
    }
    fail("starting " + command.front(), error);
  }
}

Child::~Child() {
  ::close(output_);  // first: the program may be waiting for a reader
  if (process_ > 0) {
    ::kill(process_, SIGTERM);  // it may have files to delete
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(messages_);
}

std::size_t Child::read(std::span<char> room) {
  for (;;) {
    const ssize_t got = ::read(output_, room.data(), room.size());
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) {
      fail("reading from another program", errno);
    }
  }
}

Ending Child::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0) {
    if (errno != EINTR) {
      fail("waiting for another program", errno);
    }
  }
  process_ = -1;
  std::array<char, 4096> text{};
  const ssize_t size = ::pread(messages_, text.data(), text.size(), 0);
  return {WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : 0,
          std::string(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0)};
}

}  // namespace freegap::sources
