#pragma once

/// @file
/// Splits a line of a table into fields: RFC 4180, except that a record never continues on the next
/// line.

#include <string>
#include <string_view>
#include <vector>

namespace freegap::sources {

/// Splits lines at separators that are not quoted.
class Fields {
 public:
  explicit Fields(char separator) : separator_(separator) {}

  /// Splits a line. Returns the problem with its quotes, in words; null if there is none.
  const char* cut(std::string_view line);
  /// The fields of the last line, without their quotes. They are views of that line, or of this
  /// object.
  [[nodiscard]] const std::vector<std::string_view>& get() const { return fields_; }
  /// Whether a line is to be ignored: it has nothing but blanks, none of them a separator.
  [[nodiscard]] bool blank(std::string_view line) const;

 private:
  /// Removes a quoted field, with its quotes, from the front of `rest`.
  const char* take_quoted(std::string_view& rest);

  char separator_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // fields with doubled quotes, unescaped
};

}  // namespace freegap::sources
