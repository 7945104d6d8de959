#pragma once

/// @file
/// Many answers put on a grid at once, as Grid::floor_ticks puts each of them
/// (tests/core/floor_ticks_test.cpp). On a tick that is a power of two this takes vectors, and the
/// same work whatever the answers are.

#include <cstdint>
#include <span>

#include "freegap/grid.hpp"

namespace freegap::detail {

/// Floors whole numbers to ticks and clamps them. `ticks` must be as long as `answers`.
void floor_ticks(std::span<const std::int64_t> answers, const Grid& grid,
                 std::span<std::int64_t> ticks);
/// The same for whole numbers of half the size.
void floor_ticks(std::span<const std::int32_t> answers, const Grid& grid,
                 std::span<std::int64_t> ticks);
/// The same for finite reals.
void floor_ticks(std::span<const double> answers, const Grid& grid, std::span<std::int64_t> ticks);

/// One answer, floored to ticks by the instructions that put lists on the grid. They are the same
/// for every answer where the tick is a power of two: for constant work.
std::int64_t floor_ticks_in_vectors(const Answer& answer, const Grid& grid);

}  // namespace freegap::detail
