// Closed forms of exponential segments, compared with sums and integrals, on the real line and on
// lattices.
#include "estimates/exponential_terms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "estimates/share_below.hpp"

namespace freegap::testing {
namespace {

using detail::ExponentialTerm;
using detail::Kernel;
using detail::Segment;
using Long = long double;

constexpr double infinity = HUGE_VAL;

/// The point at which a segment is largest.
double largest_at(const Segment& segment) {
  return segment.rate >= 0 ? segment.high - segment.tick : segment.low;
}

/// Mass, mean and variance by adding up.
struct Moments {
  Long mass = 0;
  Long mean = 0;
  Long variance = 0;
};

/// The distance from a segment's heavy end, in so many equal cells or at the points of a lattice;
/// the density there is e^(-|rate| distance).
template <class Visit>
void for_each_cell(const Segment& segment, Visit&& visit) {
  const Long steep = std::fabs(static_cast<Long>(segment.rate));
  const Long width = std::fmin(static_cast<Long>(segment.high) - segment.low, 50 / steep);
  if (segment.tick > 0) {
    const auto points = static_cast<long>(std::ceil(width / segment.tick - 1e-9L));
    for (long i = points; i-- > 0;) {
      const Long away = static_cast<Long>(i) * segment.tick;
      visit(away, std::exp(-steep * away) * segment.tick);
    }
    return;
  }
  // Gauss's rule with two points in each cell.
  constexpr long cells = 40'000;
  const Long cell = width / cells;
  for (long i = cells; i-- > 0;) {
    for (const Long place : {0.5L - 0.5L / std::sqrt(3.0L), 0.5L + 0.5L / std::sqrt(3.0L)}) {
      const Long away = (static_cast<Long>(i) + place) * cell;
      visit(away, std::exp(-steep * away) * cell / 2);
    }
  }
}

Moments added_up(const Segment& segment) {
  Moments found;
  Long first = 0;
  for_each_cell(segment, [&](Long away, Long weight) {
    found.mass += weight;
    first += weight * away;
  });
  first /= found.mass;
  for_each_cell(segment, [&](Long away, Long weight) {
    found.variance += weight * (away - first) * (away - first) / found.mass;
  });
  const Long heavy = largest_at(segment);
  found.mean = segment.rate >= 0 ? heavy - first : heavy + first;
  return found;
}

std::string text(const Segment& s) {
  return "[" + std::to_string(s.low) + ", " + std::to_string(s.high) + ") rate " +
         std::to_string(s.rate) + " tick " + std::to_string(s.tick);
}

/// Segments of all kinds: rates times width from 1e-9 to 1e6, both signs, infinite ends.
std::vector<Segment> segments() {
  std::vector<Segment> list;
  for (const double rate : {1e-9, 1e-4, 0.009, 0.011, 0.09, 0.11, 0.5, 3.0, 40.0, 1e5}) {
    for (const double sign : {-1.0, 1.0}) {
      list.push_back({-2, 1, sign * rate, 0, 1, 0});
      list.push_back({-2, 1, sign * rate, 0, 1, 0.25});
      list.push_back({5, 5.25, sign * rate, 0, 1, 0.25});  // a single point
      if (rate > 0.1) {
        const double low = sign > 0 ? -infinity : 2;
        const double high = sign > 0 ? 2 : infinity;
        list.push_back({low, high, sign * rate, 0, 1, 0});
        list.push_back({low, high, sign * rate, 0, 1, 0.5});
      }
    }
  }
  list.push_back({-2, 1, 0, 0, 1, 0});
  list.push_back({-2, 1, 0, 0, 1, 0.25});
  return list;
}

TEST(Segments, HaveTheMassMeanAndVarianceOfTheirSums) {
  for (const Segment& segment : segments()) {
    const Moments wanted = added_up(segment);
    const double width = segment.tick > 0 ? 1 : std::sqrt(static_cast<double>(wanted.variance));
    EXPECT_NEAR(extent(segment) / static_cast<double>(wanted.mass), 1, 1e-9) << text(segment);
    EXPECT_EQ(extent(segment), moments(segment).extent) << text(segment);
    EXPECT_NEAR(moments(segment).mean, static_cast<double>(wanted.mean), 1e-8 * width)
        << text(segment);
    EXPECT_NEAR(moments(segment).variance, static_cast<double>(wanted.variance),
                1e-8 * width * width)
        << text(segment);
  }
}

TEST(Segments, HaveTheMassBelowAPoint) {
  for (Segment segment : segments()) {
    if (segment.tick > 0) {
      continue;
    }
    const double from = std::isinf(segment.low) ? segment.high - 30 / segment.rate : segment.low;
    const double to = std::isinf(segment.high) ? segment.low - 30 / segment.rate : segment.high;
    EXPECT_EQ(share_below(segment, segment.low), 0);
    EXPECT_EQ(share_below(segment, segment.high), 1);
    EXPECT_EQ(share_below(segment, from - 1e9), std::isinf(segment.low) ? std::exp(-1e9) : 0);
    for (const double place : {0.01, 0.2, 0.5, 0.9, 0.999}) {
      const double t = from + place * (to - from);
      Segment part = segment;
      part.high = t;
      // The mass below t, with the same density: its own heavy end may be lower.
      const double heavy = segment.rate > 0 ? std::exp(-segment.rate * (segment.high - t)) : 1;
      EXPECT_NEAR(share_below(segment, t), heavy * extent(part) / extent(segment), 1e-8)
          << text(segment) << " at " << t;
    }
  }
}

// On a lattice the share below a point is that of the points below it.
TEST(Segments, OnALatticeCountThePointsBelow) {
  for (const double rate : {-3.0, -0.1, 0.1, 3.0}) {
    const Segment segment{-2, 1, rate, 0, 1, 0.25};
    Long below = 0;
    Long all = 0;
    for (int i = 0; i < 12; ++i) {
      all += std::exp(static_cast<Long>(rate) * i / 4);
    }
    for (int i = 0; i < 12; ++i) {
      EXPECT_NEAR(share_below(segment, -2 + 0.25 * i), static_cast<double>(below / all), 1e-13);
      below += std::exp(static_cast<Long>(rate) * i / 4);
    }
  }
}

/// The value of a sum of terms, shifted by `level`, times a kernel.
double value_at(const std::vector<ExponentialTerm>& terms, double level, const Kernel& kernel,
                double q) {
  double sum = 0;
  for (const ExponentialTerm& term : terms) {
    const double u = q - level;
    if (u >= term.low && u < term.high) {
      sum += term.sign * std::exp(term.log_weight + term.rate * (u - term.anchor));
    }
  }
  return sum * std::exp(-kernel.rate * std::fabs(q - kernel.centre));
}

/// The value of the segments at q, and whether ends and peaks fit.
double shown_at(const std::vector<ExponentialTerm>& terms, double level, const Kernel& kernel,
                double tick, double q) {
  double sum = 0;
  detail::for_each_segment(terms, level, kernel, tick, [&](const Segment& segment) {
    EXPECT_LT(segment.low, segment.high);
    EXPECT_EQ(segment.tick, tick);
    if (q >= segment.low && q < segment.high) {
      sum += segment.sign * std::exp(segment.log_peak + segment.rate * (q - largest_at(segment)));
    }
  });
  return sum;
}

TEST(SplittingTerms, KeepsTheirProductWithTheKernel) {
  const std::vector<ExponentialTerm> terms{{-infinity, -4, 0.5, -4, -1, 1},
                                           {-4, 0, 0, 0, -1, 1},
                                           {0, 3, 0.5, 3, 0.25, 1},
                                           {0, 3, -1, 0, -2, -1},
                                           {3, infinity, -0.5, 3, 0.5, 1}};
  for (const double tick : {0.0, 1.0}) {
    for (const double level : {-7.0, 0.0, 12.0}) {
      for (const double centre : {-11.0, -4.0, 0.0, 2.6, 3.0, 15.3}) {
        for (const double rate : {0.25, 0.5, 2.0}) {
          const Kernel kernel{centre, rate};
          for (double q = -30; q<30; q += tick> 0 ? 1 : 0.37) {
            const double wanted = value_at(terms, level, kernel, q);
            EXPECT_NEAR(shown_at(terms, level, kernel, tick, q), wanted, 1e-12 * std::fabs(wanted))
                << "level " << level << ", centre " << centre << ", at " << q;
          }
        }
      }
    }
  }
}

// Without a measurement there is nothing to split.
TEST(SplittingTerms, WithoutAKernelKeepsThem) {
  const std::vector<ExponentialTerm> terms{{-infinity, 3, 0.5, 3, 0.25, 1},
                                           {3, infinity, -0.5, 3, 0.25, -1}};
  int shown = 0;
  detail::for_each_segment(terms, 10, {0, 0}, 0, [&](const Segment& segment) {
    EXPECT_EQ(segment.rate, shown == 0 ? 0.5 : -0.5);
    EXPECT_EQ(segment.log_peak, 0.25);
    EXPECT_EQ(segment.heavy_end(), 13);
    EXPECT_EQ(segment.sign, shown == 0 ? 1 : -1);
    ++shown;
  });
  EXPECT_EQ(shown, 2);
}

// Rates and distances that would overflow if exponentials were taken before differences.
TEST(Segments, AreFiniteFarAway) {
  for (const double rate : {-1e9, -1.0, -1e-9, 0.0, 1e-9, 1.0, 1e9}) {
    for (const double low : {-1e18, -1.0, 1e15}) {
      for (const double width : {1e-3, 1.0, 1e12, 1e18}) {
        const Segment segment{low, low + width, rate, 0, 1, 0};
        if (!(segment.low < segment.high)) {
          continue;
        }
        EXPECT_GT(extent(segment), 0);
        EXPECT_LE(extent(segment), (segment.high - segment.low) * (1 + 1e-12));
        EXPECT_GE(moments(segment).mean, segment.low - 1e-9 * std::fabs(low));
        EXPECT_LE(moments(segment).mean, segment.high + 1e-9 * std::fabs(low));
        EXPECT_GE(moments(segment).variance, 0);
        EXPECT_LE(moments(segment).variance, width * width / 11.9 + 1e6);
        const double share = share_below(segment, low + width / 3);
        EXPECT_TRUE(share >= 0 && share <= 1) << text(segment);
      }
    }
  }
}

}  // namespace
}  // namespace freegap::testing
