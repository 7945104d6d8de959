#pragma once

/// @file
/// A line of a table, cut into fields: RFC 4180, except that a record never goes on in the next
/// line.

#include <string>
#include <string_view>
#include <vector>

namespace freegap::sources {

/// Cuts lines at a separator that is not quoted.
class Fields {
 public:
  explicit Fields(char separator) : separator_(separator) {}

  /// Cuts a line. What is wrong with its quotes, in words; null if nothing is.
  const char* cut(std::string_view line);
  /// The fields of the line that was cut last, without their quotes. Views of that line, or of this
  /// object.
  [[nodiscard]] const std::vector<std::string_view>& get() const { return fields_; }
  /// Whether a line is to be passed over: it has nothing but blanks, none of them a separator.
  [[nodiscard]] bool blank(std::string_view line) const;

 private:
  /// Takes a quoted field off the front of `rest`, with its quotes.
  const char* take_quoted(std::string_view& rest);

  char separator_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // fields with doubled quotes, mended
};

}  // namespace freegap::sources
