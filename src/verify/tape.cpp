#include "freegap/verify/tape.hpp"

#include <algorithm>
#include <cmath>

namespace freegap::verify {
namespace {

/// More rates than a plan has; beyond that the oldest is forgotten.
constexpr std::size_t most_remembered = 32;

/// Most of the noise of a distribution lies below this.
std::uint64_t span_of(const Rate& rate) {
  return static_cast<std::uint64_t>(std::ceil(8 / rate.lower()));
}

}  // namespace

std::int64_t TapeSource::one_sided(const Rate& rate) {
  std::uint64_t limit = 3;  // many ties
  if (style_ == 1) {
    limit = std::uint64_t{1} << below(9);
  } else if (style_ >= 2) {
    limit = span_of(rate);
  }
  if (style_ == 3 && below(8) == 0) {
    limit = std::uint64_t{1} << 40U;  // now and then huge
  }
  return static_cast<std::int64_t>(below(limit));
}

std::int64_t TapeSource::two_sided(const Rate& rate) {
  const std::int64_t magnitude = one_sided(rate);
  return below(2) == 0 ? magnitude : -magnitude;
}

const std::shared_ptr<const Rational>& TapeSource::share(const Rational& exponent) {
  const auto found =
      std::find_if(exponents_.begin(), exponents_.end(),
                   [&](const std::shared_ptr<const Rational>& e) { return *e == exponent; });
  if (found != exponents_.end()) {
    std::rotate(exponents_.begin(), found, found + 1);  // those in use stay in front
    return exponents_.front();
  }
  if (exponents_.size() == most_remembered) {
    exponents_.pop_back();
  }
  return *exponents_.insert(exponents_.begin(), std::make_shared<const Rational>(exponent));
}

}  // namespace freegap::verify
