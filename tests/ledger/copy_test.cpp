// A copy that moves the budget, interrupted at every single call that changes the disk: by errors,
// kills and power cuts. The budget is never in two places, and the same call again finishes the
// copy. With FREEGAP_TEST_POSTGRES one of the two ledgers is a database (see place.hpp).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"
#include "ledger/place.hpp"
#include "ledger/postgres_connection.hpp"

namespace freegap::testing {
namespace {

using disk::Fault;
using disk::Plan;
using ledger::Copy;
using ledger::Ledger;
using ledger::Refused;

/// Whether a ledger is there, and whether `clicks` can be spent from it.
std::string state_of(const std::string& name) {
  try {
    Ledger ledger(name);
    ledger.check();
    return ledger.dataset("clicks").closed ? "closed" : "open";
  } catch (const Refused& none) {
    return std::string(none.what()).starts_with("there is no ledger") ? "absent" : none.what();
  }
}

class LedgerCopy : public ::testing::Test {
 protected:
  /// A ledger with two data sets, of which one is closed; a settled entry and an unfinished one.
  void make_original() {
    Ledger::create(from_, clicks());
    Ledger::create(from_, {.name = "sales", .total = 3, .unit = "row"});
    Ledger ledger(from_);
    ledger.settle(ledger.reserve(request("0.3"_rational)), "0.2"_rational, "{}");
    ledger.reserve(request("0.1"_rational));
    ledger.close("sales", "ada");
    everything_ = everything(ledger);
    head_ = ledger.head();
  }

  /// Begins again, with no copy.
  void restore() {
    const disk::WithoutSyncing quickly;
    for (const std::string& file : place_.folder().files()) {
      std::filesystem::remove(place_.folder().file(file));
    }
    if (!team_.empty()) {
      ledger::PostgresConnection(team_).run("DROP SCHEMA IF EXISTS freegap CASCADE");
    }
    make_original();
  }

  void copy() const { Ledger(from_).copy(to_, "ada", Copy::moved); }

