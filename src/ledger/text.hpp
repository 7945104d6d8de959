#pragma once

/// @file
/// What may be written into the books: labels, documents, and rational numbers as exact text.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "freegap/rational.hpp"

namespace freegap::ledger {

/// The longest name, unit, verb or person, in bytes.
inline constexpr std::size_t longest_label = 200;

/// Whether a text is well-formed UTF-8 without NUL, so that every reader of the file sees the same
/// bytes.
[[nodiscard]] bool is_document(std::string_view text);

/// Whether a text can stand in a line of a table: a document of 1 to 200 bytes without control
/// characters.
[[nodiscard]] bool is_label(std::string_view text);

/// The rational that `text` stands for, if it is written as Rational::str writes it: "3" or "7/10",
/// in lowest terms, nonnegative, of any length. One number has one text, so a changed text is a
/// changed number.
[[nodiscard]] std::optional<Rational> exact_number(std::string_view text);

/// A number for a message: exact if it is short, else its size.
[[nodiscard]] std::string shown(const Rational& number);

/// A text in quotation marks, for a message.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace freegap::ledger
