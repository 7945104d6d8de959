// A disk that fails, a process that is killed and a power that goes, at every single write, sync,
// truncation, creation, renaming and removal of a file, one after the other. Whatever happens, the
// ledger opens again; what was released is charged; what was settled is still there; and what was
// not reported as done is either not there or charged.
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

/// How far a process came, in the order of the steps.
enum class Reached : char { nothing = '0', reserved = 'r', released = 's', end = 'e' };

/// Long enough to need new pages, so that a rollback has to shorten the file.
const std::string& the_release() {
  static const std::string text = R"({"winners":")" + std::string(9000, 'w') + R"("})";
  return text;
}

/// Opens the ledger, reserves 1/5, settles at 3/20; tells each step once it is done. When `told`
/// says `released`, the release is out.
void release_once(const std::string& path, const std::function<void(Reached)>& told) {
  Ledger ledger(path);
  const std::int64_t number = ledger.reserve(request("0.2"_rational));
  told(Reached::reserved);
  ledger.settle(number, "0.15"_rational, the_release());
  told(Reached::released);
}

/// The opposite of what is right: the release goes out, and then it is charged.
void release_before_charging(const std::string& path, const std::function<void(Reached)>& told) {
  told(Reached::released);
  release_once(path, [](Reached) {});
}

using Work = decltype(release_once);

class LedgerFault : public ::testing::Test {
 protected:
  /// A ledger with two data sets, settled entries and one unfinished.
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

  /// A fresh copy of it, in a folder without anything else.
  void restore() const {
    for (const std::string& name : folder_.files()) {
      std::filesystem::remove(folder_.file(name));
    }
    overwrite(path_, base_);
    std::filesystem::permissions(path_, std::filesystem::perms(0600));
  }

