// Disk errors, killed processes and power cuts, at every single write, sync, truncation, creation,
// renaming and removal of a file, one after the other. After each of them the ledger opens again,
// every release is charged, every settled entry is still there, and a step that was not reported as
// done either did not happen or is charged.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using disk::Fault;
using disk::Plan;
using ledger::Ledger;
using ledger::Refused;

/// The last step that a process reported, in the order of the steps.
enum class Reached : char { nothing = '0', reserved = 'r', released = 's', end = 'e' };

/// Long enough to need new pages, so that a rollback has to shorten the file.
const std::string& the_release() {
  static const std::string text = R"({"winners":")" + std::string(9000, 'w') + R"("})";
  return text;
}

/// Opens the ledger, reserves 1/5, settles at 3/20. Calls `report` after each step; with
/// `released`, the release has been shown.
void release_once(const std::string& path, const std::function<void(Reached)>& report) {
  Ledger ledger(path);
  const std::int64_t number = ledger.reserve(request("0.2"_rational));
  report(Reached::reserved);
  ledger.settle(number, "0.15"_rational, the_release());
  report(Reached::released);
}

/// A wrong order, which the tests must detect: the release is shown before it is charged.
void release_before_charging(const std::string& path, const std::function<void(Reached)>& report) {
  report(Reached::released);
  release_once(path, [](Reached) {});
}

using Work = decltype(release_once);

class LedgerFault : public ::testing::Test {
 protected:
  /// A ledger with two data sets, eight settled entries and one unfinished one.
  void SetUp() override {
    const disk::WithoutSyncing quickly;
    const std::string path = folder_.file("base.db");
    Ledger::create(path, clicks());
    Ledger::create(path, {.name = "sales", .total = 3, .unit = "row"});
    Ledger ledger(path);
    for (int i = 0; i < 8; ++i) {
      ledger.settle(ledger.reserve(request("0.05"_rational)), "0.04"_rational,
                    R"({"n":")" + std::string(300, 'x') + R"("})");
    }
    ledger.reserve(request("0.1"_rational));
    before_ = ledger.history();
    left_ = ledger.balance("clicks").remaining;
    base_ = contents(path);
    std::filesystem::remove(path);
  }

  /// Puts back a copy of that ledger, alone in its folder.
  void restore() const {
    for (const std::string& name : folder_.files()) {
      std::filesystem::remove(folder_.file(name));
    }
    overwrite(path_, base_);
    std::filesystem::permissions(path_, std::filesystem::perms(0600));
  }

  /// The problem with the ledger after a process that reached this step; empty if there is none.
  std::string problem_after(Reached reached) {
    const disk::WithoutSyncing quickly;
    try {
      Ledger ledger(path_);
      const std::vector<ledger::Entry> entries = ledger.history();
      if (entries.size() < before_.size() || entries.size() > before_.size() + 1) {
        return "entries were lost or invented";
      }
      for (std::size_t i = 0; i < before_.size(); ++i) {
        if (entries[i].spent != before_[i].spent || entries[i].release != before_[i].release ||
            entries[i].reserved != before_[i].reserved) {
          return "an earlier entry was changed";
        }
      }
      const bool there = entries.size() > before_.size();
      const bool settled = there && entries.back().spent.has_value();
      ++(settled ? settled_ : there ? unfinished_ : absent_);
      const Rational charged = !there ? Rational(0) : !settled ? Rational(1, 5) : Rational(3, 20);
      const ledger::Balance balance = ledger.balance("clicks");
      if (balance.remaining != left_ - charged || balance.remaining.sign() < 0) {
        return "the balance does not add up";
      }
      if (reached == Reached::reserved && !there) {
        return "what was reserved is not charged";
      }
      if (reached == Reached::released && (!settled || entries.back().release != the_release())) {
        return "what was released is not in the ledger";
      }
      if (reached == Reached::nothing && settled) {
        return "something was settled that was never reserved";
      }
      // The ledger can be used as before.
      const std::int64_t next = ledger.reserve(request("0.01"_rational));
      ledger.settle(next, 0, "{}");
      return next == static_cast<std::int64_t>(entries.size()) + 1 ? "" : "wrong number";
    } catch (const std::exception& refused) {
      return refused.what();
    }
  }

