#pragma once

/// @file
/// The texts that a ledger stores: labels, documents, and rational numbers as exact text.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "freegap/rational.hpp"

namespace freegap::ledger {

/// The longest name, unit, verb or user, in bytes.
inline constexpr std::size_t longest_label = 200;

/// Whether a text is well-formed UTF-8 without NUL. Then every reader of the file sees the same
/// bytes.
[[nodiscard]] bool is_document(std::string_view text);

/// Whether a text fits in one line of a table: a document of 1 to 200 bytes without control
/// characters.
[[nodiscard]] bool is_label(std::string_view text);

/// The rational number that `text` represents, if it is written as Rational::str writes it: "3" or
/// "7/10", in lowest terms, nonnegative, of any length. Each number has one text, so a changed text
/// means a changed number.
[[nodiscard]] std::optional<Rational> exact_number(std::string_view text);

/// A number for a message: exact if it is short, otherwise approximate.
[[nodiscard]] std::string shown(const Rational& number);

/// A text in quotation marks, for a message.
[[nodiscard]] std::string quoted(const std::string& text);

/// The message about a ledger that is not as this program left it: what is wrong, and which
/// documentation to read.
[[nodiscard]] std::string damaged(const std::string& name, const std::string& what);

}  // namespace freegap::ledger
