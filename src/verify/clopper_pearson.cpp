#include "verify/clopper_pearson.hpp"

#include <cmath>

namespace freegap::verify {
namespace {

/// The continued fraction of I_x(a, b), by Lentz's method (Numerical Recipes, section 6.4).
double fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto guarded = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 100'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    const double factor = d * c;
    result *= factor;
    if (std::abs(factor - 1) < 1e-15) {
      break;
    }
  }
  return result;
}

/// The point where `rises` turns true; from 60 halvings, on the side given.
template <class Rises>
double turning_point(const Rises& rises, bool side) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (rises(middle) ? high : low) = middle;
  }
  return side ? high : low;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast below the mean; above it, the other tail does.
  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                   : 1 - front * fraction(b, a, 1 - x) / b;
}

double lower_bound(std::uint64_t happened, std::uint64_t runs, double error) {
  if (happened == 0) {
    return 0;
  }
  // P(at least `happened`) rises with the probability; below this point it is less than `error`.
  const auto a = static_cast<double>(happened);
  const auto b = static_cast<double>(runs - happened + 1);
  return turning_point([&](double p) { return incomplete_beta(a, b, p) > error; }, false);
}

double upper_bound(std::uint64_t happened, std::uint64_t runs, double error) {
  // By symmetry: failures happened runs - happened times.
  return 1 - lower_bound(runs - happened, runs, error);
}

}  // namespace freegap::verify
