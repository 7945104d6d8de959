// The scan of a list at sizes beyond enumeration, where tiles and blocks occur: its distribution
// is that of noise for every candidate, whatever the answers look like and however it goes about
// it; and what it did is counted.
//
// The distribution is in closed form: how many candidates reach a cut is a sum of independent
// events, so the distribution of each rank's position is known exactly, and so is that of who it is
// where one candidate alone reaches the cut. Each check raises a false alarm with probability 1e-9
// at most (support/distribution_check.hpp), and is shown to tell scales apart that are 5 % off.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "freegap/detail/mechanisms/noisy_top_m.hpp"
#include "freegap/verify/reference_shape.hpp"
#include "support/distribution_check.hpp"
#include "support/selection_distribution.hpp"

namespace freegap::testing {
namespace {

/// Scales so far off are told apart.
constexpr double off = 0.05;

/// Answers by what they look like, in units of the scale of the noise.
struct Shape {
  std::string name;
  std::size_t size;
  std::size_t crowded_from;  // for so many top on, a scan begins with a level
  std::function<double(std::size_t)> units;
};

std::vector<Shape> shapes() {
  static const std::vector<double> uniform = [] {
    std::mt19937_64 random(81);
    std::vector<double> result(6000);
    std::generate(result.begin(), result.end(),
                  [&] { return 12 * std::ldexp(static_cast<double>(random()), -64); });
    return result;
  }();
  static const std::vector<double> zipf = [] {
    std::vector<double> result;
    for (int rank = 1; rank <= 3001; ++rank) {
      result.push_back(14 / std::pow(rank, 1.1));
    }
    std::shuffle(result.begin(), result.end(), std::mt19937_64(82));
    return result;
  }();
  return {{"equal", 1500, 1, [](std::size_t) { return 0.0; }},
          {"uniform", 6000, 1, [](std::size_t i) { return uniform[i]; }},
          {"zipf", 3001, 3, [](std::size_t i) { return zipf[i]; }},
          {"spikes", 6000, 3, [](std::size_t i) { return i % 1024 == 300 ? 9.0 : 0.0; }},
          {"ascending", 4097, 1, [](std::size_t i) { return 0.01 * static_cast<double>(i); }},
          {"descending", 2500, 1, [](std::size_t i) { return -0.01 * static_cast<double>(i); }}};
}

/// Fine ticks, which need no fractions, and wide ones, one-sided and two-sided.
const std::vector<std::pair<std::string, detail::TickNoise>> noises = {
    {"exponential", {Distribution::geometric, "1/1000"_rational}},
    {"geometric", {Distribution::geometric, "1/2"_rational}},
    {"laplace", {Distribution::laplace, "1/20"_rational}}};

std::vector<std::int64_t> answers(const Shape& shape, const detail::TickNoise& noise) {
  const double scale = 1 / noise.tick_rate().exponent().shown();
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < shape.size; ++i) {
    result.push_back(std::llround(shape.units(i) * scale));
  }
  return result;
}

/// Probabilities that each candidate's noisy value is at least `cut`.
std::vector<double> reach(const std::vector<std::int64_t>& ticks,
                          const PositionDistribution& distribution, std::int64_t cut) {
  std::map<std::int64_t, double> known;
  std::vector<double> result;
  for (const std::int64_t q : ticks) {
    const auto [place, fresh] = known.emplace(q, 0);
    if (fresh) {
      place->second = distribution.from(cut - q * distribution.subticks());
    }
    result.push_back(place->second);
  }
  return result;
}

double sum(const std::vector<double>& p) {
  double total = 0;
  for (const double x : p) {
    total += x;
  }
  return total;
}

/// A cut that about so many candidates reach on average.
std::int64_t cut_for(const std::vector<std::int64_t>& ticks, const detail::TickNoise& noise,
                     double many) {
  const PositionDistribution distribution(noise);
  const auto [least, most] = std::minmax_element(ticks.begin(), ticks.end());
  std::int64_t low = *least * distribution.subticks() - distribution.reach(1);
  std::int64_t high =
      *most * distribution.subticks() + distribution.reach(static_cast<double>(ticks.size()));
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (sum(reach(ticks, distribution, middle)) > many ? low : high) = middle;
  }
  return high;
}

/// What is counted, and with which probability it happens.
class Expectation {
 public:
  /// Of `m` top.
  Expectation(std::vector<std::int64_t> ticks, const detail::TickNoise& noise, std::size_t m)
      : ticks_(std::move(ticks)), noise_(&noise), m_(m), ranks_{1, 2} {
    if (m > 2) {
      ranks_.push_back(m);
    }
    const auto last = static_cast<double>(m);
    for (const double many : {0.3, 0.7, 1.5, last, 1.5 * last}) {
      cuts_.push_back(cut_for(ticks_, noise, many));
    }
    std::vector<std::int64_t> sorted = ticks_;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    top_ = sorted[m - 1];
    happened_.resize(cuts_.size() * (ranks_.size() + all_kinds));
  }

