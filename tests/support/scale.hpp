// How much work a statistical test does. FREEGAP_TEST_SCALE multiplies every sample size: 1 (the
// default) is the full workload; sanitizer builds take a small fraction of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace freegap::testing {

/// `full` times FREEGAP_TEST_SCALE, but at least `least`: a test states the smallest sample its own
/// statistics can bear.
inline std::size_t scaled(std::size_t full, std::size_t least = 1) {
  const char* text = std::getenv("FREEGAP_TEST_SCALE");
  const double scale = text == nullptr ? 1.0 : std::strtod(text, nullptr);
  return std::max(least, static_cast<std::size_t>(static_cast<double>(full) * scale));
}

}  // namespace freegap::testing
