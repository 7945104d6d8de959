#include "freegap/verify/tape.hpp"

namespace freegap::verify {

void TapeSource::begin() { style_ = noise_.below(4); }

std::int64_t TapeSource::one_sided() {
  switch (style_) {
    case 0:
      return static_cast<std::int64_t>(noise_.below(3));  // many ties
    case 1:
      return noise_.geometric(tiny_);
    case 2:
      return noise_.geometric(wide_);
    default:  // mostly common, now and then huge
      return noise_.below(8) == 0 ? static_cast<std::int64_t>(noise_.below(std::uint64_t{1} << 40U))
                                  : noise_.geometric(wide_);
  }
}

std::int64_t TapeSource::two_sided() {
  const std::int64_t magnitude = one_sided();
  return noise_.below(2) == 0 ? magnitude : -magnitude;
}

}  // namespace freegap::verify