  /// Copies in a process of its own, which the plan ends.
  void copy_and_die(const Plan& plan) const {
    const pid_t child = ::fork();
    if (child == 0) {
      disk::arm(plan);
      try {
        copy();
      } catch (const std::exception&) {
        ::_exit(2);
      }
      disk::end_of_work();
      ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
  }

  /// Copies with a disk that fails as planned. What is said tells how to go on.
  void copy_and_fail(const Plan& plan) const {
    disk::arm(plan);
    try {
      copy();
    } catch (const MachineFault& problem) {
      EXPECT_NE(std::string(problem.what()).find("to finish it"), std::string::npos)
          << problem.what();
    }
    disk::disarm();
  }

  /// Checks both ledgers after an interruption, and finishes the copy.
  void expect_one_budget(const std::string& when) {
    const disk::WithoutSyncing quickly;
    const std::string states = state_of(from_) + ", copy " + state_of(to_);
    ++found_[states];
    EXPECT_TRUE(states == "open, copy absent" || states == "open, copy closed" ||
                states == "closed, copy closed" || states == "closed, copy open")
        << when << ": " << states;
    if (states == "closed, copy open") {
      EXPECT_NE(refusal<Refused>([&] { copy(); }).find("releases go on there"), std::string::npos);
    } else {
      copy();
    }
    EXPECT_EQ(state_of(from_) + ", copy " + state_of(to_), "closed, copy open") << when;
    EXPECT_THROW(Ledger(from_).reserve(request("0.1"_rational)), Refused) << when;
    Ledger made(to_);
    EXPECT_EQ(everything(made), everything_) << when;
    EXPECT_TRUE(made.dataset("sales").closed) << when;
    EXPECT_EQ(made.check(head_).rows, head_.rows + 2) << when;
    EXPECT_EQ(made.reserve(request("0.7"_rational)), 3) << when;
  }

  /// Interrupts at the first call, then at the second, … up to the end of the copy.
  void interrupt_at_every_call() {
    restore();
    disk::arm({});
    copy();
    const int calls = disk::disarm();
    const std::vector<Fault> faults =
        on_postgres() ? std::vector{Fault::error_on, Fault::kill}
                      : std::vector{Fault::error,     Fault::error_on, Fault::kill,
                                    Fault::kill_torn, Fault::cut_all,  Fault::cut_some};
    for (const Fault fault : faults) {
      for (Plan plan{.fault = fault, .at = 1, .error = EIO}; plan.at <= calls + 1; ++plan.at) {
        plan.seed = static_cast<unsigned>(plan.at);
        restore();
        fault <= Fault::error_on ? copy_and_fail(plan) : copy_and_die(plan);
        expect_one_budget("fault " + std::to_string(static_cast<int>(fault)) + " at call " +
                          std::to_string(plan.at));
      }
    }
    for (const auto& [states, count] : found_) {
      std::printf("copies interrupted: original %s: %d\n", states.c_str(), count);
    }
    EXPECT_EQ(found_.size(), 4U);
  }

  /// The first call at which a kill leaves this behind.
  int call_after(const std::function<bool()>& reached) {
    for (Plan plan{.fault = Fault::kill, .at = 1}; plan.at <= 200; ++plan.at) {
      restore();
      copy_and_die(plan);
      if (reached()) {
        restore();
        return plan.at;
      }
    }
    ADD_FAILURE() << "no kill leaves this behind";
    return 1;
  }

  Place place_;
  std::string from_ = place_.folder().file("from.db");
  std::string to_ = place_.folder().file("to.db");
  std::string team_;  // a database, if one of the two is one
  std::string everything_;
  ledger::Head head_;
  std::map<std::string, int> found_;
};

TEST_F(LedgerCopy, InterruptedLeavesOneBudgetAndIsFinishedByTheNextCall) {
  if (!on_postgres()) {
    interrupt_at_every_call();
    return;
  }
  to_ = team_ = place_.ledger("team.db");
  interrupt_at_every_call();
  std::swap(from_, to_);
  found_.clear();
  interrupt_at_every_call();
}

TEST_F(LedgerCopy, IsRefusedWhereItWouldOpenTheBudgetTwice) {
  const auto refused = [&](const std::string& from, const std::string& to) {
    return refusal<Refused>([&] { Ledger(from).copy(to, "ada", Copy::moved); });
  };
  const auto file = [&](const char* name) { return place_.folder().file(name); };
  restore();
  // An interrupted copy waits: nothing can be spent from it, and it is not copied on.
  copy_and_die({.fault = Fault::kill, .at = call_after([&] { return state_of(to_) == "closed"; })});
  ASSERT_EQ(state_of(from_) + state_of(to_), "openclosed");
  EXPECT_NE(refusal<Refused>([&] {
              Ledger(to_).reserve(request("0.1"_rational));
            }).find("a copy that was not finished; nothing was spent"),
            std::string::npos);
  EXPECT_NE(refused(to_, file("on.db")).find("is a copy that was not finished; nothing was copied"),
            std::string::npos);
  // An archive of it stays closed whatever happens.
  Ledger(to_).copy(file("archive.db"), "ada", Copy::closed);
  // The original goes on, so that the copy lacks rows.
  Ledger(from_).reserve(request("0.1"_rational));
  EXPECT_NE(refused(from_, to_).find("has changed since, or is another one; nothing was copied"),
            std::string::npos);
  EXPECT_EQ(state_of(from_), "open");
  // It is copied elsewhere. Neither the older copy nor the archive can be opened any more, even
  // after the new one was moved away.
  const std::string other = file("other.db");
  Ledger(from_).copy(other, "ada", Copy::moved);
  std::filesystem::rename(other, file("moved.db"));
  for (const std::string& to : {to_, file("archive.db"), other, file("moved.db")}) {
    EXPECT_NE(
        refused(from_, to).find("are closed already; nothing was copied. It was copied to \"" +
                                other + "\": releases go on there"),
        std::string::npos)
        << refused(from_, to);
  }
  EXPECT_EQ(state_of(to_) + state_of(file("archive.db")), "closedclosed");
  EXPECT_EQ(state_of(file("moved.db")), "open");
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(LedgerCopy, IsFinishedUnderAnotherName) {
  restore();
  copy_and_die(
      {.fault = Fault::kill, .at = call_after([&] { return state_of(from_) == "closed"; })});
  ASSERT_EQ(state_of(from_) + state_of(to_), "closedclosed");
  const std::string moved = place_.folder().file("moved.db");
  const std::string archive = place_.folder().file("archive.db");
  Ledger(to_).copy(archive, "ada", Copy::closed);  // has the same row, and stays closed
  std::filesystem::rename(to_, moved);
  Ledger(from_).copy(moved, "ada", Copy::moved);
  EXPECT_EQ(state_of(moved), "open");
  for (const std::string& to : {moved, to_, archive}) {
    EXPECT_THROW(Ledger(from_).copy(to, "ada", Copy::moved), Refused) << to;
  }
  EXPECT_EQ(state_of(to_) + state_of(archive), "absentclosed");
}

}  // namespace
}  // namespace freegap::testing
