#include "freegap/release/sparse_vector.hpp"

#include <algorithm>

namespace freegap {

const char* name(StopRule rule) { return rule == StopRule::paper ? "paper" : "afford"; }

std::uint64_t SparseVectorRelease::above() const {
  return static_cast<std::uint64_t>(std::count_if(
      answers.begin(), answers.end(), [](const SparseVectorAnswer& a) { return a.above; }));
}

}  // namespace freegap
