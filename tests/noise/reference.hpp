// What each sampler must return for a given infinite string of bits, computed with 512 bits from
// the definition of its distribution; and strings at the boundaries between two results.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "freegap/noise.hpp"
#include "noise/real.hpp"
#include "noise/scripted_bits.hpp"

namespace freegap::testing {

inline Real one() { return Real(1.0); }
inline Real exponent(const Rate& rate) { return Real(rate.exponent().gmp()); }
inline Real real(Distance n) {
  mpz_class z = big(static_cast<std::uint64_t>(n >> 64U));
  z <<= 64;
  z += big(static_cast<std::uint64_t>(n));
  return Real(z);
}

/// The uniform number whose bits begin at word `from`; ten words, which leaves an error of 2^-640.
inline Real uniform(const ScriptedBits& bits, std::size_t from = 0) {
  mpz_class z;
  for (std::size_t i = 0; i < 10; ++i) {
    z <<= 64;
    z += big(bits.at(from + i));
  }
  return Real(mpz_class(2 * z + 1)).times_power(-641);  // the middle, for the rest of the bits
}

/// min(floor(y), limit). Throws for a y that 512 bits do not settle.
inline std::uint64_t floor_or(const Real& y, std::uint64_t limit) {
  if (mpfr_inf_p(y.get()) != 0 || Real(big(limit)) < y) {
    return limit;
  }
  const Real slack = (y + one()).times_power(-400);
  if ((y - slack).floor() != (y + slack).floor()) {
    throw std::logic_error("the reference needs more bits");
  }
  return static_cast<std::uint64_t>(y.floor().get_ui());
}

/// P(N >= n) = e^(-rate n).
inline std::uint64_t expected_geometric(const Rate& rate, const Real& u) {
  return floor_or((Real(0.0) - log(u)) / exponent(rate), std::uint64_t{1} << 62U);
}
inline Real geometric_boundary(const Rate& rate, const Real& n) {
  return exp(Real(0.0) - exponent(rate) * n);
}

inline bool expected_reaches(const Rate& rate, Distance d, const Real& u) {
  return log(u) < Real(0.0) - exponent(rate) * real(d);
}

/// ln of the probability of a failure, 1 - e^(-rate d).
inline Real log_failure(const Rate& rate, Distance d) {
  const Real minus = Real(0.0) - exponent(rate) * real(d);
  return minus < Real(-1.0) ? log1p(Real(0.0) - exp(minus)) : log(Real(0.0) - expm1(minus));
}
/// P(at least n failures) = (1 - e^(-rate d))^n.
inline std::uint64_t expected_skips(const Rate& rate, Distance d, std::uint64_t limit,
                                    const Real& u) {
  return floor_or(log(u) / log_failure(rate, d), limit);
}

/// A result, and the number of words that it takes.
struct Expected {
  std::uint64_t value;
  std::size_t words;
};
/// The same in digits to base 2^20, most significant first, each from a word of its own. Beyond
/// 2^22.
inline Expected expected_long_skips(const Rate& rate, Distance d, std::uint64_t limit,
                                    const ScriptedBits& bits) {
  const Real decay = Real(0.0) - log_failure(rate, d);
  long shift = 0;
  while ((limit >> static_cast<unsigned>(shift)) > (std::uint64_t{1} << 22U)) {
    shift += 20;
  }
  const auto top = static_cast<unsigned>(shift);
  Expected result{
      floor_or((Real(0.0) - log(uniform(bits))) / decay.times_power(shift), (limit >> top) + 1)
          << top,
      1};
  while (shift > 0 && result.value < limit) {
    shift -= 20;
    const Real y = decay.times_power(shift);
    const Real below = Real(0.0) - expm1(Real(0.0) - y.times_power(20));
    const Real digit = (Real(0.0) - log1p(Real(0.0) - uniform(bits, result.words) * below)) / y;
    result.value += floor_or(digit, (1U << 20U) - 1) << static_cast<unsigned>(shift);
    ++result.words;
  }
  result.value = std::min(result.value, limit);
  return result;
}

inline Real above_zero_boundary(const Rate& rate) {
  return one() / (one() + exp(Real(0.0) - exponent(rate)));
}

/// Weights of the values, relative to that of the largest.
inline std::vector<Real> weights(const Rate& rate, std::span<const WeightedValue> values) {
  std::int64_t top = INT64_MIN;
  for (const WeightedValue& value : values) {
    top = value.multiplicity > 0 ? std::max(top, value.ticks) : top;
  }
  std::vector<Real> result;
  for (const WeightedValue& value : values) {
    if (value.multiplicity == 0) {
      result.emplace_back(0.0);
      continue;
    }
    const mpz_class below = mpz_class(static_cast<long>(value.ticks)) - static_cast<long>(top);
    result.push_back(Real(big(value.multiplicity)) * exp(exponent(rate) * Real(below)));
  }
  return result;
}
inline Real sum(std::span<const Real> terms) {
  Real total(0.0);
  for (const Real& term : terms) {
    total = total + term;
  }
  return total;
}
inline std::size_t expected_choice(const Rate& rate, std::span<const WeightedValue> values,
                                   const Real& u) {
  const std::vector<Real> w = weights(rate, values);
  const Real target = u * sum(w);
  Real so_far(0.0);
  std::size_t i = 0;
  while (!(target < so_far + w[i])) {
    so_far = so_far + w[i];
    ++i;
  }
  return i;
}

/// P(gap > g | the chosen one leads) = (w + W) / (w + e^g W), where w is the weight of the chosen
/// candidate and W that of all others.
struct LeadDistribution {
  LeadDistribution(const Rate& rate, std::span<const WeightedValue> values, std::size_t chosen) {
    std::vector<WeightedValue> split(values.begin(), values.end());
    --split[chosen].multiplicity;
    split.push_back({values[chosen].ticks, 1});
    const std::vector<Real> all = weights(rate, split);
    w = all.back();
    others = sum(std::span(all).first(values.size()));
  }
  /// The U at which the gap is g.
  [[nodiscard]] Real boundary(const Real& g) const { return (w + others) / (w + exp(g) * others); }
  /// The gap at U: ln(((w + W) / U - w) / W), written without cancellation.
  [[nodiscard]] Real gap(const Real& u) const {
    return log(others + w * (one() - u)) - log(u) - log(others);
  }
  Real w;
  Real others;
};
inline std::uint64_t expected_lead(const LeadDistribution& distribution, const Rate& gap_rate,
                                   const Real& u) {
  return floor_or(distribution.gap(u) / exponent(gap_rate), std::uint64_t{1} << 62U);
}

}  // namespace freegap::testing
