#include "estimates/error_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/elementary.hpp"

namespace freegap::detail {

void ErrorDistribution::add(double coefficient, const NoiseDistribution& noise, double copies) {
  if (coefficient == 0 || copies == 0) {
    return;
  }
  const bool both = two_sided(noise.distribution);
  const double scale = noise.scale.shown();
  const double tick = noise.tick.shown();
  terms_.push_back({coefficient * scale, both, copies});
  variance_ += copies * coefficient * coefficient * noise.variance();
  // One-sided noise on ticks is continuous noise floored to a tick: it loses between 0 and a tick,
  // and `scale - mean` on average.
  const double mean = tick / detail::expm1(tick / scale);
  slack_ += copies * std::fabs(coefficient) * (both ? tick : tick - (scale - mean));
}

ErrorDistribution ErrorDistribution::simplified() const {
  constexpr double narrow = 1e-5;  // all copies of a term together, of the widest term
  constexpr double scales = 30;    // a copy exceeds so many scales with probability 1e-13
  double widest = 0;
  for (const Term& term : terms_) {
    widest = std::max(widest, std::fabs(term.scale));
  }
  ErrorDistribution result = *this;
  std::erase_if(result.terms_, [&](const Term& term) {
    const double together = term.copies * std::fabs(term.scale);
    const bool drop = together < narrow * widest;
    result.slack_ += drop ? scales * together : 0;
    return drop;
  });
  return result;
}

std::vector<double> ErrorDistribution::signature() const {
  std::vector<double> numbers{slack_};
  for (const Term& term : terms_) {
    numbers.insert(numbers.end(), {term.scale, term.two_sided ? 1.0 : 0.0, term.copies});
  }
  return numbers;
}

std::optional<double> ErrorDistribution::below_in_closed_form(double x) const {
  if (terms_.empty()) {
    return x >= 0 ? 1 : 0;
  }
  const Term& first = terms_.front();
  if (terms_.size() == 1 && first.copies == 1) {
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
  return std::nullopt;
}

ErrorDistribution::Spectrum ErrorDistribution::spectrum() const {
  double widest = 0;
  for (const Term& term : terms_) {
    widest = std::max(widest, std::fabs(term.scale));
  }
  Spectrum result;
  result.range = 36 * widest + 12 * std::sqrt(variance_);
  result.step = std::numbers::pi / result.range;  // periods of twice the range
  constexpr int most_steps = 1 << 20;
  for (int j = 0; j < most_steps; ++j) {
    const double t = (j + 0.5) * result.step;
    double log_modulus = 0;
    double argument = 0;
    for (const Term& term : terms_) {
      const double ts = t * term.scale;
      const double half_log = 0.5 * term.copies * detail::log1p(ts * ts);
      log_modulus -= term.two_sided ? 2 * half_log : half_log;
      if (!term.two_sided) {
        argument += term.copies * (detail::atan(ts) - ts);
      }
    }
    const double modulus = std::exp(log_modulus);
    result.modulus.push_back(modulus / (std::numbers::pi * (j + 0.5)));
    result.argument.push_back(argument);
    if (modulus < 1e-11) {
      break;
    }
  }
  return result;
}

// P(sum <= x) = 1/2 - 1/pi * integral over t > 0 of Im(phi(t) e^{-itx}) / t (Gil-Pelaez), by the
// midpoint rule with step h. Its error is at most the probability of |sum - x| > 2 pi / h (Davies
// 1973), which the choice of h makes negligible.
double ErrorDistribution::below(double x, const Spectrum& spectrum) const {
  if (std::fabs(x) >= spectrum.range) {
    return x > 0 ? 1 : 0;
  }
  double sum = 0;
  for (std::size_t j = 0; j < spectrum.modulus.size(); ++j) {
    const double t = (static_cast<double>(j) + 0.5) * spectrum.step;
    sum += spectrum.modulus[j] * detail::sin(spectrum.argument[j] - t * x);
  }
  return std::clamp(0.5 - sum, 0.0, 1.0);
}

double ErrorDistribution::below(double x) const {
  const std::optional<double> closed = below_in_closed_form(x);
  return closed ? *closed : below(x, spectrum());
}

double ErrorDistribution::quantile(double p) const {
  // The variance of noise that is almost always 0 underflows to 0.
  if (terms_.empty() || variance_ == 0) {
    return 0;
  }
  const bool closed = below_in_closed_form(0).has_value();
  const Spectrum table = closed ? Spectrum{} : spectrum();
  const auto excess = [&](double x) {
    return (closed ? *below_in_closed_form(x) : below(x, table)) - p;
  };
  double low = 0;
  double high = 0;
  for (double step = std::sqrt(variance_); excess(low) > 0; step *= 2) {
    low -= step;
  }
  for (double step = std::sqrt(variance_); excess(high) < 0; step *= 2) {
    high += step;
  }
  // Regula falsi in the Illinois version: the bracket closes from both sides.
  double at_low = excess(low);
  double at_high = excess(high);
  const double enough = 1e-9 * std::sqrt(variance_);
  for (int i = 0; i < 200 && high - low > enough; ++i) {
    const double x =
        at_high > at_low ? low - at_low * (high - low) / (at_high - at_low) : (low + high) / 2;
    const double at_x = excess(x);
    if (std::fabs(at_x) < 1e-12) {
      return x;
    }
    if (at_x < 0) {
      low = x;
      at_low = at_x;
      at_high /= 2;
    } else {
      high = x;
      at_high = at_x;
      at_low /= 2;
    }
  }
  return (low + high) / 2;
}

}  // namespace freegap::detail
