#include "studies/estimates/study.hpp"

#include <cstdint>
#include <string>

#include "experiments/names.hpp"

namespace freegap::studies {

using experiments::distribution_name;

std::string name(Selection selection) {
  switch (selection) {
    case Selection::top_k:
      return "top-k";
    case Selection::sparse_vector:
      return "sparse vector";
    case Selection::identity_first:
      return "identity first";
    case Selection::estimates_first:
      return "estimates first";
  }
  return {};
}

std::string name(const Setting& s) {
  return name(s.selection) + (s.branches > 1 ? " (2 branches)" : "") + ", " +
         distribution_name(s.distribution) + (s.kind == Kind::general ? ", general" : "") +
         ", k = " + std::to_string(s.k);
}

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 1469598103934665603U;
  for (const char c : text) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return seed;
}

std::uint64_t runs_of(std::uint64_t k, std::uint64_t runs) { return k < 100 ? runs : runs / 10; }

double cost_of(const Setting& setting, std::uint64_t runs) {
  const double queries = setting.selection == Selection::sparse_vector
                             ? 0.02 * static_cast<double>(setting.shape.size())
                             : 0;
  return static_cast<double>(runs) * (static_cast<double>(setting.k) + queries);
}

}  // namespace freegap::studies