  /// Counts what happened in one run.
  void count(const std::vector<detail::NoisyCandidate>& top) {
    auto event = happened_.begin();
    const auto kinds = kinds_of(static_cast<std::size_t>(top[0].item.id));
    for (const std::int64_t cut : cuts_) {
      for (const std::size_t rank : ranks_) {
        *event++ += top[rank - 1].position >= cut ? 1U : 0U;
      }
      if (top[0].position >= cut && top[1].position < cut) {
        for (const std::size_t kind : kinds) {
          ++event[static_cast<std::ptrdiff_t>(kind)];
        }
      }
      event += all_kinds;
    }
  }

  /// All events, where scales are stretched.
  [[nodiscard]] std::vector<Event> events(double stretch) const {
    std::vector<Event>& result = known_[stretch];
    if (result.empty()) {
      for (const std::int64_t cut : cuts_) {
        append(result, reach(ticks_, PositionDistribution(*noise_, stretch), cut));
      }
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].happened = happened_[i];
    }
    return result;
  }
  /// Forgets what was counted.
  void clear() { std::fill(happened_.begin(), happened_.end(), 0); }

 private:
  /// Kinds of candidates: eighths of the list, places modulo 8, and whether it is among the m
  /// largest.
  static constexpr std::ptrdiff_t all_kinds = 8 + 8 + 2;
  [[nodiscard]] std::array<std::size_t, 3> kinds_of(std::size_t i) const {
    return {8 * i / ticks_.size(), 8 + i % 8, 8 + 8 + (ticks_[i] >= top_ ? 0U : 1U)};
  }
  void append(std::vector<Event>& result, const std::vector<double>& p) const {
    std::vector<double> exactly(m_);  // P(exactly j candidates reach the cut), j < m
    exactly[0] = 1;
    for (const double x : p) {
      for (std::size_t j = m_ - 1; j > 0; --j) {
        exactly[j] = exactly[j] * (1 - x) + exactly[j - 1] * x;
      }
      exactly[0] *= 1 - x;
    }
    double fewer = 0;
    std::size_t counted = 0;
    for (const std::size_t rank : ranks_) {
      for (; counted < rank; ++counted) {
        fewer += exactly[counted];
      }
      result.push_back({"rank " + std::to_string(rank), 0, std::max(0.0, 1 - fewer)});
    }
    // One alone: it reaches the cut, and no other does. One-sided noise may make that certain.
    const auto certain = std::count(p.begin(), p.end(), 1.0);
    double others_miss = 1;
    for (const double x : p) {
      others_miss *= x < 1 ? 1 - x : 1;
    }
    std::array<double, all_kinds> alone{};
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (const std::size_t kind : kinds_of(i)) {
        alone.at(kind) += (p[i] < 1 ? certain == 0 : certain == 1)
                              ? others_miss * (p[i] < 1 ? p[i] / (1 - p[i]) : 1)
                              : 0;
      }
    }
    for (std::size_t kind = 0; kind < alone.size(); ++kind) {
      result.push_back({"alone, kind " + std::to_string(kind), 0, std::min(1.0, alone.at(kind))});
    }
  }

  std::vector<std::int64_t> ticks_;
  const detail::TickNoise* noise_;
  std::size_t m_;
  std::vector<std::size_t> ranks_;
  std::int64_t top_ = 0;
  std::vector<std::int64_t> cuts_;
  std::vector<std::uint64_t> happened_;
  mutable std::map<double, std::vector<Event>> known_;
};

/// How a scan goes about it.
struct Way {
  std::string name;
  std::optional<detail::BlockSizes> sizes;  // otherwise as the library does
  bool high = false;                        // from a level that is often too high
};
const std::vector<Way> ways = {{"as it is", std::nullopt},
                               {"small tiles", detail::BlockSizes{64, 4}},
                               {"large blocks", detail::BlockSizes{128, 2}},
                               {"small blocks, high level", detail::BlockSizes{16, 8}, true}};

/// Top of many runs, in one way.
template <class Sink>
void run(const Candidates& candidates, const Way& way, const detail::TickNoise& distribution,
         std::size_t m, std::uint64_t runs, detail::Position high, detail::ScanCounters& counters,
         const Sink& sink) {
  const Grid grid(1, 1);
  InsecureSeededNoise noise(83);
  const Answers list = detail::CandidateAccess(candidates).listed();
  detail::BlockMaxima maxima(list, grid,
                             way.sizes.value_or(detail::BlockSizes::for_top_m(list.size(), m)), 1);
  const std::vector<std::size_t> largest = maxima.largest(m);
  const std::optional<detail::Position> level =
      way.high ? high : detail::crowd_level(candidates, grid, maxima, largest, m, distribution);
  counters.levels += level ? runs : 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    detail::RandomOrder order(noise);
    sink(detail::find_top_m(candidates, grid, maxima, m, largest, level, distribution, noise, order,
                            counters));
  }
}

