#include "freegap/budget.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "freegap/errors.hpp"
#include "freegap/release.hpp"

namespace freegap {
namespace {

/// How many allocations of this thread succeed; all, if not set.
thread_local std::optional<std::size_t> allocations_left;

/// What a mechanism returns, as far as a budget sees it.
struct Released {
  Cost cost;
  int answer = 0;
};

void expect_balance(const Balance& balance, const char* total, const char* spent,
                    const char* reserved, const char* remaining) {
  EXPECT_EQ(balance.total, Rational::parse(total));
  EXPECT_EQ(balance.spent, Rational::parse(spent));
  EXPECT_EQ(balance.reserved, Rational::parse(reserved));
  EXPECT_EQ(balance.remaining, Rational::parse(remaining));
}

void expect_delta(const Balance& balance, const char* total, const char* spent,
                  const char* reserved, const char* remaining) {
  EXPECT_EQ(balance.delta.total, Rational::parse(total));
  EXPECT_EQ(balance.delta.spent, Rational::parse(spent));
  EXPECT_EQ(balance.delta.reserved, Rational::parse(reserved));
  EXPECT_EQ(balance.delta.remaining, Rational::parse(remaining));
}

TEST(Account, ReservesTheWorstCaseAndSettlesAtWhatWasSpent) {
  Account account("1"_eps);
  expect_balance(account.balance(), "1", "0", "0", "1");
  account.reserve("0.7"_rational);
  expect_balance(account.balance(), "1", "0", "0.7", "0.3");
  account.reserve("0.2"_rational);
  expect_balance(account.balance(), "1", "0", "0.9", "0.1");
  account.settle("0.7"_rational, "0.4"_rational);
  expect_balance(account.balance(), "1", "0.4", "0.2", "0.4");
  account.settle("0.2"_rational, 0);
  expect_balance(account.balance(), "1", "0.4", "0", "0.6");
  account.reserve("0.6"_rational);
  account.settle("0.6"_rational, "0.6"_rational);
  expect_balance(account.balance(), "1", "1", "0", "0");
  EXPECT_FALSE(account.affords(Rational(1, 1'000'000'000)));
  EXPECT_TRUE(account.affords(0));
}

TEST(Account, TenTenthsAreOneExactly) {
  Account account("1"_eps);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(account.affords("0.1"_rational));
    account.reserve("0.1"_rational);
    account.settle("0.1"_rational, "0.1"_rational);
  }
  expect_balance(account.balance(), "1", "1", "0", "0");
}

TEST(Account, ReservationsCountBeforeTheyAreSettled) {
  Account account("1"_eps);
  account.reserve("0.6"_rational);
  EXPECT_FALSE(account.affords("0.5"_rational));
  EXPECT_THROW(account.reserve("0.5"_rational), BudgetExceeded);
  expect_balance(account.balance(), "1", "0", "0.6", "0.4");
}

TEST(Account, RefusesWhatIsNoReservationAndNoSettlement) {
  Account account("1"_eps);
  EXPECT_THROW(account.reserve(0), InvalidParameter);
  EXPECT_THROW(account.reserve(-1), InvalidParameter);
  account.reserve("0.5"_rational);
  EXPECT_THROW(account.settle("0.5"_rational, "0.6"_rational), InvalidParameter);
  EXPECT_THROW(account.settle("0.5"_rational, "-0.1"_rational), InvalidParameter);
  EXPECT_THROW(account.settle("0.6"_rational, "0.1"_rational), InvalidParameter);
  expect_balance(account.balance(), "1", "0", "0.5", "0.5");
}

TEST(Account, DeltaIsAddedUpAndNeverComesBack) {
  Account account("1"_eps, "1e-6"_delta);
  expect_delta(account.balance(), "1e-6", "0", "0", "1e-6");
  account.reserve("0.5"_rational, "4e-7"_rational);
  expect_balance(account.balance(), "1", "0", "0.5", "0.5");
  expect_delta(account.balance(), "1e-6", "0", "4e-7", "6e-7");
  // A reservation with a δ is spent in full, whatever the release is said to have spent.
  account.settle("0.5"_rational, "0.1"_rational, "4e-7"_rational);
  expect_balance(account.balance(), "1", "0.5", "0", "0.5");
  expect_delta(account.balance(), "1e-6", "4e-7", "0", "6e-7");
  // One without a δ gives back its ε, also from a budget that has a δ.
  account.reserve("0.4"_rational);
  account.settle("0.4"_rational, "0.1"_rational);
  expect_balance(account.balance(), "1", "0.6", "0", "0.4");
  expect_delta(account.balance(), "1e-6", "4e-7", "0", "6e-7");
  EXPECT_TRUE(account.affords("0.4"_rational, "6e-7"_rational));
  EXPECT_FALSE(account.affords("0.4"_rational, "6.0000001e-7"_rational));
  EXPECT_FALSE(account.affords("0.41"_rational, "6e-7"_rational));
  account.reserve("0.4"_rational, "6e-7"_rational);
  account.settle("0.4"_rational, "0.4"_rational, "6e-7"_rational);
  expect_balance(account.balance(), "1", "1", "0", "0");
  expect_delta(account.balance(), "1e-6", "1e-6", "0", "0");
}

TEST(Account, DeltaBeyondWhatIsLeftIsRefusedAndNothingIsReserved) {
  Account pure("1"_eps);
  EXPECT_FALSE(pure.affords("0.1"_rational, Rational::power_of_two(-300)));
  EXPECT_THROW(pure.reserve("0.1"_rational, Rational::power_of_two(-300)), BudgetExceeded);
  expect_balance(pure.balance(), "1", "0", "0", "1");
  expect_delta(pure.balance(), "0", "0", "0", "0");
  Account account("1"_eps, "1e-6"_delta);
  account.reserve("0.1"_rational, "1e-6"_rational);
  EXPECT_THROW(account.reserve("0.1"_rational, Rational::power_of_two(-300)), BudgetExceeded);
  EXPECT_THROW(account.reserve("0.1"_rational, "-1e-9"_rational), InvalidParameter);
  EXPECT_THROW(account.settle("0.1"_rational, "0.1"_rational, "2e-6"_rational), InvalidParameter);
  EXPECT_THROW(account.settle("0.1"_rational, "0.1"_rational, "-1e-6"_rational), InvalidParameter);
  expect_balance(account.balance(), "1", "0", "0.1", "0.9");
  expect_delta(account.balance(), "1e-6", "0", "1e-6", "0");
}

TEST(Account, SettlementThatRunsOutOfMemoryChangesNothing) {
  // Numbers that do not fit two words are allocated.
  const Rational amount(mpq_class("1/1000000000000000000000007"));
  const Rational spent(mpq_class("1/1000000000000000000000049"));
  std::size_t failures = 0;
  for (bool settled = false; !settled; failures += settled ? 0 : 1) {
    Account account("1"_eps);
    account.reserve(amount);
    account.reserve(spent);
    allocations_left = failures;
    try {
      account.settle(amount, spent);
      settled = true;
    } catch (const std::bad_alloc&) {
      settled = false;
    }
    allocations_left.reset();
    const Balance balance = account.balance();
    EXPECT_EQ(balance.spent, settled ? spent : Rational(0));
    EXPECT_EQ(balance.reserved, settled ? spent : amount + spent);
  }
  EXPECT_GE(failures, 2U) << "this test is blind";
}

TEST(Account, EpsilonAndDeltaAreChargedTogetherOrNotAtAll) {
  const Rational amount(mpq_class("1/1000000000000000000000007"));
  const Rational delta(mpq_class("1/1000000000000000000000049"));
  std::size_t failures = 0;
  for (bool done = false; !done; failures += done ? 0 : 1) {
    Account account("1"_eps, "0.5"_delta);
    allocations_left = failures;
    bool reserved = false;
    try {
      account.reserve(amount, delta);
      reserved = true;
      account.settle(amount, amount, delta);
      done = true;
    } catch (const std::bad_alloc&) {
      done = false;
    }
    allocations_left.reset();
    const Balance balance = account.balance();
    EXPECT_EQ(balance.spent, done ? amount : Rational(0));
    EXPECT_EQ(balance.delta.spent, done ? delta : Rational(0));
    EXPECT_EQ(balance.reserved, reserved && !done ? amount : Rational(0));
    EXPECT_EQ(balance.delta.reserved, reserved && !done ? delta : Rational(0));
  }
  EXPECT_GE(failures, 4U) << "this test is blind";
}

TEST(Budget, ChargesWhatTheReleaseShows) {
  Budget budget("1"_eps);
  const Released release = budget.charge("0.7"_eps, [&](const Epsilon& epsilon) {
    expect_balance(budget.balance(), "1", "0", "0.7", "0.3");  // charged before noise is drawn
    return Released{{epsilon.value(), "0.3"_rational}, 42};
  });
  EXPECT_EQ(release.answer, 42);
  expect_balance(budget.balance(), "1", "0.3", "0", "0.7");
  EXPECT_EQ(budget.rest(), "0.7"_eps);
}

TEST(Budget, RefusesBeyondTheTotalBeforeAnythingRuns) {
  Budget budget("1"_eps);
  budget.charge("0.7"_eps, [](const Epsilon& epsilon) {
    return Released{{epsilon.value(), epsilon.value()}};
  });
  bool ran = false;
  try {
    budget.charge("0.4"_eps, [&](const Epsilon& epsilon) {
      ran = true;
      return Released{{epsilon.value(), epsilon.value()}};
    });
    FAIL() << "it was not refused";
  } catch (const BudgetExceeded& refused) {
    EXPECT_EQ(refused.asked(), "0.4"_rational);
    EXPECT_EQ(refused.left(), "0.3"_rational);
    EXPECT_EQ(refused.total(), Rational(1));
    EXPECT_EQ(refused.what(),
              std::string("the budget does not suffice: 2/5 asked for, 3/10 left of 1"));
  }
  EXPECT_FALSE(ran);
  expect_balance(budget.balance(), "1", "0.7", "0", "0.3");
  budget.charge("0.3"_eps, [](const Epsilon& epsilon) {
    return Released{{epsilon.value(), epsilon.value()}};
  });
  expect_balance(budget.balance(), "1", "1", "0", "0");
  EXPECT_THROW(budget.rest(), BudgetExceeded);
}

TEST(Budget, AReleaseWithASmallerWorstCaseGivesAllOfItBack) {
  Budget budget("1"_eps);
  Budget::Reservation reservation = budget.reserve("0.7"_eps);
  reservation.settle({.reserved = "0.5"_rational, .spent = "0.2"_rational});
  expect_balance(budget.balance(), "1", "0.2", "0", "0.8");
}

TEST(Budget, AReleaseWithADeltaIsChargedInFull) {
  Budget budget("1"_eps, "1e-6"_delta);
  const Released release =
      budget.charge("0.5"_eps, "4e-7"_delta, [&](const Epsilon& epsilon, const Delta& delta) {
        expect_balance(budget.balance(), "1", "0", "0.5", "0.5");  // before noise is drawn
        expect_delta(budget.balance(), "1e-6", "0", "4e-7", "6e-7");
        // A mechanism that says it has spent less than its worst case is not believed.
        return Released{{epsilon.value(), "0.1"_rational, delta.value()}, 42};
      });
  EXPECT_EQ(release.answer, 42);
  expect_balance(budget.balance(), "1", "0.5", "0", "0.5");
  expect_delta(budget.balance(), "1e-6", "4e-7", "0", "6e-7");
  // Nor does a δ come back that a release did not use, nor an ε beside it.
  Budget::Reservation reservation = budget.reserve("0.3"_eps, "1e-7"_delta);
  EXPECT_EQ(reservation.delta(), "1e-7"_delta);
  reservation.settle({"0.2"_rational, "0.1"_rational});
  expect_balance(budget.balance(), "1", "0.8", "0", "0.2");
  expect_delta(budget.balance(), "1e-6", "5e-7", "0", "5e-7");
}

TEST(Budget, AReleaseWithMoreDeltaThanReservedIsNotReturned) {
  Budget budget("1"_eps, "1e-6"_delta);
  EXPECT_THROW(budget.charge("0.5"_eps,
                             [](const Epsilon& epsilon) {
                               return Released{{epsilon.value(), 0, "1e-9"_rational}};
                             }),
               InvalidParameter);
  EXPECT_THROW(budget.charge("0.5"_eps, "1e-7"_delta,
                             [](const Epsilon& epsilon, const Delta& /*delta*/) {
                               return Released{{epsilon.value(), 0, "2e-7"_rational}};
                             }),
               InvalidParameter);
  expect_balance(budget.balance(), "1", "0", "1", "0");
  expect_delta(budget.balance(), "1e-6", "0", "1e-7", "9e-7");
}

TEST(Budget, RefusalSaysWhetherEpsilonOrDeltaIsMissing) {
  const auto refused = [](Budget& budget, const Epsilon& epsilon, const Delta& delta) {
    try {
      static_cast<void>(budget.reserve(epsilon, delta));
    } catch (const BudgetExceeded& exceeded) {
      return std::optional(exceeded);
    }
    return std::optional<BudgetExceeded>();
  };
  Budget pure("1"_eps);
  const auto no_delta = refused(pure, "0.5"_eps, "1e-9"_delta);
  ASSERT_TRUE(no_delta);
  EXPECT_EQ(no_delta->of(), PrivacyParameter::delta);
  EXPECT_EQ(no_delta->asked(), "1e-9"_rational);
  EXPECT_EQ(no_delta->left(), Rational(0));
  EXPECT_EQ(no_delta->total(), Rational(0));
  EXPECT_EQ(no_delta->what(), std::string("the budget's delta does not suffice: 1/1000000000 asked "
                                          "for, 0 left of 0"));
  Budget budget("1"_eps, "1e-6"_delta);
  static_cast<void>(budget.reserve("0.9"_eps, "9e-7"_delta));
  const auto delta = refused(budget, "0.1"_eps, "2e-7"_delta);
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->of(), PrivacyParameter::delta);
  EXPECT_EQ(delta->left(), "1e-7"_rational);
  const auto both = refused(budget, "0.2"_eps, "2e-7"_delta);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->of(), PrivacyParameter::epsilon);
  EXPECT_EQ(both->left(), "0.1"_rational);
  EXPECT_FALSE(refused(budget, "0.1"_eps, "1e-7"_delta));
}

TEST(Budget, AnExceptionCostsTheWorstCase) {
  Budget budget("1"_eps);
  EXPECT_THROW(budget.charge("0.7"_eps,
                             [](const Epsilon& /*epsilon*/) -> Released {
                               throw std::runtime_error("after the noise was drawn");
                             }),
               std::runtime_error);
  expect_balance(budget.balance(), "1", "0", "0.7", "0.3");
  try {
    static_cast<void>(budget.reserve("0.4"_eps));
    FAIL() << "it was not refused";
  } catch (const BudgetExceeded& refused) {
    EXPECT_EQ(refused.left(), "0.3"_rational);  // what is reserved is not left
  }
}

TEST(Budget, AReleaseThatMayCostMoreIsNotReturned) {
  Budget budget("1"_eps);
  EXPECT_THROW(budget.charge("0.5"_eps,
                             [](const Epsilon& /*epsilon*/) {
                               return Released{{"0.6"_rational, "0.1"_rational}};
                             }),
               InvalidParameter);
  EXPECT_THROW(budget.charge("0.5"_eps,
                             [](const Epsilon& epsilon) {
                               return Released{{epsilon.value(), "0.6"_rational}};
                             }),
               InvalidParameter);
  expect_balance(budget.balance(), "1", "0", "1", "0");
}

TEST(Budget, AReservationIsSettledOnceAndStaysChargedOtherwise) {
  Budget budget("1"_eps);
  { const Budget::Reservation forgotten = budget.reserve("0.2"_eps); }
  expect_balance(budget.balance(), "1", "0", "0.2", "0.8");
  Budget::Reservation reservation = budget.reserve("0.5"_eps);
  EXPECT_EQ(reservation.epsilon(), "0.5"_eps);
  Budget::Reservation moved = std::move(reservation);
  moved.settle({"0.5"_rational, "0.1"_rational});
  expect_balance(budget.balance(), "1", "0.1", "0.2", "0.7");
  // As much is reserved by another release: settled again, it would be given back.
  const Budget::Reservation other = budget.reserve("0.5"_eps);
  EXPECT_THROW(moved.settle({"0.5"_rational, "0.1"_rational}), InvalidParameter);
  expect_balance(budget.balance(), "1", "0.1", "0.7", "0.2");
}

TEST(Budget, ThreadsTogetherSpendTheTotalAndNotMore) {
  Budget budget("1"_eps);
  std::atomic<int> released = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        try {
          budget.charge("0.02"_eps, [](const Epsilon& epsilon) {
            return Released{{epsilon.value(), "0.01"_rational}};
          });
          ++released;
        } catch (const BudgetExceeded&) {
          ++refused;
        }
        EXPECT_LE(budget.balance().spent, Rational(1));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(released + refused, 200);
  const Balance balance = budget.balance();
  EXPECT_EQ(balance.spent, Rational(released.load()) * "0.01"_rational);
  EXPECT_EQ(balance.reserved, Rational(0));
  EXPECT_LT(balance.remaining, "0.02"_rational + Rational(3) * "0.01"_rational);
}

/// The exit status of a child process that runs `work`; 9 if it throws anything.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 9;
    try {
      status = work();
    } catch (...) {
      status = 9;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Budget, AForkedChildCannotSpendIt) {
  Budget budget("1"_eps);
  Budget::Reservation open = budget.reserve("0.5"_eps);
  EXPECT_EQ(in_child([&] {
              int refused = 0;
              try {
                static_cast<void>(budget.reserve("0.1"_eps));
              } catch (const Forked&) {
                ++refused;
              }
              try {
                open.settle({"0.5"_rational, 0});
              } catch (const Forked&) {
                ++refused;
              }
              try {
                static_cast<void>(budget.balance());
              } catch (const Forked&) {
                ++refused;
              }
              try {
                static_cast<void>(budget.rest());
              } catch (const Forked&) {
                ++refused;
              }
              return refused;
            }),
            4);
  open.settle({"0.5"_rational, "0.25"_rational});
  expect_balance(budget.balance(), "1", "0.25", "0", "0.75");
}

}  // namespace

/// Memory, as long as there is some.
void* allocate(std::size_t size) {
  if (allocations_left && (*allocations_left)-- == 0) {
    allocations_left.reset();
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace freegap

// The whole program's, so that memory can run out.
void* operator new(std::size_t size) { return freegap::allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
