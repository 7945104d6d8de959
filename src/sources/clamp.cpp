#include "sources/clamp.hpp"

#include <algorithm>

#include "freegap/errors.hpp"

namespace freegap::sources {
namespace {

/// A whole number of any size, clamped to 64 bits.
std::int64_t to_word(const mpz_class& number) {
  if (const auto words = Rational(mpq_class(number)).words()) {
    return words->numerator;
  }
  return sgn(number) < 0 ? std::numeric_limits<std::int64_t>::min()
                         : std::numeric_limits<std::int64_t>::max();
}

/// The largest multiple of 2^step that is not above a number. RealGrid has made sure that it is a
/// double.
double floor_to(const Rational& number, int step) {
  const Rational size = Rational::power_of_two(step);
  const Rational steps = number / size;
  return (Rational(mpq_class(steps.floor())) * size).gmp().get_d();
}

}  // namespace

Clamp::Clamp(const Input& input) {
  if (!input.range) {
    return;
  }
  if (input.numbers == Numbers::real) {
    // Doubles in memory have no grid; any fixed ends that are doubles will do.
    const auto end = [&](const Rational& number) {
      return input.step ? floor_to(number, *input.step) : number.gmp().get_d();
    };
    low_ = end(input.range->low);
    high_ = end(input.range->high);
    return;
  }
  least_ = to_word(input.range->low.ceil());
  most_ = to_word(input.range->high.floor());
  if (least_ > most_) {
    throw InvalidParameter("--range", "there is no whole number in it");
  }
}

std::int64_t Clamp::whole(std::int64_t number) const { return std::clamp(number, least_, most_); }

double Clamp::real(double number) const { return std::clamp(number, low_, high_); }

}  // namespace freegap::sources
