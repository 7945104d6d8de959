#pragma once

/// @file
/// Numbers as they are written. Decimal or scientific notation alone, whatever the locale.

#include <cstdint>
#include <optional>
#include <string_view>

namespace freegap::sources {

/// A whole number: a sign or none, digits, and perhaps a point with zeros behind it ("3.0"). Beyond
/// 64 bits it is clamped, which is nondecreasing and moves no two numbers apart: differences, and
/// so sensitivities, do not grow. Nothing if the text is not one.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// The largest double that is not above the number written ("-1.5", "2e-3"); beyond the doubles,
/// the outermost finite one. Nothing if the text is not a number.
///
/// Answers are floored to ticks. Where multiples of the tick are doubles, the floor of the double
/// below a number is the floor of the number itself; the nearest double may lie on the other side
/// of a multiple, and the two ends of a difference would be moved apart by a tick.
std::optional<double> parse_real(std::string_view text);

/// An id as it is always written: no plus sign, no leading zeros ("007" is none). Nothing if the
/// text is not one.
std::optional<std::int64_t> parse_id(std::string_view text);

/// The largest double that is not above a whole number.
double floor_to_double(std::int64_t whole);
/// A finite double as a whole number, clamped; nothing if it has a fraction.
std::optional<std::int64_t> exactly_whole(double real);
/// The largest multiple of 2^step that is not above a finite number, clamped to ±2^(step+53), which
/// keeps it a double.
double floor_to_step(double real, int step);

}  // namespace freegap::sources
