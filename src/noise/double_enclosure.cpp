#include "noise/double_enclosure.hpp"

#include <array>
#include <bit>

// Why own kernels: the C library promises no bound for the errors of its logarithm and exponential,
// so nothing could be proven from them (docs/decisions/0007-own-kernels.md).
//
// Error bounds. u = 2^-53 is the unit roundoff: each +, -, *, / returns the exact result times (1 +
// d), |d| <= u, as long as it is a normal number, which holds for all intermediate results below
// unless said otherwise. The compiler is told not to contract or reorder (-ffp-contract=off, no
// fast-math). First-order terms are counted in u; products of several errors are below 2^-90 and
// are covered by the rounding up of each count. tests/noise/enclosure_test.cpp compares the kernels
// with MPFR.

namespace freegap::detail {
namespace {

/// ln 2 = ln2_high + ln2_low + r with |r| < 2^-92. ln2_high has its last 16 bits zero, so that its
/// product with a whole number below 2^11 in size is exact.
constexpr double ln2_high = 0x1.62e42fefap-1;
constexpr double ln2_low = 0x1.cf79abc9e3b3ap-40;
constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;

/// 2 atanh(s) for |s| <= 0.1716, just above 3 - 2 sqrt 2: relative error at most 2.3u beyond that
/// inherited from s.
///
/// 2 atanh(s) = 2 s P(s²), P(z) = 1 + z/3 + z²/5 + ... Here z <= 0.02945 and 1 <= P <= 1.0102.
/// Truncation after z^10/21: the rest is at most z^11 / (23 (1 - z)) < 1.5e-17 / 22 < 7e-19 <
/// 0.01u. P = 1 + z (E + z O), with E and O sums of every other coefficient in powers of w = z², by
/// Horner's rule (two short chains are faster than a long one). All coefficients are positive and
/// at most 1/3, errors of inner steps are damped by w < 0.001: E and O are each off by at most 3u
/// relatively (coefficient, product, sum), and so is E + z O by at most 6u. The product with z, of
/// at most 0.0102, with its own rounding and that of z = s² costs below 9u * 0.0102 < 0.1u, the
/// rounding of the last sum u: with the rest cut off, P is off by at most 1.2u. Twice s is exact,
/// its product with P costs u. In all 2.2u, and 2.3u with products of errors. An error of s enters
/// once as a factor, and by P with below 2 * 0.0102 of its relative size. Where z or w is too small
/// to be normal it is off by at most 2^-1075 absolutely, which no sum notices.
double two_atanh(double s) {
  constexpr std::array<double, 11> c{1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                                     1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
  const double z = s * s;
  const double w = z * z;
  const double even = c[1] + w * (c[3] + w * (c[5] + w * (c[7] + w * c[9])));
  const double odd = c[2] + w * (c[4] + w * (c[6] + w * (c[8] + w * c[10])));
  return 2 * s * (1 + z * (even + z * odd));
}

/// The sum over j < n of x^j / (j + 1)!: the first n terms of (e^x - 1) / x. Horner's rule: 1 + x/2
/// (1 + x/3 (...)).
double exp_quotient(double x, int n) {
  double p = 1;
  for (int j = n; j > 1; --j) {
    p = 1 + x / j * p;
  }
  return p;
}

}  // namespace

// x = 2^e m with sqrt(1/2) <= m < sqrt 2, exactly. ln x = e ln 2 + 2 atanh(s), s = (m - 1)/(m + 1),
// |s| <= 0.1716. m - 1 is exact (Sterbenz: 1/2 <= m <= 2); m + 1 and the quotient cost u each: s is
// off by 2u. So L = two_atanh(s) is off by at most (2 + 0.05 + 2.3)u < 5u, relatively; |L| <=
// 0.3466. If e = 0: ln x = L, relative error below 5u, and 0 exactly for x = 1. If e != 0: |ln x|
// >= ln 2 - 0.3466 > 0.3465. e ln2_high is exact (|e| < 2^11). e ln2_low is at most 2^11 2^-39 in
// size, so its rounding and the remainder r cost less than 2^-80. Inner sum: 5u |L| + u (|L| +
// 2^-28) < 2.1u. Outer sum: u |ln x| (1 + small). Absolute error below u |ln x| + 2.2u <= u |ln x|
// (1 + 2.2 / 0.3465) < 8u |ln x|. Both cases: relative error below 8u = 2^-50 < 2^-49.
double log_kernel(double x) {
  constexpr std::uint64_t exponent_of_half = std::uint64_t{1022} << 52U;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int e = static_cast<int>(bits >> 52U) - 1022;  // x = 2^e m with 1/2 <= m < 1
  auto m = std::bit_cast<double>((bits & ((std::uint64_t{1} << 52U) - 1)) | exponent_of_half);
  if (m < sqrt_half) {
    m *= 2;
    --e;
  }
  const double logarithm = two_atanh((m - 1) / (m + 1));
  return e == 0 ? logarithm : e * ln2_high + (e * ln2_low + logarithm);
}

// y = j ln 2 + f with a whole j <= 1010 and |f| <= 0.3475 (ln 2 / 2 and the rounding of y / ln 2,
// at most 2^-42). y - j ln2_high: the product is exact; the two agree within a factor 2 when j >=
// 1, up to 2^-42, so the difference is exact or off by at most u |f|. j ln2_low costs below 2^-80;
// the second difference costs u |f|. f is off by at most 2u * 0.3475 < 0.7u, absolutely, which
// moves e^-f by a relative 0.7u. e^-f = 1 - f Q with Q = exp_quotient(-f), cut off after 14 terms:
// the rest of e^-f is at most |f|^15 / 15! e^0.35 < 2e-19 < 0.01u. In Horner's rule each step costs
// the rounding of a quotient, a product and a sum; errors of inner steps are damped by |f|/j <=
// 0.174. Q (between 0.83 and 1.21) is off by at most (1 + 2 * 0.174 * 1.21) / (1 - 0.21) u 1.21
// < 2.2u absolutely. f Q: 0.3475 * (2.2 + 1.21) u < 1.2u. The last sum: u of a value of at least
// 0.706. Relative error at most (0.7 + 1.2 / 0.706 + 1)u < 3.5u. Scaling by 2^-j is exact because
// e^-700 > 2^-1011 is normal. 3.5u < 2^-49.
double exp_minus_kernel(double y) {
  const double j = std::nearbyint(y / (ln2_high + ln2_low));
  const double f = (y - j * ln2_high) - j * ln2_low;
  return std::ldexp(1 - f * exp_quotient(-f, 14), -static_cast<int>(j));
}

// -ln(1 - t) = 2 atanh(t / (2 - t)), and t / (2 - t) <= 1/7 < 0.1716 for t <= 1/4. 2 - t and the
// quotient cost u each; with two_atanh: at most (2 + 0.05 + 2.3)u < 5u < 2^-49. s is normal, as t
// >= 2^-1020.
double minus_log1m_kernel(double t) { return two_atanh(t / (2 - t)); }

// 1 - e^-y = y Q with Q = exp_quotient(-y), cut off after 24 terms: the rest of Q is at most 1.5^24
// / 25! < 2e-21. Q lies between 0.517 and 1. Horner's rule: at step j the inner value p (0.5 <= p
// <= 1 for every step, as all are of the form sum (-y)^i j!/(j+i)!, an alternating sum with falling
// terms) enters with factor y/j. With E_j the absolute error of the value that starts at step j:
// E_{j-1} <= u + (y/j)(E_j + 2u). With y = 3/2 the factors are 3/4 for j = 2, then 1/2, 3/8, 3/10,
// 1/4, ... From E_6 < 1.9u (a fixed point of factors of at most 0.22): E_5 < 2.0u, E_4 < 2.2u, E_3
// < 2.6u, E_2 < 3.3u, E_1 < 5u. Relative to Q >= 0.517: below 10u; the product with y costs u. 11u
// < 2^-49 < 2^-47.
double one_minus_exp_kernel(double y) { return y * exp_quotient(-y, 24); }

namespace {

/// Widening for a relative error of 2^-47: 2^-46 also covers the rounding of the widening itself.
double widen_down(double y) { return y - std::fabs(y) * 0x1p-46; }
double widen_up(double y) { return y + std::fabs(y) * 0x1p-46; }

/// e^-y lies between 0 and this for all y > 700, since e^-700 < 9.9e-305.
constexpr double exp_minus_700 = 1e-304;

// Bounds of e^-y at one point, from below and from above. An enclosure of a function that falls
// takes its lower end at y.hi and its upper end at y.lo.
double exp_minus_below(double y) { return y > 700 ? 0 : widen_down(exp_minus_kernel(y)); }
double exp_minus_above(double y) { return y > 700 ? exp_minus_700 : widen_up(exp_minus_kernel(y)); }

/// Bounds of -ln(1 - e^-y), which falls in y. Two forms, so that no digits cancel: above 3/2, e^-y
/// is below 1/4 and minus_log1m_kernel applies; up to 3/2, 1 - e^-y is computed as one function.
/// Errors: an argument off by a relative 2^-46 moves -ln(1 - t), t <= 1/4, by a relative 2^-46
/// * 1.16; it moves ln w, w <= 0.777, by at most 2^-46 absolutely, where |ln w| >= 0.252. Widened
/// enclosures of the arguments make both harmless.
double minus_log1m_exp_below(double y) {
  if (y > 1.5) {
    const double t = exp_minus_below(y);
    return t > 0 ? widen_down(minus_log1m_kernel(t)) : 0;
  }
  return widen_down(-log_kernel(widen_up(one_minus_exp_kernel(y))));
}
double minus_log1m_exp_above(double y) {
  if (y == 0) {
    return std::numeric_limits<double>::infinity();
  }
  return y > 1.5 ? widen_up(minus_log1m_kernel(exp_minus_above(y)))
                 : widen_up(-log_kernel(widen_down(one_minus_exp_kernel(y))));
}

}  // namespace

// For a narrow interval one kernel serves both ends: ln hi = ln lo + ln(1 + w) <= ln lo + w with w
// = (hi - lo) / lo, where hi - lo is exact (Sterbenz: hi <= 2 lo) and the quotient and the sum are
// rounded up. Where lo (1 + 2^-40) overflows, hi may be infinite; then so is w.
DoubleField::Value DoubleField::log(const Value& x) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double least = std::numeric_limits<double>::min();  // below it numbers are not normal
  if (x.lo >= least && x.hi <= x.lo * (1 + 0x1p-40)) {
    const double low = log_kernel(x.lo);
    return {widen_down(low), up(widen_up(low) + up((x.hi - x.lo) / x.lo))};
  }
  return {x.lo < least ? -infinity : widen_down(log_kernel(x.lo)),
          x.hi == infinity ? infinity : widen_up(log_kernel(std::fmax(x.hi, least)))};
}

DoubleField::Value DoubleField::exp_minus(const Value& y) {
  return {exp_minus_below(y.hi), exp_minus_above(y.lo)};
}

// Above 3/2 no more than two bits cancel in 1 - e^-y; the enclosure keeps track of that.
DoubleField::Value DoubleField::one_minus_exp(const Value& y) {
  const auto below = [](double at) {
    return at > 1.5 ? down(1 - exp_minus_above(at))
           : at > 0 ? widen_down(one_minus_exp_kernel(at))
                    : 0;
  };
  const auto above = [](double at) {
    return at > 1.5 ? up(1 - exp_minus_below(at)) : widen_up(one_minus_exp_kernel(at));
  };
  return {below(y.lo), above(y.hi)};
}

// Up to 1/4 the kernel applies. Above, 1 - t loses at most two bits, and `up` or `down` makes the
// loss part of the enclosure. At t = 1 the function is infinite.
DoubleField::Value DoubleField::minus_log1m(const Value& t) {
  const double least = 0x1p-1020;
  const auto below = [&](double at) {
    if (at <= 0.25) {
      return at < least ? 0 : widen_down(minus_log1m_kernel(at));
    }
    const double rest = up(1 - at);
    return rest >= 1 ? 0 : widen_down(-log_kernel(rest));
  };
  const auto above = [&](double at) {
    if (at <= 0.25) {
      return widen_up(minus_log1m_kernel(std::fmax(at, least)));
    }
    const double rest = down(1 - at);
    return rest < least ? std::numeric_limits<double>::infinity() : widen_up(-log_kernel(rest));
  };
  return {below(t.lo), above(t.hi)};
}

DoubleField::Value DoubleField::minus_log1m_exp(const Value& y) {
  return {minus_log1m_exp_below(y.hi), minus_log1m_exp_above(y.lo)};
}

}  // namespace freegap::detail