  /// What is wrong with the ledger after a process came so far; empty if all is well.
  std::string problem_after(Reached reached) {
    const disk::WithoutSyncing quickly;
    try {
      Ledger ledger(path_);
      const std::vector<ledger::Entry> entries = ledger.history();
      if (entries.size() < before_.size() || entries.size() > before_.size() + 1) {
        return "entries were lost or made up";
      }
      for (std::size_t i = 0; i < before_.size(); ++i) {
        if (entries[i].spent != before_[i].spent || entries[i].release != before_[i].release ||
            entries[i].reserved != before_[i].reserved) {
          return "an entry of before was changed";
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
        return "what was released is not in the books";
      }
      if (reached == Reached::nothing && settled) {
        return "something was settled that was never reserved";
      }
      // And it works as before.
      const std::int64_t next = ledger.reserve(request("0.01"_rational));
      ledger.settle(next, 0, "{}");
      return next == static_cast<std::int64_t>(entries.size()) + 1 ? "" : "wrong number";
    } catch (const std::exception& refused) {
      return refused.what();
    }
  }

  /// How a process under a plan came to its end.
  struct End {
    Reached reached = Reached::nothing;
    bool planned = false;  ///< by the plan, not with its work done
  };

  /// Runs `work` in a process of its own under a plan. Where the plan is to cut the power, it goes
  /// in any case: with the last word, if not before.
  End in_a_process(const Plan& plan, Work* work) const {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      const auto tell = [&](Reached reached) {
        char byte = static_cast<char>(reached);
        const iovec one{&byte, 1};  // writev, because write is the faulty disk's
        if (::writev(pipe[1], &one, 1) != 1) {
          ::_exit(3);
        }
      };
      disk::arm(plan);
      try {
        work(path_, tell);
      } catch (const std::exception&) {
        ::_exit(2);
      }
      tell(Reached::end);
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

  /// Fails at the first call, then at the second, … until the work is done before it comes to that.
  /// The problems found.
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

  /// Journals hold what the ledger holds.
  void expect_private_files() const {
    for (const std::string& name : folder_.files()) {
      struct stat status {};
      ASSERT_EQ(::stat(folder_.file(name).c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 07777U, 0600U) << name;
    }
  }

  void report(const char* what) const {
    std::printf("%s: %d runs; the entry was absent %d times, unfinished %d, settled %d\n", what,
                runs_, absent_, unfinished_, settled_);
  }

  Folder folder_;
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
      Plan plan{.fault = fault, .error = error};
      for (plan.at = 1;; ++plan.at) {
        restore();
        Reached reached = Reached::nothing;
        bool failed = false;
        disk::arm(plan);
        try {
          release_once(path_, [&](Reached step) { reached = step; });
        } catch (const MachineFault&) {
          failed = true;
        }
        const int calls = disk::disarm();
        EXPECT_EQ(failed, reached != Reached::released);
        EXPECT_EQ(problem_after(reached), "") << "call " << plan.at;
        EXPECT_EQ(folder_.files().size(), 1U);
        ++runs_;
        if (calls < plan.at) {
          EXPECT_FALSE(failed);
          break;
        }
      }
    }
  }
  report("errors");
  EXPECT_GT(absent_, 0);
  EXPECT_GT(unfinished_, 0);
}

TEST_F(LedgerFault, AnOpenLedgerGoesOnAfterAnError) {
  for (Plan plan{.fault = Fault::error, .at = 1, .error = EIO};; ++plan.at) {
    restore();
    Ledger ledger(path_);
    disk::arm(plan);
    bool failed = false;
    try {
      ledger.reserve(request("0.2"_rational));
    } catch (const MachineFault&) {
      failed = true;
    }
    const int calls = disk::disarm();
    EXPECT_EQ(everything(ledger), everything(Ledger(path_))) << "call " << plan.at;
    const std::size_t entries = ledger.history().size();
    EXPECT_TRUE(failed || entries == before_.size() + 1);
    EXPECT_EQ(ledger.reserve(request("0.1"_rational)), static_cast<std::int64_t>(entries) + 1);
    EXPECT_EQ(everything(ledger), everything(Ledger(path_)));
    if (calls < plan.at) {
      break;
    }
  }
}

TEST_F(LedgerFault, ErrorsOfReadingChargeNothing) {
  for (const Fault fault : {Fault::error, Fault::error_on}) {
    for (Plan plan{.fault = fault, .at = 1, .error = EIO, .calls = disk::Calls::reading};;
         ++plan.at) {
      restore();
      Reached reached = Reached::nothing;
      bool failed = false;
      disk::arm(plan);
      try {
        release_once(path_, [&](Reached step) { reached = step; });
      } catch (const MachineFault&) {
        failed = true;
      } catch (const Refused&) {  // a page that fails once looks like one that is damaged
        failed = true;
        EXPECT_EQ(fault, Fault::error) << "call " << plan.at;
      }
      const int calls = disk::disarm();
      EXPECT_EQ(failed, reached != Reached::released) << "call " << plan.at;
      EXPECT_EQ(problem_after(reached), "") << "call " << plan.at;
      ++runs_;
      if (calls < plan.at) {
        break;
      }
    }
  }
  report("errors of reading");
}

TEST_F(LedgerFault, KilledAtEveryCall) {
  EXPECT_EQ(at_every_call({.fault = Fault::kill}, release_once), std::vector<std::string>{});
  EXPECT_EQ(at_every_call({.fault = Fault::kill_torn}, release_once), std::vector<std::string>{});
  report("kills");
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
  report("power cuts");
  EXPECT_GT(absent_, 0);
  EXPECT_GT(unfinished_, 0);
}

TEST_F(LedgerFault, KilledAgainWhileCleaningUp) {
  // First a kill that leaves a journal to roll back; then kills at every call of the next process.
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
  report("kills while rolling back");
  EXPECT_GT(runs_, 50);
}

TEST_F(LedgerFault, CheckersCanFail) {
  EXPECT_FALSE(at_every_call({.fault = Fault::kill}, release_before_charging).empty());
  EXPECT_FALSE(at_every_call({.fault = Fault::cut_all}, release_before_charging).empty());
  // A disk that says "done" and is not.
  EXPECT_FALSE(
      at_every_call({.fault = Fault::cut_some, .seed = 1, .lying_disk = true}, release_once)
          .empty());
}

/// A new ledger, or a new data set in an old one.
void make_taxes(const std::string& path, const std::function<void(Reached)>& told) {
  Ledger::create(path, {.name = "taxes", .total = 2, .unit = "person"});
  told(Reached::released);
}

TEST_F(LedgerFault, AFileIsMadeAsAWholeOrNotAtAll) {
  const std::string fresh = folder_.file("fresh.db");
  int in_spite_of_it = 0;
  for (const int error : {EIO, ENOSPC, EINVAL}) {  // EINVAL: not every file system can rename so
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
      // A file that has its name stays, for somebody may have opened it.
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
