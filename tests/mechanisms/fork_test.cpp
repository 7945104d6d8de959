// A sparse vector that is open when its process is forked answers in the parent alone: if both
// processes answered, each would spend what is left of the same budget, on the same noisy
// threshold.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>

#include "freegap/freegap.hpp"

namespace freegap {
namespace {

constexpr std::int64_t far_below = -1'000'000'000;
constexpr std::int64_t far_above = 1'000'000'000;
constexpr int unexpected = 9;

const Queries queries{Kind::counts, Neighbours::add_remove, 1};
const SparseVectorOptions options{.k = 5, .epsilon = "1"_eps, .threshold = 0};

pid_t plain_fork() { return fork(); }
/// Without the C library's handlers, and so without those of pthread_atfork.
pid_t bare_clone() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

/// The exit status of a child that runs `work`.
int in_child(pid_t (*make_child)(), const std::function<int()>& work) {
  const pid_t child = make_child();
  if (child == 0) {
    int status = unexpected;
    try {
      status = work();
    } catch (...) {
      status = unexpected;
    }
    _exit(status);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// How many of the ways to ask are refused with Forked.
template <class Vector>
int refusals(Vector& vector) {
  int refused = 0;
  const auto expect_refused = [&](const auto& ask) {
    try {
      ask();
    } catch (const Forked&) {
      ++refused;
    }
  };
  expect_refused([&] { vector.ask(far_below); });
  expect_refused([&] { vector.ask(far_above); });
  expect_refused([&] { vector.ask(0.5); });
  expect_refused([&] { vector.ask(far_below, Item{7, 0}); });
  expect_refused([&] { vector.ask_ticks(far_below, Item{8, 0}); });
  return refused + (vector.open() ? 0 : 1);
}
constexpr int all_refused = 6;

class Fork : public testing::TestWithParam<pid_t (*)()> {};

TEST_P(Fork, TheChildRefusesAndTheParentGoesOn) {
  SecureNoise noise;
  SparseVector vector(queries, options, noise);
  // Far queries are answered without a draw from here on: the shortest way through `ask`.
  for (int i = 0; i < 100; ++i) {
    vector.ask(far_below);
  }
  EXPECT_TRUE(vector.ask(far_above).above);
  EXPECT_EQ(in_child(GetParam(), [&] { return refusals(vector); }), all_refused);
  EXPECT_TRUE(vector.open());
  EXPECT_FALSE(vector.ask(far_below).above);
  EXPECT_TRUE(vector.ask(far_above).above);
  EXPECT_EQ(vector.asked(), 103U);
}

TEST_P(Fork, OneThatWasNeverAskedIsRefusedToo) {
  SecureNoise noise;
  SparseVector vector(queries, options, noise);
  EXPECT_EQ(in_child(GetParam(), [&] { return refusals(vector); }), all_refused);
  EXPECT_FALSE(vector.ask(far_below).above);
}

TEST_P(Fork, AChildHasVectorsOfItsOwnAndItsChildrenRefuseBoth) {
  SecureNoise noise;
  SparseVector inherited(queries, options, noise);
  EXPECT_EQ(in_child(GetParam(),
                     [&] {
                       SparseVector own(queries, options, noise);
                       if (!own.ask(far_above).above || own.ask(far_below).above || !own.open()) {
                         return 1;
                       }
                       // Its own do not bring the inherited one back to life.
                       if (refusals(inherited) != all_refused) {
                         return 2;
                       }
                       return in_child(GetParam(), [&] {
                         SparseVector newest(queries, options, noise);
                         newest.ask(far_below);
                         return refusals(own) + refusals(inherited);
                       });
                     }),
            2 * all_refused);
}

TEST_P(Fork, WhatWasReleasedBeforeCanBeReadInTheChild) {
  SecureNoise noise;
  SparseVector vector(queries, options, noise);
  vector.ask(far_above);
  EXPECT_EQ(in_child(GetParam(), [&] { return static_cast<int>(vector.release().above()); }), 1);
}

TEST_P(Fork, TheMessageSaysWhatToDo) {
  SecureNoise noise;
  SparseVector vector(queries, options, noise);
  EXPECT_EQ(in_child(GetParam(),
                     [&] {
                       try {
                         vector.ask(far_below);
                       } catch (const Forked& error) {
                         const std::string text = error.what();
                         return text.find("fork") != std::string::npos &&
                                        text.find("make a new one") != std::string::npos
                                    ? 0
                                    : 1;
                       }
                       return 2;
                     }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Ways, Fork, testing::Values(plain_fork, bare_clone),
                         [](const auto& way) { return way.index == 0 ? "Fork" : "Clone"; });

}  // namespace
}  // namespace freegap
