#include "sources/fields.hpp"

#include <algorithm>

#include "sources/text.hpp"

namespace freegap::sources {

const char* Fields::cut(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());  // so that views of it stay good
  for (std::string_view rest = line;;) {
    if (rest.starts_with('"')) {
      if (const char* problem = take_quoted(rest)) {
        return problem;
      }
    } else {
      const std::size_t length = std::min(rest.find(separator_), rest.size());
      const std::string_view field = rest.substr(0, length);
      if (field.find('"') != std::string_view::npos) {
        return "it has a quote in the middle of a field";
      }
      fields_.push_back(field);
      rest.remove_prefix(length);
    }
    if (rest.empty()) {
      return nullptr;
    }
    rest.remove_prefix(1);  // the separator
  }
}

const char* Fields::take_quoted(std::string_view& rest) {
  rest.remove_prefix(1);
  const std::size_t first = unquoted_.size();
  bool doubled = false;
  std::string_view field;
  for (std::string_view unread = rest;;) {
    const std::size_t quote = unread.find('"');
    if (quote == std::string_view::npos) {
      return "it has a quote that is not closed on its line";
    }
    const bool ends = quote + 1 == unread.size() || unread[quote + 1] != '"';
    if (ends && !doubled) {
      field = unread.substr(0, quote);
    } else {
      unquoted_ += unread.substr(0, ends ? quote : quote + 1);
      field = std::string_view(unquoted_).substr(first);
    }
    unread.remove_prefix(quote + 1);
    if (ends) {
      rest = unread;
      break;
    }
    doubled = true;
    unread.remove_prefix(1);
  }
  if (!rest.empty() && rest.front() != separator_) {
    return "it has something between a closing quote and the end of its field";
  }
  fields_.push_back(field);
  return nullptr;
}

bool Fields::blank(std::string_view line) const {
  return std::all_of(line.begin(), line.end(),
                     [this](char c) { return is_blank(c) && c != separator_; });
}

}  // namespace freegap::sources
