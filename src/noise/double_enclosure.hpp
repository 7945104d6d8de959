#pragma once

/// @file
/// Intervals of doubles that are proven to contain the exact value: the fast path of every sampler.
/// Where doubles do not settle an integer, the same formulas run on MpfrEnclosure. A wider interval
/// costs time, never exactness (docs/proofs/samplers.md, "Two kinds of enclosure").

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap::detail {

static_assert(FLT_EVAL_METHOD == 0 && std::numeric_limits<double>::is_iec559 &&
                  std::numeric_limits<double>::digits == 53,
              "the error bounds below are for IEEE 754 double precision, rounding to nearest");

/// ln x for a normal x > 0, with relative error at most 2^-49; ln 1 = 0 exactly. Proof in the
/// source.
double log_kernel(double x);
/// e^-y for 0 <= y <= 700, with relative error at most 2^-49. Proof in the source.
double exp_minus_kernel(double y);
/// -ln(1 - t) for 2^-1020 <= t <= 1/4, with relative error at most 2^-49. Proof in the source.
double minus_log1m_kernel(double t);
/// 1 - e^-y for 0 < y <= 3/2, with relative error at most 2^-47. Proof in the source.
double one_minus_exp_kernel(double y);

/// A number that is not above any exact value that rounds to r. Each operation of IEEE 754 rounds
/// to nearest, so it is off by at most half a unit in the last place, which is at most |r| 2^-53
/// (or 2^-1075 near zero). r - |r| 2^-52 is at least a whole unit below r before its own rounding,
/// hence at least half a unit after. Where an operation overflowed, the exact value is above the
/// largest double.
inline double down(double r) {
  return r == std::numeric_limits<double>::infinity()
             ? std::numeric_limits<double>::max()
             : r - (std::fabs(r) * 0x1p-52 + std::numeric_limits<double>::denorm_min());
}
/// A number that is not below any exact value that rounds to r.
inline double up(double r) { return -down(-r); }

/// lo <= exact value <= hi. `hi` may be infinite. Products, quotients and logarithms are for
/// nonnegative values only: then each end depends on one end of each operand, and no case
/// distinction by sign is needed.
struct DoubleEnclosure {
  double lo;  ///< not above the exact value
  double hi;  ///< not below the exact value

  /// Sum.
  friend DoubleEnclosure operator+(const DoubleEnclosure& a, const DoubleEnclosure& b) {
    return {down(a.lo + b.lo), up(a.hi + b.hi)};
  }
  /// Difference.
  friend DoubleEnclosure operator-(const DoubleEnclosure& a, const DoubleEnclosure& b) {
    return {down(a.lo - b.hi), up(a.hi - b.lo)};
  }
  /// Product of nonnegative values.
  friend DoubleEnclosure operator*(const DoubleEnclosure& a, const DoubleEnclosure& b) {
    return {floor_zero(down(a.lo * b.lo)), up(a.hi * b.hi)};
  }
  /// Quotient of nonnegative values.
  friend DoubleEnclosure operator/(const DoubleEnclosure& a, const DoubleEnclosure& b) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {b.hi == infinity ? 0 : floor_zero(down(a.lo / b.hi)),
            b.lo == 0 ? infinity : up(a.hi / b.lo)};
  }

 private:
  /// Rounding down may leave the nonnegative numbers, where the exact value lies.
  static double floor_zero(double x) { return x > 0 ? x : 0; }
};

/// The arithmetic of DoubleEnclosure: encloses exact inputs, and functions of enclosures. A formula
/// that takes a field as a parameter runs on this and on MpfrField.
class DoubleField {
 public:
  using Value = DoubleEnclosure;  ///< the type of its numbers

  /// A whole number. Up to 2^53 it is a double; above, its conversion rounds.
  [[nodiscard]] static Value whole(Distance n) {
    const auto rounded = static_cast<double>(n);
    return n < Distance{1} << 53U ? Value{rounded, rounded} : Value{down(rounded), up(rounded)};
  }
  /// A rate.
  [[nodiscard]] static Value rate(const Rate& rate) { return {rate.lower(), rate.upper()}; }
  /// The uniform number whose first 64 bits are `word`: [word, word + 1] / 2^64.
  [[nodiscard]] static Value uniform(std::uint64_t word) {
    const auto rounded = static_cast<double>(word);
    // The upper end allows for two roundings, of the word and of the sum. Scaling by a power of two
    // is exact.
    return {word == 0 ? 0 : down(rounded) * 0x1p-64, up(up(rounded + 1)) * 0x1p-64};
  }
  /// The uniform number whose first 31 bits are those of `word`. Both ends are doubles: exact.
  [[nodiscard]] static Value uniform_31(std::uint64_t word) {
    const auto bits = static_cast<double>(word >> 33U);
    return {bits * 0x1p-31, (bits + 1) * 0x1p-31};
  }
  /// ln x, x >= 0.
  [[nodiscard]] static Value log(const Value& x);
  /// e^-y, y >= 0.
  [[nodiscard]] static Value exp_minus(const Value& y);
  /// 1 - e^-y, y >= 0.
  [[nodiscard]] static Value one_minus_exp(const Value& y);
  /// -ln(1 - t), 0 <= t <= 1.
  [[nodiscard]] static Value minus_log1m(const Value& t);
  /// -ln(1 - e^-y), y > 0.
  [[nodiscard]] static Value minus_log1m_exp(const Value& y);
};

}  // namespace freegap::detail
