#include "noise/mpfr_enclosure.hpp"

#include "core/integers.hpp"

// The rule of this file: MPFR_RNDD into a lower end, MPFR_RNDU into an upper end. An increasing
// function takes its lower end from the argument's lower end. A decreasing one takes it from the
// upper end. A value that is negated afterwards is rounded the other way before, because negation
// swaps the directions and is itself exact.

namespace freegap::detail {

MpfrEnclosure::MpfrEnclosure(mpfr_prec_t precision) {
  mpfr_init2(lo_, precision);
  mpfr_init2(hi_, precision);
}

MpfrEnclosure::MpfrEnclosure(const MpfrEnclosure& other) : MpfrEnclosure(other.precision()) {
  mpfr_set(lo_, other.lo_, MPFR_RNDD);
  mpfr_set(hi_, other.hi_, MPFR_RNDU);
}

MpfrEnclosure::MpfrEnclosure(MpfrEnclosure&& other) noexcept : MpfrEnclosure(MPFR_PREC_MIN) {
  mpfr_swap(lo_, other.lo_);
  mpfr_swap(hi_, other.hi_);
}

MpfrEnclosure& MpfrEnclosure::operator=(const MpfrEnclosure& other) {
  return *this = MpfrEnclosure(other);
}

MpfrEnclosure& MpfrEnclosure::operator=(MpfrEnclosure&& other) noexcept {
  mpfr_swap(lo_, other.lo_);
  mpfr_swap(hi_, other.hi_);
  return *this;
}

MpfrEnclosure::~MpfrEnclosure() {
  mpfr_clear(lo_);
  mpfr_clear(hi_);
}

MpfrEnclosure operator+(const MpfrEnclosure& a, const MpfrEnclosure& b) {
  MpfrEnclosure r(a.precision());
  mpfr_add(r.lo_, a.lo_, b.lo_, MPFR_RNDD);
  mpfr_add(r.hi_, a.hi_, b.hi_, MPFR_RNDU);
  return r;
}

// A difference falls in its second operand, so the ends of b change places.
MpfrEnclosure operator-(const MpfrEnclosure& a, const MpfrEnclosure& b) {
  MpfrEnclosure r(a.precision());
  mpfr_sub(r.lo_, a.lo_, b.hi_, MPFR_RNDD);
  mpfr_sub(r.hi_, a.hi_, b.lo_, MPFR_RNDU);
  return r;
}

MpfrEnclosure operator*(const MpfrEnclosure& a, const MpfrEnclosure& b) {
  MpfrEnclosure r(a.precision());
  mpfr_mul(r.lo_, a.lo_, b.lo_, MPFR_RNDD);
  mpfr_mul(r.hi_, a.hi_, b.hi_, MPFR_RNDU);
  return r;
}

// A quotient falls in its divisor. A divisor whose enclosure reaches zero gives no upper bound.
MpfrEnclosure operator/(const MpfrEnclosure& a, const MpfrEnclosure& b) {
  MpfrEnclosure r(a.precision());
  mpfr_div(r.lo_, a.lo_, b.hi_, MPFR_RNDD);
  if (mpfr_sgn(b.lo_) <= 0) {
    mpfr_set_inf(r.hi_, 1);
  } else {
    mpfr_div(r.hi_, a.hi_, b.lo_, MPFR_RNDU);
  }
  return r;
}

namespace {

/// MPFR keeps constants such as ln 2 for each thread. This frees them when the thread ends.
struct ThreadCache {
  ThreadCache() = default;
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;
  ~ThreadCache() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

}  // namespace

MpfrField::MpfrField(mpfr_prec_t precision) : precision_(precision) {
  thread_local const ThreadCache cache;
  (void)cache;
}

// GMP takes words of 64 bits, a distance has up to 128.
MpfrField::Value MpfrField::whole(Distance n) const {
  mpz_class exact = integer(static_cast<std::uint64_t>(n >> 64U));
  exact <<= 64;
  exact += integer(static_cast<std::uint64_t>(n));
  Value r(precision_);
  mpfr_set_z(r.lo(), exact.get_mpz_t(), MPFR_RNDD);
  mpfr_set_z(r.hi(), exact.get_mpz_t(), MPFR_RNDU);
  return r;
}

MpfrField::Value MpfrField::rational(const Rational& number) const {
  const mpq_class exact = number.gmp();
  Value r(precision_);
  mpfr_set_q(r.lo(), exact.get_mpq_t(), MPFR_RNDD);
  mpfr_set_q(r.hi(), exact.get_mpq_t(), MPFR_RNDU);
  return r;
}

// From the exact rational, not from its two doubles: more precision must tighten the enclosure.
MpfrField::Value MpfrField::rate(const Rate& rate) const { return rational(rate.exponent()); }

// [B, B + 1] / 2^(64w) for w words with value B: every number that further bits can lead to.
MpfrField::Value MpfrField::uniform(std::span<const std::uint64_t> words) const {
  mpz_class bits;
  for (const std::uint64_t word : words) {
    bits <<= 64;
    bits += integer(word);
  }
  const mpz_class next = bits + 1;
  const auto exponent = -64 * static_cast<mpfr_exp_t>(words.size());
  Value r(precision_);
  mpfr_set_z_2exp(r.lo(), bits.get_mpz_t(), exponent, MPFR_RNDD);
  mpfr_set_z_2exp(r.hi(), next.get_mpz_t(), exponent, MPFR_RNDU);
  return r;
}

MpfrField::Value MpfrField::log(const Value& x) const {
  Value r(precision_);
  mpfr_log(r.lo(), x.lo(), MPFR_RNDD);
  mpfr_log(r.hi(), x.hi(), MPFR_RNDU);
  return r;
}

MpfrField::Value MpfrField::exp_minus(const Value& y) const {
  Value minus(precision_);
  mpfr_neg(minus.lo(), y.hi(), MPFR_RNDD);
  mpfr_neg(minus.hi(), y.lo(), MPFR_RNDU);
  Value r(precision_);
  mpfr_exp(r.lo(), minus.lo(), MPFR_RNDD);
  mpfr_exp(r.hi(), minus.hi(), MPFR_RNDU);
  return r;
}

// 1 - e^-y = -expm1(-y), which loses no digits where y is small. It rises in y, so the lower end
// comes from y.lo(); both negations reverse the rounding.
MpfrField::Value MpfrField::one_minus_exp(const Value& y) const {
  Value r(precision_);
  mpfr_neg(r.lo(), y.lo(), MPFR_RNDU);
  mpfr_neg(r.hi(), y.hi(), MPFR_RNDD);
  mpfr_expm1(r.lo(), r.lo(), MPFR_RNDU);
  mpfr_expm1(r.hi(), r.hi(), MPFR_RNDD);
  mpfr_neg(r.lo(), r.lo(), MPFR_RNDD);
  mpfr_neg(r.hi(), r.hi(), MPFR_RNDU);
  return r;
}

// -ln(1 - t) = -log1p(-t), which loses no digits where t is small. It rises in t.
MpfrField::Value MpfrField::minus_log1m(const Value& t) const {
  Value r(precision_);
  mpfr_neg(r.lo(), t.lo(), MPFR_RNDU);
  mpfr_neg(r.hi(), t.hi(), MPFR_RNDD);
  mpfr_log1p(r.lo(), r.lo(), MPFR_RNDU);
  mpfr_log1p(r.hi(), r.hi(), MPFR_RNDD);
  mpfr_neg(r.lo(), r.lo(), MPFR_RNDD);
  mpfr_neg(r.hi(), r.hi(), MPFR_RNDU);
  return r;
}

MpfrField::Value MpfrField::minus_log1m_exp(const Value& y) const {
  // Two forms, so that no digits cancel. For large y, e^-y is small and log1p(-e^-y) is precise.
  // For small y, e^-y is near 1: then 1 - e^-y is computed as one function before the logarithm.
  if (mpfr_cmp_ui(y.lo(), 1) > 0) {
    return minus_log1m(exp_minus(y));
  }
  const Value w = one_minus_exp(y);
  Value r(precision_);
  // -ln w falls in w: the lower end comes from w.hi().
  mpfr_log(r.lo(), w.hi(), MPFR_RNDU);
  mpfr_log(r.hi(), w.lo(), MPFR_RNDD);
  mpfr_neg(r.lo(), r.lo(), MPFR_RNDD);
  mpfr_neg(r.hi(), r.hi(), MPFR_RNDU);
  return r;
}

}  // namespace freegap::detail
