#include "experiments/figure.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace freegap::experiments {
namespace {

template <class... Format>
std::string formatted(double value, Format... format) {
  if (!std::isfinite(value)) {
    return {};
  }
  std::array<char, 400> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), value, format...).ptr;
  return {text.data(), end};
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) {
    return cell;
  }
  std::string result(1, '"');
  for (const char c : cell) {
    result.append(c == '"' ? 2 : 1, c);
  }
  result.push_back('"');
  return result;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += quoted(cell);
    line.push_back(',');
  }
  line.back() = '\n';
  return line;
}

}  // namespace

std::string shown(double value) { return formatted(value, std::chars_format::general, 6); }

std::string fixed(double value, int decimals) {
  return formatted(value, std::chars_format::fixed, decimals);
}

std::string Table::csv() const {
  std::string text = csv_line(columns);
  for (const std::vector<std::string>& row : rows) {
    text += csv_line(row);
  }
  return text;
}

}  // namespace freegap::experiments
