#pragma once

/// @file
/// Numbers and texts as people read them: no more digits than make sense, nothing invisible.

#include <cstddef>
#include <string>

#include "freegap/rational.hpp"
#include "questions/json.hpp"

namespace freegap::report {

using namespace questions;  // NOLINT(google-build-using-namespace): reports are about its documents

/// A fraction as documents write it, however long. Throws InvalidParameter for other texts.
Rational written_fraction(const std::string& text);

/// A number for people: as many digits as its size makes sensible.
std::string shown(const Json& value);
/// An exact ε for people: the fraction, or a decimal close by where the fraction is long.
std::string shown_epsilon(const Json& value);
/// An exact δ for people: a decimal, with a sign where it is only close by.
std::string shown_delta(const Json& value);
/// How many characters a text has, not bytes.
std::size_t characters(const std::string& text);
/// A text cut to a number of characters (not bytes).
std::string cut(const std::string& text, std::size_t widest);

}  // namespace freegap::report
