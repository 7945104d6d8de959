#include "freegap/detail/core/answers.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/simd_scan.hpp"
#include "freegap/errors.hpp"

namespace freegap::detail {
namespace {

template <class Span>
constexpr bool real = std::is_same_v<typename Span::value_type, double>;

}  // namespace

Answers part(const Answers& answers, std::size_t first, std::size_t last) {
  return answers.visit(
      [&](const auto& values) { return Answers(values.subspan(first, last - first)); });
}

void check_finite(const Answers& answers) {
  answers.visit([](const auto& values) {
    if constexpr (real<std::decay_t<decltype(values)>>) {
      if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
        throw InvalidParameter("answers", "each must be a finite number, not NaN or infinite");
      }
    }
  });
}

void maxima_of_blocks(const Answers& answers, std::size_t block, const Grid& grid,
                      std::span<std::int64_t> maxima) {
  answers.visit([&](const auto& values) {
    // Reals are put on the grid first: flooring may make different reals equal, and what a
    // mechanism compares is ticks.
    if constexpr (real<std::decay_t<decltype(values)>>) {
      std::vector<std::int64_t> on_grid(values.size());
      for (std::size_t i = 0; i < on_grid.size(); ++i) {
        on_grid[i] = ticks(answers, i, grid);
      }
      maxima_of_blocks(std::span<const std::int64_t>(on_grid), block, maxima);
    } else {
      maxima_of_blocks(values, block, maxima);
    }
  });
}

std::size_t positions_at_least(const Answers& answers, std::int64_t bound, std::size_t first,
                               std::size_t last, const Grid& grid,
                               std::span<std::uint32_t> positions) {
  return answers.visit([&](const auto& values) -> std::size_t {
    if constexpr (real<std::decay_t<decltype(values)>>) {
      std::size_t found = 0;
      for (std::size_t i = first; i < last; ++i) {
        positions[found] = static_cast<std::uint32_t>(i - first);
        found += ticks(answers, i, grid) >= bound ? 1U : 0U;
      }
      return found;
    } else {
      return positions_at_least(values.subspan(first, last - first), bound, positions);
    }
  });
}

}  // namespace freegap::detail
