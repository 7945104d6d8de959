// The moment at which an interruption is easily missed: between asking whether there was one, and
// waiting for input.
#include "cli/interruption.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <istream>
#include <string>

struct pollfd;

/// Stands in for the C library's: the signal comes when it is called, before the wait begins.
extern "C" int ppoll(pollfd* inputs, unsigned long count, const timespec* timeout,
                     const sigset_t* mask) {
  raise(SIGINT);
  return static_cast<int>(syscall(SYS_ppoll, inputs, count, timeout, mask, NSIG / 8));
}

namespace freegap::cli {
namespace {

TEST(Interruption, EndsAWaitThatHasNotBegun) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  alarm(30);  // nobody writes: a wait that goes on is ended by this, and with it the test
  watch_for_interruption();
  StandardInput input;
  std::istream in(&input);
  std::string line;
  EXPECT_FALSE(std::getline(in, line));
  EXPECT_TRUE(in.eof());
  EXPECT_FALSE(in.bad());
  EXPECT_TRUE(interrupted());
}

}  // namespace
}  // namespace freegap::cli
