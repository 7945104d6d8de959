#pragma once

/// @file
/// Intervals of MPFR numbers with directed rounding. Where doubles do not settle an integer, the
/// same formulas run here, with as many bits as needed. MPFR rounds correctly, so rounding the
/// lower end down and the upper end up is the whole proof.

#include <mpfr.h>

#include <cstdint>
#include <span>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap::detail {

/// lo <= exact value <= hi. Products, quotients and logarithms are for nonnegative values only.
class MpfrEnclosure {
 public:
  /// Allocates both ends. Their values are NaN until they are set.
  explicit MpfrEnclosure(mpfr_prec_t precision);
  MpfrEnclosure(const MpfrEnclosure& other);
  MpfrEnclosure(MpfrEnclosure&& other) noexcept;
  MpfrEnclosure& operator=(const MpfrEnclosure& other);
  MpfrEnclosure& operator=(MpfrEnclosure&& other) noexcept;
  ~MpfrEnclosure();

  /// The end that is not above the exact value.
  [[nodiscard]] mpfr_ptr lo() { return lo_; }
  /// The end that is not below the exact value.
  [[nodiscard]] mpfr_ptr hi() { return hi_; }
  /// The end that is not above the exact value.
  [[nodiscard]] mpfr_srcptr lo() const { return lo_; }
  /// The end that is not below the exact value.
  [[nodiscard]] mpfr_srcptr hi() const { return hi_; }
  /// Bits of each end.
  [[nodiscard]] mpfr_prec_t precision() const { return mpfr_get_prec(lo_); }

  /// Sum.
  friend MpfrEnclosure operator+(const MpfrEnclosure& a, const MpfrEnclosure& b);
  /// Difference.
  friend MpfrEnclosure operator-(const MpfrEnclosure& a, const MpfrEnclosure& b);
  /// Product of nonnegative values.
  friend MpfrEnclosure operator*(const MpfrEnclosure& a, const MpfrEnclosure& b);
  /// Quotient of nonnegative values.
  friend MpfrEnclosure operator/(const MpfrEnclosure& a, const MpfrEnclosure& b);

 private:
  mpfr_t lo_;
  mpfr_t hi_;
};

/// The arithmetic of MpfrEnclosure: encloses exact inputs, and functions of enclosures. It has the
/// functions of DoubleField, so that a sampler's formula is written once.
class MpfrField {
 public:
  using Value = MpfrEnclosure;  ///< the type of its numbers

  /// Computes with this many bits.
  explicit MpfrField(mpfr_prec_t precision);

  /// A whole number.
  [[nodiscard]] Value whole(Distance n) const;
  /// A number that is not negative.
  [[nodiscard]] Value rational(const Rational& number) const;
  /// A rate.
  [[nodiscard]] Value rate(const Rate& rate) const;
  /// The uniform number whose first bits are `words`, most significant first.
  [[nodiscard]] Value uniform(std::span<const std::uint64_t> words) const;
  /// ln x, x >= 0.
  [[nodiscard]] Value log(const Value& x) const;
  /// e^-y, y >= 0.
  [[nodiscard]] Value exp_minus(const Value& y) const;
  /// 1 - e^-y, y >= 0.
  [[nodiscard]] Value one_minus_exp(const Value& y) const;
  /// -ln(1 - t), 0 <= t <= 1.
  [[nodiscard]] Value minus_log1m(const Value& t) const;
  /// -ln(1 - e^-y), y > 0.
  [[nodiscard]] Value minus_log1m_exp(const Value& y) const;

 private:
  mpfr_prec_t precision_;
};

}  // namespace freegap::detail