  /// How a process under a plan ended.
  struct End {
    Reached reached = Reached::nothing;
    bool planned = false;  ///< the plan ended it before its work was done
  };

  /// Runs `work` in a process of its own under a plan. A plan that cuts the power does so at the
  /// end of the work at the latest.
  End in_a_process(const Plan& plan, Work* work) const {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      const auto send = [&](Reached reached) {
        char byte = static_cast<char>(reached);
        const iovec one{&byte, 1};  // writev, because the faulty disk replaces write
        if (::writev(pipe[1], &one, 1) != 1) {
          ::_exit(3);
        }
      };
      disk::arm(plan);
      try {
        work(path_, send);
      } catch (const std::exception&) {
        ::_exit(2);
      }
      send(Reached::end);
      disk::end_of_work();
      ::_exit(0);
    }
    ::close(pipe[1]);
    End end{.reached = Reached::nothing, .planned = true};
    for (char byte = 0; ::read(pipe[0], &byte, 1) == 1;) {
      if (Reached{byte} == Reached::end) {
        end.planned = false;
      } else {
        end.reached = Reached{byte};
      }
    }
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || (!end.planned && WEXITSTATUS(status) == 0));
    return end;
  }

  /// Runs the work with a fault at the first call, then at the second, … until the work makes fewer
  /// calls than that. Returns the problems found.
  std::vector<std::string> at_every_call(Plan plan, Work* work) {
    std::vector<std::string> problems;
    for (plan.at = 1;; ++plan.at) {
      restore();
      const End end = in_a_process(plan, work);
      expect_private_files();
      if (std::string problem = problem_after(end.reached); !problem.empty()) {
        problems.push_back("call " + std::to_string(plan.at) + ": " + problem);
      }
      ++runs_;
      if (!end.planned) {
        EXPECT_EQ(end.reached, Reached::released);
        return problems;
      }
    }
  }

  /// Releases once with an error of the disk at the first call, then at the second, … until there
  /// are fewer calls than that. A run must release, or fail and leave the ledger sound.
  void expect_faults_at_every_call(Plan plan) {
    for (plan.at = 1;; ++plan.at) {
      const std::string call = "call " + std::to_string(plan.at);
      restore();
      Reached reached = Reached::nothing;
      bool failed = false;
      disk::arm(plan);
      try {
        release_once(path_, [&](Reached step) { reached = step; });
      } catch (const MachineFault&) {
        failed = true;
      } catch (const Refused&) {  // a page that cannot be read once looks like a damaged one
        failed = true;
        EXPECT_TRUE(plan.fault == Fault::error && plan.calls == disk::Calls::reading) << call;
      }
      const int calls = disk::disarm();
      EXPECT_EQ(failed, reached != Reached::released) << call;
      EXPECT_EQ(problem_after(reached), "") << call;
      EXPECT_EQ(folder_.files().size(), 1U) << call;
      ++runs_;
      if (calls < plan.at) {
        EXPECT_FALSE(failed);
        return;
      }
    }
  }

  /// Journals contain parts of the ledger, so they must be as private.
  void expect_private_files() const {
    for (const std::string& name : folder_.files()) {
      struct stat status {};
      ASSERT_EQ(::stat(folder_.file(name).c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 07777U, 0600U) << name;
    }
  }

  void print_counts(const char* what) const {
    std::printf("%s: %d runs; the entry was absent %d times, unfinished %d, settled %d\n", what,
                runs_, absent_, unfinished_, settled_);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("budget.db");
  std::string base_;
  std::vector<ledger::Entry> before_;
  Rational left_;
  int runs_ = 0;
  int absent_ = 0;
  int unfinished_ = 0;
  int settled_ = 0;
};

TEST_F(LedgerFault, ErrorsOfTheDiskAreFaultsAndChargeNoLessThanWasReleased) {
  for (const Fault fault : {Fault::error, Fault::error_on}) {
    for (const int error : {EIO, ENOSPC}) {
      expect_faults_at_every_call({.fault = fault, .error = error});
    }
  }
  print_counts("errors");
  EXPECT_GT(absent_, 0);
  EXPECT_GT(unfinished_, 0);
}

TEST_F(LedgerFault, AnOpenLedgerGoesOnAfterAnError) {
  using Fate = ledger::CommitFault::Fate;
  std::set<Fate> fates;
  for (Plan plan{.fault = Fault::error, .at = 1, .error = EIO};; ++plan.at) {
    restore();
    Ledger ledger(path_);
    disk::arm(plan);
    bool failed = false;
    std::optional<Fate> fate;
    try {
      ledger.reserve(request("0.2"_rational));
    } catch (const ledger::CommitFault& fault) {
      failed = true;
      fate = fault.fate();
    } catch (const MachineFault&) {
      failed = true;
    }
    const int calls = disk::disarm();
    EXPECT_EQ(everything(ledger), everything(Ledger(path_))) << "call " << plan.at;
    const std::size_t entries = ledger.history().size();
    EXPECT_TRUE(failed || entries == before_.size() + 1);
    if (fate) {  // what is charged is said, and is so
      const bool written = entries == before_.size() + 1;
      EXPECT_EQ(*fate, written ? Fate::written : Fate::not_written) << "call " << plan.at;
      fates.insert(*fate);
    }
    EXPECT_EQ(ledger.reserve(request("0.1"_rational)), static_cast<std::int64_t>(entries) + 1);
    EXPECT_EQ(everything(ledger), everything(Ledger(path_)));
    if (calls < plan.at) {
      break;
    }
  }
  EXPECT_EQ(fates, (std::set{Fate::written, Fate::not_written}));
}

TEST_F(LedgerFault, WhatIsChargedIsSaidThoughAnotherProcessWritesInBetween) {
  using Fate = ledger::CommitFault::Fate;
  std::set<Fate> fates;
  for (Plan plan{.fault = Fault::error, .at = 1, .error = EIO};; ++plan.at) {
    restore();
    Ledger ledger(path_);
    bool interposed = false;
    plan.afterwards = [&] {
      interposed = true;
      Ledger(path_).reserve(request("0.1"_rational));
    };
    disk::arm(plan);
    try {
      ledger.reserve(request("0.2"_rational));
    } catch (const ledger::CommitFault& fault) {
      ASSERT_TRUE(interposed);
      const std::vector<ledger::Entry> entries = Ledger(path_).history();
      const bool written = entries.at(before_.size()).reserved == "0.2"_rational;
      EXPECT_EQ(entries.size(), before_.size() + (written ? 2 : 1));
      EXPECT_EQ(fault.fate(), written ? Fate::written : Fate::not_written) << "call " << plan.at;
      fates.insert(fault.fate());
    } catch (const MachineFault&) {  // before the commit: nothing is charged
    }
    if (disk::disarm() < plan.at) {
      break;
    }
  }
  EXPECT_EQ(fates, (std::set{Fate::written, Fate::not_written}));
}

TEST_F(LedgerFault, ErrorsOfReadingChargeNothing) {
  for (const Fault fault : {Fault::error, Fault::error_on}) {
    expect_faults_at_every_call({.fault = fault, .error = EIO, .calls = disk::Calls::reading});
  }
  print_counts("errors of reading");
}

TEST_F(LedgerFault, KilledAtEveryCall) {
  EXPECT_EQ(at_every_call({.fault = Fault::kill}, release_once), std::vector<std::string>{});
  EXPECT_EQ(at_every_call({.fault = Fault::kill_torn}, release_once), std::vector<std::string>{});
  print_counts("kills");
  EXPECT_GT(absent_, 0);
  EXPECT_GT(unfinished_, 0);
}

TEST_F(LedgerFault, PowerCutAtEveryCall) {
  EXPECT_EQ(at_every_call({.fault = Fault::cut_all}, release_once), std::vector<std::string>{});
  const auto coins = static_cast<unsigned>(scaled(5));
  for (unsigned seed = 1; seed <= coins; ++seed) {
    EXPECT_EQ(at_every_call({.fault = Fault::cut_some, .seed = seed}, release_once),
              std::vector<std::string>{});
  }
  print_counts("power cuts");
  EXPECT_GT(absent_, 0);
  EXPECT_GT(unfinished_, 0);
}

TEST_F(LedgerFault, KilledAgainWhileCleaningUp) {
  // A kill that leaves a journal to roll back, followed by kills at every call of the next process.
  for (Plan first{.fault = Fault::kill, .at = 1};; ++first.at) {
    restore();
    const auto [reached, planned] = in_a_process(first, release_once);
    if (!planned) {
      break;
    }
    if (!std::filesystem::exists(path_ + "-journal")) {
      continue;
    }
    const std::string damaged = contents(path_);
    const std::string journal = contents(path_ + "-journal");
    for (Plan second{.fault = Fault::kill_torn, .at = 1};; ++second.at) {
      restore();
      overwrite(path_, damaged);
      overwrite(path_ + "-journal", journal);
      const End again =
          in_a_process(second, [](const std::string& path, const std::function<void(Reached)>&) {
            const Ledger ledger(path);
          });
      EXPECT_EQ(again.reached, Reached::nothing);
      EXPECT_EQ(problem_after(reached), "") << "calls " << first.at << " and " << second.at;
      ++runs_;
      if (!again.planned) {
        break;
      }
    }
  }
  print_counts("kills while rolling back");
  EXPECT_GT(runs_, 50);
}

TEST_F(LedgerFault, CheckersCanFail) {
  EXPECT_FALSE(at_every_call({.fault = Fault::kill}, release_before_charging).empty());
  EXPECT_FALSE(at_every_call({.fault = Fault::cut_all}, release_before_charging).empty());
  // A disk that reports a sync as done without doing it.
  EXPECT_FALSE(
      at_every_call({.fault = Fault::cut_some, .seed = 1, .lying_disk = true}, release_once)
          .empty());
}

/// Creates a ledger, or adds a data set to an existing one.
void make_taxes(const std::string& path, const std::function<void(Reached)>& report) {
  Ledger::create(path, {.name = "taxes", .total = 2, .unit = "person"});
  report(Reached::released);
}

TEST_F(LedgerFault, AFileIsMadeAsAWholeOrNotAtAll) {
  const std::string fresh = folder_.file("fresh.db");
  int in_spite_of_it = 0;
  for (const int error : {EIO, ENOSPC, EINVAL}) {  // EINVAL: a file system without nameless files
    for (Plan plan{.fault = Fault::error, .at = 1, .error = error};; ++plan.at) {
      std::filesystem::remove(fresh);
      bool failed = false;
      disk::arm(plan);
      try {
        Ledger::create(fresh, clicks());
      } catch (const MachineFault&) {
        failed = true;
      }
      const int calls = disk::disarm();
      // A file that has its final name stays, because another process may have opened it.
      EXPECT_LE(folder_.files().size(), 1U);
      if (std::filesystem::exists(fresh)) {
        EXPECT_EQ(Ledger(fresh).balance("clicks").remaining, Rational(1));
      } else {
        EXPECT_TRUE(failed);
      }
      ++runs_;
      if (calls < plan.at) {
        EXPECT_FALSE(failed);
        break;
      }
      in_spite_of_it += failed ? 0 : 1;
    }
  }
  EXPECT_EQ(in_spite_of_it, 1);
  path_ = fresh;
  for (const Fault fault : {Fault::kill, Fault::kill_torn, Fault::cut_all, Fault::cut_some}) {
    for (Plan plan{.fault = fault, .at = 1};; ++plan.at) {
      for (const std::string& name : folder_.files()) {
        std::filesystem::remove(folder_.file(name));
      }
      const auto [reached, planned] = in_a_process(plan, make_taxes);
      const bool there = std::filesystem::exists(fresh);
      if (there) {
        EXPECT_EQ(Ledger(fresh).balance("taxes").remaining, Rational(2)) << "call " << plan.at;
      }
      EXPECT_TRUE(there || reached == Reached::nothing) << "call " << plan.at;
      ++runs_;
      if (!planned) {
        break;
      }
    }
  }
  std::printf("making a file: %d runs\n", runs_);
}

TEST_F(LedgerFault, ADataSetIsAddedAsAWholeOrNotAtAll) {
  for (const Fault fault : {Fault::kill, Fault::kill_torn, Fault::cut_all, Fault::cut_some}) {
    for (Plan plan{.fault = fault, .at = 1};; ++plan.at) {
      restore();
      const auto [reached, planned] = in_a_process(plan, make_taxes);
      const std::size_t datasets = Ledger(path_).datasets().size();
      EXPECT_TRUE(datasets == 3 || (datasets == 2 && reached == Reached::nothing));
      EXPECT_EQ(problem_after(Reached::nothing), "") << "call " << plan.at;
      if (!planned) {
        break;
      }
    }
  }
}

}  // namespace
}  // namespace freegap::testing
