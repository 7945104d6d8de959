#pragma once

/// @file
/// Whether two classes of inputs take different times: dudect's method (Reparaz, Balasch and
/// Verbauwhede 2017). Measurements of both classes, taken in random order, are compared by Welch's
/// t: as they are, and cropped at several percentiles of all of them, because a few slow runs
/// (interrupts, other programs) would drown a difference of the others.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace freegap::studies {

/// Times of both classes.
struct TwoClasses {
  std::vector<double> one;    ///< of the first class
  std::vector<double> other;  ///< of the second
};

/// Welch's t of two samples: difference of the means over its standard error. 0 where a sample has
/// fewer than two values; infinite where means differ and nothing varies.
inline double welch_t(std::span<const double> one, std::span<const double> other) {
  struct Moments {
    double mean;
    double error;  // squared, of the mean
  };
  const auto moments = [](std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values) {
      sum += value;
    }
    const double mean = sum / n;
    double squares = 0;
    for (const double value : values) {
      squares += (value - mean) * (value - mean);
    }
    return Moments{mean, squares / (n - 1) / n};
  };
  if (one.size() < 2 || other.size() < 2) {
    return 0;
  }
  const Moments a = moments(one);
  const Moments b = moments(other);
  const double difference = a.mean - b.mean;
  const double error = std::sqrt(a.error + b.error);
  if (error == 0) {
    return difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
  }
  return difference / error;
}

/// The value below which the given part of all measurements lies.
inline double percentile(const TwoClasses& times, double part) {
  std::vector<double> all = times.one;
  all.insert(all.end(), times.other.begin(), times.other.end());
  if (all.empty()) {
    return 0;
  }
  const auto place =
      std::min(all.size() - 1, static_cast<std::size_t>(part * static_cast<double>(all.size())));
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place), all.end());
  return all[place];
}

/// The measurements up to `most`.
inline TwoClasses cropped(const TwoClasses& times, double most) {
  const auto keep = [most](const std::vector<double>& values) {
    std::vector<double> kept;
    std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
                 [most](double value) { return value <= most; });
    return kept;
  };
  return {keep(times.one), keep(times.other)};
}

/// Parts of the measurements that are kept, the fastest ones. 1: all of them.
inline const std::vector<double>& kept_parts() {
  static const std::vector<double> parts{1, 0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1};
  return parts;
}

/// The t that is farthest from 0, over all crops.
inline double farthest_t(const TwoClasses& times) {
  double farthest = 0;
  for (const double part : kept_parts()) {
    const TwoClasses kept = part == 1 ? times : cropped(times, percentile(times, part));
    const double t = welch_t(kept.one, kept.other);
    farthest = std::fabs(t) > std::fabs(farthest) ? t : farthest;
  }
  return farthest;
}

/// A |t| above this counts as a difference. Classes without one exceed it in one of ten crops with
/// probability at most 10 * 5.8e-7, by the normal approximation and the union bound.
inline constexpr double least_t = 5;
/// That probability, per pair.
inline constexpr double false_alarm = 6e-6;

}  // namespace freegap::studies