/// Most candidates are passed over, by tile, by block and by looking into blocks; noise is drawn
/// outright for few; and levels are there where the answers are crowded.
void expect_work(const Shape& shape, const Way& way, std::size_t m, const detail::ScanCounters& c,
                 std::uint64_t runs) {
  const bool crowded = m >= shape.crowded_from;
  EXPECT_LE(c.drawn, 2 * m * runs);
  EXPECT_LT(c.drawn + c.reached + c.thinned, runs * shape.size / 15);
  EXPECT_GT(c.skipped, runs * shape.size / 2);
  if (way.high) {
    EXPECT_EQ(c.levels, runs);
    EXPECT_GT(c.lowered, runs / 5);
    EXPECT_LT(c.lowered, runs * 4 / 5);
    EXPECT_GT(c.drawn, 0U);
  } else {
    EXPECT_EQ(c.levels, crowded ? runs : 0);
    EXPECT_LT(c.lowered, runs / 40 + 5);
    EXPECT_EQ(c.drawn >= m * runs, !crowded);
  }
}

TEST(Scan, EveryShapeHasTheDistributionOfNoiseForEachInEveryWay) {
  const std::uint64_t runs = scaled(8000, 1000);
  for (const Shape& shape : shapes()) {
    for (const auto& [noise_name, noise] : noises) {
      const std::vector<std::int64_t> list = answers(shape, noise);
      const auto candidates = Candidates::counting(list, Neighbours::add_remove);
      detail::ScanCounters all;
      for (const std::size_t m : {2U, 11U}) {
        Expectation expectation(list, noise, m);
        const detail::Position high = cut_for(list, noise, static_cast<double>(m));
        for (const Way& way : ways) {
          const std::string what =
              shape.name + ", " + noise_name + ", m " + std::to_string(m) + ", " + way.name;
          SCOPED_TRACE(what);
          detail::ScanCounters counters;
          expectation.clear();
          run(candidates, way, noise, m, runs, high, counters,
              [&](const auto& top) { expectation.count(top); });
          expect_distribution([&](double stretch) { return expectation.events(stretch); }, runs,
                              what, off);
          expect_work(shape, way, m, counters, runs);
          all.tiles += counters.tiles;
          all.blocks += counters.blocks;
          all.opened += counters.opened;
        }
      }
      EXPECT_GT(all.tiles, runs) << shape.name;
      EXPECT_GT(all.blocks, runs) << shape.name;
      EXPECT_GT(all.opened, runs) << shape.name;
    }
  }
}

// The closed form is that of the obvious way, too.
TEST(Scan, NoiseForEachHasTheSameDistribution) {
  const std::uint64_t runs = scaled(2000, 500);
  for (const Shape& shape : shapes()) {
    if (shape.size < 4000) {  // the others take long
      for (const auto& [noise_name, noise] : noises) {
        const std::vector<std::int64_t> list = answers(shape, noise);
        const verify::PlainShape plain(list);
        Expectation expectation(list, noise, 11);
        InsecureSeededNoise source(84);
        for (std::uint64_t i = 0; i < runs; ++i) {
          detail::RandomOrder order(source);
          expectation.count(plain.top_m(11, noise, source, order));
        }
        expect_distribution([&](double stretch) { return expectation.events(stretch); }, runs,
                            shape.name + ", " + noise_name, 2 * off);
      }
    }
  }
}

// Numbers of half the size are the same numbers: the same noise gives the same top.
TEST(Scan, SmallNumbersHaveTheSameLeaders) {
  const std::uint64_t runs = scaled(300, 20);
  for (const Shape& shape : shapes()) {
    const detail::TickNoise& noise = noises[2].second;
    const std::vector<std::int64_t> large = answers(shape, noise);
    const std::vector<std::int32_t> small(large.begin(), large.end());
    for (const Way& way : ways) {
      using Found = std::vector<std::pair<std::int64_t, detail::Position>>;
      const auto top_m_of = [&](const Candidates& candidates) {
        Found result;
        detail::ScanCounters counters;
        run(candidates, way, noise, 5, runs, cut_for(large, noise, 5), counters,
            [&](const std::vector<detail::NoisyCandidate>& top) {
              for (const detail::NoisyCandidate& candidate : top) {
                result.emplace_back(candidate.item.id, candidate.position);
              }
            });
        return result;
      };
      EXPECT_TRUE(top_m_of(Candidates::counting(large, Neighbours::add_remove)) ==
                  top_m_of(Candidates::counting(small, Neighbours::add_remove)))
          << shape.name << ", " << way.name;
    }
  }
}

}  // namespace
}  // namespace freegap::testing
