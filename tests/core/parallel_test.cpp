// Work on several threads: every piece is done once, failures come out, and nobody waits for ever,
// also where work gives out work, where many ask at once, and in a child process.
#include "core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace freegap::detail {
namespace {

/// How often each piece was done.
std::vector<int> times_done(std::size_t count, unsigned threads) {
  std::vector<std::atomic<int>> done(count);
  for_each_index(count, threads, [&](std::size_t i) { ++done[i]; });
  return {done.begin(), done.end()};
}

TEST(Parallel, EveryPieceIsDoneOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 100U, 10'000U}) {
    for (const unsigned threads : {0U, 1U, 2U, 3U, 8U}) {
      ASSERT_EQ(times_done(count, threads), std::vector<int>(count, 1))
          << count << " pieces, " << threads << " threads";
    }
  }
}

// What one thread wrote is there for the caller to read, without locks of its own.
TEST(Parallel, ResultsAreComplete) {
  std::vector<std::size_t> squares(1'000);
  for (int round = 0; round < 50; ++round) {
    std::fill(squares.begin(), squares.end(), 0);
    for_each_index(squares.size(), 3, [&](std::size_t i) { squares[i] = i * i; });
    for (std::size_t i = 0; i < squares.size(); ++i) {
      ASSERT_EQ(squares[i], i * i);
    }
  }
}

TEST(Parallel, ProgressIsToldOncePieceByPiece) {
  for (const unsigned threads : {1U, 3U}) {
    std::size_t last = 0;
    for_each_index(
        200, threads, [](std::size_t) {},
        [&](std::size_t done, std::size_t all) {
          EXPECT_EQ(done, last + 1);
          EXPECT_EQ(all, 200U);
          last = done;
        });
    EXPECT_EQ(last, 200U);
  }
}

TEST(Parallel, TheFirstExceptionIsThrownOnWhenAllHaveStopped) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::atomic<int> running = 0;
    std::atomic<std::size_t> begun = 0;
    const auto work = [&](std::size_t i) {
      ++running;
      ++begun;
      --running;
      if (i == 5) {
        throw std::runtime_error("five");
      }
    };
    EXPECT_THROW(for_each_index(100'000, threads, work), std::runtime_error);
    EXPECT_EQ(running, 0);
    EXPECT_LT(begun, 100'000U);
    // The threads are as good as before.
    EXPECT_EQ(times_done(100, threads), std::vector<int>(100, 1));
  }
}

TEST(Parallel, WorkMayGiveOutWork) {
  std::atomic<int> done = 0;
  for_each_index(8, 3, [&](std::size_t) {
    for_each_index(8, 3, [&](std::size_t) { for_each_index(8, 2, [&](std::size_t) { ++done; }); });
  });
  EXPECT_EQ(done, 8 * 8 * 8);
}

TEST(Parallel, ManyMayAskAtOnce) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        wrong += times_done(20, 3) == std::vector<int>(20, 1) ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(wrong, 0);
}

/// Two who wait for each other, for a while.
class Meeting {
 public:
  /// Whether the other one came too.
  bool attend() {
    std::unique_lock lock(guard_);
    ++present_;
    here_.notify_all();
    return here_.wait_for(lock, std::chrono::seconds(30), [&] { return present_ >= 2; });
  }

 private:
  std::mutex guard_;
  std::condition_variable here_;
  int present_ = 0;
};

/// Whether two pieces of work, each of which waits for the other, both ended.
bool two_meet() {
  Meeting meeting;
  std::atomic<int> met = 0;
  for_each_index(2, 2, [&](std::size_t) { met += meeting.attend() ? 1 : 0; });
  return met == 2;
}

TEST(Parallel, TwoThreadsRunAtOnce) {
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(two_meet());
  }
}

TEST(Parallel, OneThreadIsTheCaller) {
  std::set<std::thread::id> seen;
  for_each_index(10, 1, [&](std::size_t) { seen.insert(std::this_thread::get_id()); });
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer lets a child of a process with threads start none.
#else
// A child has none of its parent's threads; it must not wait for them.
TEST(Parallel, AChildProcessHasThreadsOfItsOwn) {
  ASSERT_TRUE(two_meet());  // the parent has started its threads
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a child that hangs ends all the same, by a signal
    const bool sound = two_meet() && times_done(1'000, 3) == std::vector<int>(1'000, 1);
    _exit(sound ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(two_meet());  // and the parent has kept its own
}
#endif

}  // namespace
}  // namespace freegap::detail
