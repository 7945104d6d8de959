// 64 processes compete for a budget that suffices for one of them.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
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

constexpr int racers = 64;

/// Shared by all processes: a barrier, and counters of their results.
struct Course {
  pthread_barrier_t line{};
  std::atomic<int> won = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> failed = 0;
};

/// A Course in memory that forked processes share.
class SharedCourse {
 public:
  SharedCourse() {
    void* memory =
        ::mmap(nullptr, sizeof(Course), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::runtime_error("no shared memory");
    }
    course_ = new (memory) Course;
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&course_->line, &attributes, racers + 1);
  }
  ~SharedCourse() { ::munmap(course_, sizeof(Course)); }
  SharedCourse(const SharedCourse&) = delete;
  SharedCourse& operator=(const SharedCourse&) = delete;
  Course* operator->() const { return course_; }
  void gather() const { pthread_barrier_wait(&course_->line); }

 private:
  Course* course_ = nullptr;
};

/// Reserves the last 0.01, and settles it.
void ask(Ledger& ledger) {
  ledger.settle(ledger.reserve(request("0.01"_rational)), "0.01"_rational,
                std::to_string(::getpid()));
}

/// A wrong way, which the test must detect: checks the balance without charging.
void look_and_take(Ledger& ledger) {
  if (ledger.balance("clicks").remaining < "0.01"_rational) {
    throw Refused("nothing left");
  }
}

/// Opens the ledger, waits for all other processes, and calls `go`.
void race(const SharedCourse& course, const std::string& path, void (*go)(Ledger&)) {
  try {
    course.gather();  // the ledger of this round is there
    Ledger ledger(path);
    course.gather();  // all have it open
    go(ledger);
    ++course->won;
  } catch (const Refused&) {
    ++course->refused;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    ++course->failed;
  }
  course.gather();  // all have a result
}

/// Races on a new ledger in each round. Returns the number of rounds in which exactly one process
/// won, all others were refused, and the ledger agrees.
int fair_rounds(int rounds, void (*go)(Ledger&)) {
  Place place;
  const SharedCourse course;
  std::vector<std::string> paths;
  for (int round = 0; round < rounds; ++round) {
    paths.push_back(place.ledger("race" + std::to_string(round)));
  }
  std::vector<pid_t> children;
  for (int i = 0; i < racers; ++i) {
    children.push_back(::fork());
    EXPECT_GE(children.back(), 0);
    if (children.back() == 0) {
      for (const std::string& path : paths) {
        race(course, path, go);
      }
      ::_exit(0);
    }
  }
  int fair = 0;
  for (const std::string& path : paths) {
    {
      const disk::WithoutSyncing quickly;
      Ledger::create(path, clicks());
      Ledger(path).reserve(request("0.99"_rational));
    }
    course.gather();
    course.gather();
    course.gather();
    const int won = course->won.exchange(0);
    const int refused = course->refused.exchange(0);
    const Ledger ledger(path);
    fair += won == 1 && refused == racers - 1 && ledger.history().size() == 2 &&
                    ledger.entry(2).spent == Rational(1, 100) &&
                    ledger.balance("clicks").remaining == Rational(0)
                ? 1
                : 0;
    EXPECT_EQ(course->failed, 0);
  }
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  return fair;
}

TEST(LedgerRace, OneOf64WinsTheLastHundredth) {
  const int rounds = static_cast<int>(scaled(200, 5));
  const int fair = fair_rounds(rounds, ask);
  std::printf("races: %d rounds of %d processes, %d with one winner\n", rounds, racers, fair);
  EXPECT_EQ(fair, rounds);
}

TEST(LedgerRace, CheckerCatchesALedgerThatDoesNotCharge) {
  EXPECT_EQ(fair_rounds(1, look_and_take), 0);
}

TEST(LedgerRace, ManyMakeTheSameLedger) {
  Place place;
  const SharedCourse course;
  const std::string path = place.ledger("budget.db");
  std::vector<pid_t> children;
  for (int i = 0; i < racers; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) {
      course.gather();
      try {
        Ledger::create(path, {.name = "set " + std::to_string(i % 8), .total = 1, .unit = "u"});
        ++course->won;
      } catch (const Refused&) {
        ++course->refused;
      } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
      }
      ::_exit(0);
    }
  }
  course.gather();
  for (const pid_t child : children) {
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(course->won, 8);
  EXPECT_EQ(course->refused, racers - 8);
  EXPECT_EQ(Ledger(path).datasets().size(), 8U);
  EXPECT_EQ(place.folder().files().size(), on_postgres() ? 0U : 1U);
}

}  // namespace
}  // namespace freegap::testing
