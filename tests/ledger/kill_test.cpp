// A process that releases as fast as it can is killed at a random moment, again and again. Every
// release that it printed is in the ledger, with its cost.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ledger/faulty_disk.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"
#include "ledger/place.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using ledger::Ledger;
using ledger::Refused;

/// The release of entry `number`. Printed after the number.
std::string release_of(std::int64_t number) {
  return R"({"entry":)" + std::to_string(number) + R"(,"winners":")" +
         std::string(static_cast<std::size_t>(number * 37 % 5000), 'w') + R"("})";
}

/// The cost of entry `number`. It reserves 1/1000.
Rational cost_of(std::int64_t number) { return {number % 10 + 1, 10'000}; }

std::string line_of(std::int64_t number) {
  return std::to_string(number) + " " + release_of(number) + "\n";
}

void print(int output, const std::string& line) {
  if (::write(output, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    ::_exit(2);
  }
}

/// Reserves, settles and prints until the budget is spent.
void release_for_ever(const std::string& path, int output) {
  Ledger ledger(path);
  for (;;) {
    const std::int64_t number = ledger.reserve(request("0.001"_rational));
    ledger.settle(number, cost_of(number), release_of(number));
    print(output, line_of(number));
  }
}

/// The same in a wrong order, which the test must detect: prints before it charges.
void print_before_charging(const std::string& path, int output) {
  Ledger ledger(path);
  for (;;) {
    const auto number = static_cast<std::int64_t>(ledger.history().size()) + 1;
    print(output, line_of(number));
    ledger.settle(ledger.reserve(request("0.001"_rational)), cost_of(number), release_of(number));
  }
}

/// Dies in the middle of printing, like a kill between two pages of a write.
void tear(int output, std::int64_t number) {
  const std::string line = line_of(number);
  print(output, line.substr(0, line.size() / 2));
  ::raise(SIGKILL);
}

void tear_what_is_charged(const std::string& path, int output) {
  Ledger ledger(path);
  const std::int64_t number = ledger.reserve(request("0.001"_rational));
  ledger.settle(number, cost_of(number), release_of(number));
  tear(output, number);
}

void tear_what_is_only_reserved(const std::string& path, int output) {
  tear(output, Ledger(path).reserve(request("0.001"_rational)));
}

using Work = decltype(release_for_ever);

class LedgerKill : public ::testing::Test {
 protected:
  void start_afresh() {
    settled_.clear();
    place_.remove("budget.db");
    std::filesystem::remove(printed_);
    Ledger::create(path_, clicks("0.1"_rational));
  }

  /// Runs `work` and kills it after a while. Returns whether it was still working.
  bool run_and_kill(Work* work, std::chrono::microseconds after) {
    const pid_t child = start(work);
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
    return died_at_work(child);
  }

  [[nodiscard]] pid_t start(Work* work) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const int output = ::open(printed_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      try {
        work(path_, output);
      } catch (const Refused&) {
        ::_exit(0);
      } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        ::_exit(3);
      }
    }
    return child;
  }

  bool died_at_work(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    journals_ += std::filesystem::exists(path_ + "-journal") ? 1 : 0;
    return WIFSIGNALED(status);
  }

  static Rational charged_by(const std::vector<ledger::Entry>& entries) {
    Rational charged = 0;
    for (const ledger::Entry& entry : entries) {
      charged = charged + entry.spent.value_or(entry.reserved);
    }
    return charged;
  }

  /// The problem with the ledger, given all that was printed since it was created; empty if there
  /// is none.
  std::string problem() {
    try {
      const Ledger ledger(path_);
      std::vector<ledger::Entry> entries;
      ledger::Balance balance;
      do {  // a server may still commit what a killed client has sent
        entries = ledger.history();
        balance = ledger.balance("clicks");
      } while (charged_by(ledger.history()) != charged_by(entries));
      const Rational charged = charged_by(entries);
      unfinished_ = static_cast<std::size_t>(std::count_if(
          entries.begin(), entries.end(), [](const ledger::Entry& entry) { return !entry.spent; }));
      if (charged > balance.total || balance.remaining != balance.total - charged) {
        return "more is charged than there is";
      }
      for (std::size_t i = 0; i < settled_.size(); ++i) {
        if (settled_[i] && entries.at(i).release != release_of(static_cast<std::int64_t>(i) + 1)) {
          return "a settled entry was lost";
        }
      }
      const std::string torn = take_torn_line();
      if (!torn.empty() &&
          (entries.empty() || !entries.back().spent ||
           !line_of(static_cast<std::int64_t>(entries.size())).starts_with(torn))) {
        return "part of a release was printed and is not charged";
      }
      torn_ += torn.empty() ? 0 : 1;
      Rational released = 0;
      releases_ = 0;
      std::istringstream lines(contents(printed_));
      for (std::string line; std::getline(lines, line); ++releases_) {
        const std::int64_t number = std::stoll(line);
        const auto at = static_cast<std::size_t>(number) - 1;
        if (at >= entries.size() || !entries[at].spent) {
          return "entry " + std::to_string(number) + " was printed and is not charged";
        }
        if (*entries[at].spent < cost_of(number) ||
            line != std::to_string(number) + " " + entries[at].release.value_or("")) {
          return "entry " + std::to_string(number) + " was printed and the accounts say otherwise";
        }
        released = released + cost_of(number);
      }
      if (released > charged) {
        return "more was released than is charged";
      }
      settled_.clear();
      for (const ledger::Entry& entry : entries) {
        settled_.push_back(entry.spent.has_value());
      }
      return "";
    } catch (const std::exception& refused) {
      return refused.what();
    }
  }

  /// Removes an incomplete last line from the output, and returns it: a kill may stop a write after
  /// any of its pages, and the next line would be appended to it.
  std::string take_torn_line() {
    const std::string printed = contents(printed_);
    const std::size_t whole = printed.rfind('\n') + 1;  // 0 if there is none
    if (whole == printed.size()) {
      return "";
    }
    std::filesystem::resize_file(printed_, whole);
    return printed.substr(whole);
  }

  // What a killed process has written stays with the system, synced or not. Not syncing saves time
  // for more kills; fault_test.cpp simulates power cuts.
  disk::WithoutSyncing quickly_;
  Place place_;
  std::string path_ = place_.ledger("budget.db");
  std::string printed_ = place_.folder().file("printed");
  std::vector<bool> settled_;  // by entry, when last checked
  std::size_t releases_ = 0;   // on this ledger
  std::size_t unfinished_ = 0;
  int journals_ = 0;  // kills during a transaction
  int torn_ = 0;      // kills during printing
};

/// Random moments up to the time that several releases take on this machine. The seed is fixed, but
/// the scheduler adds randomness of its own.
class Moments {
 public:
  Moments(const std::string& path, unsigned seed) : random_(seed) {
    const auto start = std::chrono::steady_clock::now();
    Ledger::create(path, clicks());
    Ledger ledger(path);
    ledger.settle(ledger.reserve(request("0.001"_rational)), 0, release_of(50));
    const auto took = std::chrono::steady_clock::now() - start;
    longest_ = 2 * std::chrono::duration_cast<std::chrono::microseconds>(took).count() + 1000;
  }
  std::chrono::microseconds next() {
    return std::chrono::microseconds(
        std::uniform_int_distribution<std::int64_t>(0, longest_)(random_));
  }

 private:
  std::mt19937 random_;
  std::int64_t longest_ = 0;
};

TEST_F(LedgerKill, WhatWasPrintedIsCharged) {
  Moments moments(place_.ledger("trial.db"), 7);
  const int kills = static_cast<int>(scaled(1000, 200));
  std::size_t releases = 0;
  std::size_t unfinished = 0;
  int ledgers = 0;
  start_afresh();
  for (int killed = 0; killed < kills;) {
    const bool at_work = run_and_kill(release_for_ever, moments.next());
    killed += at_work ? 1 : 0;
    ASSERT_EQ(problem(), "") << "after " << killed << " kills";
    if (!at_work || killed == kills) {  // the budget is spent
      releases += releases_;
      unfinished += unfinished_;
      ++ledgers;
      start_afresh();
    }
  }
  std::printf(
      "kills: %d, of which %d left a journal to roll back and %d half a line; %d ledgers, %zu "
      "releases printed, all charged; %zu entries unfinished, all charged\n",
      kills, journals_, torn_, ledgers, releases, unfinished);
  EXPECT_GT(releases, 0U);
  EXPECT_GT(unfinished, 0U);
  EXPECT_TRUE(on_postgres() || journals_ > 0);
}

TEST_F(LedgerKill, CheckerCatchesAReleaseThatIsChargedTooLate) {
  Moments moments(place_.ledger("trial.db"), 8);
  start_afresh();
  int kills = 0;
  std::string found;
  while (found.empty() && kills < 1000) {
    const bool at_work = run_and_kill(print_before_charging, moments.next());
    kills += at_work ? 1 : 0;
    found = problem();
    if (!at_work) {
      start_afresh();
    }
  }
  std::printf("charging too late: caught at kill %d: %s\n", kills, found.c_str());
  EXPECT_NE(found, "");
}

TEST_F(LedgerKill, HalfALineIsChargedLikeAWholeOne) {
  start_afresh();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(died_at_work(start(tear_what_is_charged)));
    ASSERT_EQ(problem(), "");
    ASSERT_EQ(torn_, i);
  }
  ASSERT_TRUE(died_at_work(start(tear_what_is_only_reserved)));
  EXPECT_EQ(problem(), "part of a release was printed and is not charged");
}

}  // namespace
}  // namespace freegap::testing
