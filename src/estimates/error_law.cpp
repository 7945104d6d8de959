#include "error_law.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freegap::detail {

void ErrorLaw::add(double coefficient, const NoiseLaw& noise, double copies) {
  if (coefficient == 0 || copies == 0) {
    return;
  }
  const bool both = two_sided(noise.law);
  terms_.push_back({coefficient * noise.scale.shown(), both, copies});
  variance_ += copies * coefficient * coefficient * noise.variance();
  slack_ += copies * std::fabs(coefficient) * noise.tick.shown() * (both ? 1 : 0.5);
}

std::vector<double> ErrorLaw::signature() const {
  std::vector<double> numbers{slack_};
  for (const Term& term : terms_) {
    numbers.insert(numbers.end(), {term.scale, term.two_sided ? 1.0 : 0.0, term.copies});
  }
  return numbers;
}

double ErrorLaw::below(double x) const {
  if (terms_.empty()) {
    return x >= 0 ? 1 : 0;
  }
  const Term& first = terms_.front();
  if (terms_.size() == 1 &&
      first.copies == 1) {  // the characteristic function of one term falls too slowly
    const double s = std::fabs(first.scale);
    if (first.two_sided) {
      return x < 0 ? std::exp(x / s) / 2 : 1 - std::exp(-x / s) / 2;
    }
    const double y = first.scale > 0 ? x / s + 1 : 1 - x / s;  // of a standard exponential number
    const double above = y > 0 ? std::exp(-y) : 1;
    return first.scale > 0 ? 1 - above : above;
  }
  if (terms_.size() == 2 && first.copies == 1 && !first.two_sided && terms_[1].copies == 1 &&
      !terms_[1].two_sided && first.scale * terms_[1].scale < 0) {
    // X - Y with X, Y exponential of scales p and n, both centred.
    const double p = std::max(first.scale, terms_[1].scale);
    const double n = -std::min(first.scale, terms_[1].scale);
    const double s = x + p - n;
    return s >= 0 ? 1 - p / (p + n) * std::exp(-s / p) : n / (p + n) * std::exp(s / n);
  }
  return std::clamp(below_by_inversion(x), 0.0, 1.0);
}

// P(sum <= x) = 1/2 - 1/pi * integral over t > 0 of Im(phi(t) e^{-itx}) / t (Gil-Pelaez), by the
// midpoint rule with step h. Its error is at most the chance of |sum - x| > 2 pi / h (Davies 1973),
// made negligible by the choice of h.
double ErrorLaw::below_by_inversion(double x) const {
  double widest = 0;
  for (const Term& term : terms_) {
    widest = std::max(widest, std::fabs(term.scale));
  }
  const double range = std::fabs(x) + 32 * widest + 12 * std::sqrt(variance_);
  const double h = 2 * std::numbers::pi / range;
  constexpr int most_steps = 1 << 20;
  double sum = 0;
  for (int j = 0; j < most_steps; ++j) {
    const double t = (j + 0.5) * h;
    double log_modulus = 0;
    double argument = -t * x;
    for (const Term& term : terms_) {
      const double ts = t * term.scale;
      const double half_log = 0.5 * term.copies * std::log1p(ts * ts);
      log_modulus -= term.two_sided ? 2 * half_log : half_log;
      if (!term.two_sided) {
        argument += term.copies * (std::atan(ts) - ts);
      }
    }
    const double modulus = std::exp(log_modulus);
    sum += modulus * std::sin(argument) / (j + 0.5);
    if (modulus < 1e-11) {
      break;
    }
  }
  return 0.5 - sum / std::numbers::pi;
}

double ErrorLaw::quantile(double p) const {
  if (terms_.empty()) {
    return 0;
  }
  double step = std::sqrt(variance_);
  double low = 0;
  double high = 0;
  while (below(low) > p) {
    low -= step;
    step *= 2;
  }
  step = std::sqrt(variance_);
  while (below(high) < p) {
    high += step;
    step *= 2;
  }
  for (int i = 0; i < 60 && high - low > 1e-8 * (std::fabs(low) + std::fabs(high)); ++i) {
    const double middle = (low + high) / 2;
    (below(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace freegap::detail
