#include "noise/passing.hpp"

#include "freegap/errors.hpp"
#include "noise/mpfr_enclosure.hpp"

namespace freegap::detail {
namespace {

/// Exponents per tick are fractions of 64-bit words, so two of them that differ do so within the
/// first 128 bits; distances have at most 63. So this many bits leave no doubt in practice.
constexpr mpfr_prec_t precision = 512;

/// A threshold that is no higher leaves room for its noise in 64 bits.
constexpr std::int64_t most_ticks = std::int64_t{1} << 60U;

using Value = MpfrField::Value;

/// Encloses P(ν >= t + η) for given noise. With x = e^-a for ν and y = e^-b for η:
/// - one-sided: Σ_m (1-y) y^m x^(t+m) = x^t (1-y) / (1 - xy);
/// - two-sided, x = y: ((1-x)/(1+x))² x^t ((t + (1+x²)/(1-x²)) / (1-x) + x / (1-x)²);
/// - two-sided: (1-x)(1-y) / ((1+x)(1+y)) times
///   xy/(1-xy) (x^t/(1-x) + y^t/(1-y)) + (x^(t+1)/(1-x) - y^(t+1)/(1-y)) / (x-y).
class Passing {
 public:
  explicit Passing(const PassingNoise& noise)
      : two_sided_(two_sided(noise.distribution)),
        equal_(noise.candidate.exponent() == noise.threshold.exponent()),
        swapped_(noise.candidate.exponent() > noise.threshold.exponent()),
        a_(field_.rate(noise.candidate)),
        b_(field_.rate(noise.threshold)),
        one_(field_.whole(1)) {}

  [[nodiscard]] Value probability(std::int64_t t) const {
    const Value x = field_.exp_minus(a_);
    const Value y = field_.exp_minus(b_);
    const Value gap_x = field_.one_minus_exp(a_);  // 1 - x
    const Value gap_y = field_.one_minus_exp(b_);
    const Value gap_xy = field_.one_minus_exp(a_ + b_);
    const Value at = power(a_, t);
    if (!two_sided_) {
      return at * gap_y / gap_xy;
    }
    if (equal_) {
      const Value squares = (one_ + x * x) / gap_xy;  // (1+x²) / (1-x²)
      const Value share = gap_x / (one_ + x);
      const Value distance = field_.whole(static_cast<Distance>(t));
      return share * share * at * ((distance + squares) / gap_x + x / (gap_x * gap_x));
    }
    const Value bt = power(b_, t);
    const Value outside = x * y / gap_xy * (at / gap_x + bt / gap_y);
    const Value of_x = at * x / gap_x;
    const Value of_y = bt * y / gap_y;
    // u^(t+1)/(1-u) rises with u, so both differences have the sign of x - y.
    const Value between = swapped_ ? (of_y - of_x) / (y - x) : (of_x - of_y) / (x - y);
    return gap_x * gap_y / ((one_ + x) * (one_ + y)) * (outside + between);
  }

 private:
  /// e^-(rate t).
  [[nodiscard]] Value power(const Value& rate, std::int64_t t) const {
    return field_.exp_minus(rate * field_.whole(static_cast<Distance>(t)));
  }

  MpfrField field_{precision};
  bool two_sided_;
  bool equal_;
  bool swapped_;  // x < y
  Value a_;
  Value b_;
  Value one_;
};

}  // namespace

std::int64_t safe_distance_ticks(const PassingNoise& noise, std::uint64_t items,
                                 const Rational& delta, const Rational& epsilon) {
  const MpfrField field(precision);
  const Passing passing(noise);
  const Value allowed = field.rational(delta) * field.exp_minus(field.rational(epsilon));
  const auto safe = [&](std::int64_t t) {
    const Value chance = field.whole(items) * passing.probability(t);
    return mpfr_lessequal_p(chance.hi(), allowed.lo()) != 0;
  };
  std::int64_t low = -1;  // not safe, or below the range
  std::int64_t high = 1;
  while (!safe(high)) {
    if (high >= most_ticks) {
      throw InvalidParameter("delta",
                             "it is too small for 64-bit ticks: the threshold would be "
                             "more than 2^60 ticks high");
    }
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (safe(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace freegap::detail
