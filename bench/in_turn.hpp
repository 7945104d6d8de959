#pragma once

// Time on a machine that does other things too. NoisyCandidate run in turn, many times over; their
// times are compared round by round, and the median of the ratios counts. What slows the machine
// down for longer than a round then slows down both sides. Of a scan against itself, that median
// strays from 1 by less than 1 % on a busy machine, several times less than the ratio of the
// shortest times does.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <vector>

namespace bench {

/// Makes the compiler believe that a result is used.
template <class T>
void keep(const T& result) {
  asm volatile("" : : "g"(&result) : "memory");
}

/// Which seconds count. Those of the processor leave out the time in which it ran something else;
/// those on the clock tell what several threads gain.
enum class Clock : std::uint8_t { processor, wall };

inline double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

using Work = std::function<void()>;

inline double seconds_of(const Work& work, std::size_t times, Clock clock) {
  const double start = now(clock);
  for (std::size_t i = 0; i < times; ++i) {
    work();
  }
  return (now(clock) - start) / static_cast<double>(times);
}

/// Seconds of one candidate, round by round.
using Times = std::vector<double>;

struct Effort {
  double seconds;            ///< about how long to go on
  std::size_t least_rounds;  ///< but at least so often
  std::size_t most_rounds;   ///< and at most so often
};

/// Runs every candidate in turn, forwards and backwards, after a round that does not count.
inline std::vector<Times> in_turn(const std::vector<Work>& candidates, const Effort& effort,
                                  Clock clock = Clock::processor) {
  constexpr double shortest = 100e-6;  // shorter work is repeated: reading the clock must not count
  std::vector<std::size_t> repeats;
  double round_seconds = 0;
  for (const Work& candidate : candidates) {
    double once = seconds_of(candidate, 1, clock);
    if (once < 10 * shortest) {
      once = std::max(seconds_of(candidate, 1, clock), 1e-9);  // the first run is the slowest
    }
    repeats.push_back(static_cast<std::size_t>(std::max(1.0, shortest / once)));
    round_seconds += once * static_cast<double>(repeats.back());
  }
  // What is far too slow is not run often to see how much so.
  const std::size_t least = round_seconds > effort.seconds ? 1 : effort.least_rounds;
  const std::size_t rounds = std::clamp(static_cast<std::size_t>(effort.seconds / round_seconds),
                                        least, effort.most_rounds);
  std::vector<Times> times(candidates.size(), Times(rounds));
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < candidates.size(); ++turn) {
      const std::size_t i = round % 2 == 0 ? turn : candidates.size() - 1 - turn;
      times[i][round] = seconds_of(candidates[i], repeats[i], clock);
    }
  }
  return times;
}

inline double median(Times values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The shortest time: what to compare on the clock, which other work can only lengthen.
inline double least(const Times& times) { return *std::min_element(times.begin(), times.end()); }

/// How many times as long `a` took as `b`.
inline double ratio(const Times& a, const Times& b) {
  Times ratios(a.size());
  std::transform(a.begin(), a.end(), b.begin(), ratios.begin(), std::divides<>());
  return median(ratios);
}

}  // namespace bench
