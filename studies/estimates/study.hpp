// The study and its sections; the names, seeds and costs of settings, which the sections share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "estimates/simulation.hpp"
#include "freegap/distribution.hpp"
#include "studies/estimates/figures.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {

using testing::Selection;
using testing::Setting;
using testing::Shape;

inline constexpr std::array all_distributions{Distribution::exponential, Distribution::laplace,
                                              Distribution::geometric};
inline constexpr double confidence = 0.95;

struct Study {
  std::uint64_t runs = 1'000'000;
  std::vector<std::int64_t> t40;  ///< counts of T40I10D100K, falling; empty if not given
  Figures figures;
};

// Names in the table.
std::string name(Selection selection);
std::string name(const Setting& s);

/// Seeds differ between settings, and are the same in every run of the study.
std::uint64_t seed_of(const std::string& text);

/// Runs of a setting; fewer where there are many winners.
std::uint64_t runs_of(std::uint64_t k, std::uint64_t runs);

/// The time of a setting, roughly: that of its estimates, and of a sparse vector's queries.
double cost_of(const Setting& setting, std::uint64_t runs);

// The settings of each section. `study` must outlive the tasks.

/// Linear estimates against closed forms, in closed_forms.cpp.
std::vector<Task> section_a(Study& study);
/// Reduction of the squared error against k, in closed_forms.cpp.
std::vector<Task> section_b(Study& study);
/// Coverage on well-separated data, in separated_coverage.cpp.
std::vector<Task> section_c(const Study& study);
/// Intervals, claims and squared errors after selection, in settings.cpp.
std::vector<Task> section_def(Study& study);
/// Claims about what the exponential mechanism chose, in exponential_mechanism.cpp.
std::vector<Task> section_exponential(Study& study);

}  // namespace freegap::studies
