#pragma once

/// @file
/// Exact numbers from Python and back. No number passes through a binary fraction that Python would
/// print otherwise.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "freegap/rational.hpp"

namespace freegap::python {

/// A str as UTF-8. Throws TypeError if it is not a str, ValueError for lone surrogates.
std::string utf8(nanobind::handle text, const char* name);

/// The text of a number: a str as it is, an int, a Fraction as n/d, a Decimal as it prints, a float
/// as the shortest decimal that is read back as the same float. Throws TypeError for all else,
/// bool included.
std::string text_of(nanobind::handle number, const char* name);

/// The same as a number. Throws ValueError where the text is no number.
Rational exact(nanobind::handle number, const char* name);

/// What an object that stands for an int stands for. Throws TypeError for what only seems to, such
/// as an array of several numbers, and whatever its own conversion raises.
nanobind::object index_of(nanobind::handle number, const char* name);

/// The digits of such an object. Throws ValueError where Python writes no number as long as that.
std::string digits(nanobind::handle number, const char* name);

/// A whole number from `least` to `most`. Throws TypeError for what is no int, ValueError beyond.
std::uint64_t whole(nanobind::handle number, const char* name, std::uint64_t least,
                    std::uint64_t most);

/// fractions.Fraction of an exact number.
nanobind::object fraction(const Rational& value);

}  // namespace freegap::python
