// Compares a sample with an exact distribution, event by event, with a proven rate of false alarms.
//
// If an event of probability p happened s times in n independent draws, then by Chernoff's bound
// P(n KL(s/n || p) > t) <= 2 exp(-t), for every n and p: no normal approximation, no least number
// of expected counts. Over all events of a check the limit is set so that a correct sampler raises
// a false alarm with probability at most 1e-9. Seeds are fixed, so a check that passes once passes
// always.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/scale.hpp"

namespace freegap::testing {

/// Whether the workload is full, so that samples are large enough to distinguish distributions that
/// are 1 % apart.
inline bool full_workload() { return scaled(1000) >= 1000; }

/// One event: how often it happened, and how often it should.
struct Event {
  std::string name;
  std::uint64_t happened = 0;
  double probability = 0;
};

/// n KL(happened / n || probability), in nats.
inline double surprise(const Event& event, std::uint64_t draws) {
  const auto term = [](double q, double p) {
    return q == 0 ? 0 : (p <= 0 ? HUGE_VAL : q * std::log(q / p));
  };
  const auto n = static_cast<double>(draws);
  const double q = static_cast<double>(event.happened) / n;
  const double p = event.probability;
  return static_cast<double>(n * (term(q, p) + term(1 - q, 1 - p)));
}

/// False alarms of one check.
inline constexpr double false_alarm = 1e-9;

/// The verdict on a sample.
struct Verdict {
  double worst = 0;  ///< largest surprise
  double limit = 0;  ///< a correct sampler stays below it but with probability `false_alarm`
  std::string name;  ///< of the event with the largest surprise
  [[nodiscard]] bool accepted() const { return worst <= limit; }
};

inline Verdict check_distribution(const std::vector<Event>& events, std::uint64_t draws) {
  Verdict verdict;
  verdict.limit = std::log(2 * static_cast<double>(events.size()) / false_alarm);
  for (const Event& event : events) {
    const double nats = surprise(event, draws);
    if (!(nats <= verdict.worst)) {
      verdict.worst = nats;
      verdict.name = event.name;
    }
  }
  return verdict;
}

/// One event in two samples of the same size that should have the same distribution.
struct Pair {
  std::string name;
  std::uint64_t one = 0;
  std::uint64_t other = 0;
};

/// Two samples of `draws` each. Whatever the probability p is, the sum of both surprises is least
/// at the mean of both frequencies, so it exceeds t only if one of them exceeds t / 2 at the true
/// p: probability at most 4 exp(-t / 2).
inline Verdict check_same(const std::vector<Pair>& pairs, std::uint64_t draws) {
  Verdict verdict;
  verdict.limit = 2 * std::log(4 * static_cast<double>(pairs.size()) / false_alarm);
  for (const Pair& pair : pairs) {
    const double p = static_cast<double>(pair.one + pair.other) / 2 / static_cast<double>(draws);
    const double nats =
        surprise({pair.name, pair.one, p}, draws) + surprise({pair.name, pair.other, p}, draws);
    if (!(nats <= verdict.worst)) {
      verdict.worst = nats;
      verdict.name = pair.name;
    }
  }
  return verdict;
}

/// The sample has the distribution, and does not have one whose scales are off by `off`.
/// `events(stretch)` gives the events with their probabilities where all scales are multiplied by
/// `stretch`.
template <class Events>
void expect_distribution(const Events& events, std::uint64_t draws, const std::string& what,
                         double off = 0.01) {
  const Verdict right = check_distribution(events(1.0), draws);
  EXPECT_TRUE(right.accepted()) << what << ": " << right.name << " surprises by " << right.worst
                                << " nats, limit " << right.limit;
  if (full_workload()) {
    EXPECT_FALSE(check_distribution(events(1 + off), draws).accepted())
        << what << ": blind to more noise";
    EXPECT_FALSE(check_distribution(events(1 - off), draws).accepted())
        << what << ": blind to less noise";
  }
}

}  // namespace freegap::testing
