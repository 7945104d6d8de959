// MPFR numbers of 512 bits, with which the tests compute expected values. No intervals, and no code
// shared with the library. 512 bits are hundreds more than needed.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include <cstdint>

namespace freegap::testing {

/// A number of 512 bits, rounded to nearest.
class Real {
 public:
  Real() { mpfr_init2(x_, 512); }
  explicit Real(const mpz_class& z) : Real() { mpfr_set_z(x_, z.get_mpz_t(), MPFR_RNDN); }
  explicit Real(const mpq_class& q) : Real() { mpfr_set_q(x_, q.get_mpq_t(), MPFR_RNDN); }
  explicit Real(double d) : Real() { mpfr_set_d(x_, d, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(x_, other.x_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(x_, other.x_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(x_); }

  /// The MPFR number.
  [[nodiscard]] mpfr_srcptr get() const { return x_; }
  /// The largest whole number that is not above this finite number.
  [[nodiscard]] mpz_class floor() const {
    mpz_class z;
    mpfr_get_z(z.get_mpz_t(), x_, MPFR_RNDD);
    return z;
  }
  /// The nearest double.
  [[nodiscard]] double shown() const { return mpfr_get_d(x_, MPFR_RNDN); }
  /// This times 2^e.
  [[nodiscard]] Real times_power(long e) const {
    Real r;
    mpfr_mul_2si(r.x_, x_, e, MPFR_RNDN);
    return r;
  }

  friend Real operator+(const Real& a, const Real& b) { return binary(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return binary(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return binary(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return binary(mpfr_div, a, b); }
  friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.x_, b.x_) != 0; }
  friend Real log(const Real& a) { return unary(mpfr_log, a); }
  friend Real exp(const Real& a) { return unary(mpfr_exp, a); }
  friend Real log1p(const Real& a) { return unary(mpfr_log1p, a); }
  friend Real expm1(const Real& a) { return unary(mpfr_expm1, a); }

 private:
  using Binary = int(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  using Unary = int(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  static Real binary(Binary* f, const Real& a, const Real& b) {
    Real r;
    f(r.x_, a.x_, b.x_, MPFR_RNDN);
    return r;
  }
  static Real unary(Unary* f, const Real& a) {
    Real r;
    f(r.x_, a.x_, MPFR_RNDN);
    return r;
  }

  mpfr_t x_;
};

/// A 64-bit word as a GMP number.
inline mpz_class big(std::uint64_t word) { return mpz_class(static_cast<unsigned long>(word)); }

}  // namespace freegap::testing
