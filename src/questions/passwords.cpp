#include "questions/passwords.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace freegap::questions {
namespace {

constexpr std::string_view left_out = "***";
constexpr std::string_view blanks = " \t\n\v\f\r";

/// A text between quotation marks or dollar signs.
struct Literal {
  std::size_t begin;  ///< of what it holds
  std::size_t end;    ///< of what it holds
  std::size_t after;  ///< where SQL goes on
};

/// A character that is the same in every locale.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hexadecimal(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }

bool is_name_character(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t skip(std::string_view text, std::string_view which, std::size_t from) {
  return std::min(text.find_first_not_of(which, from), text.size());
}

/// Finds the literals of SQL as PostgreSQL and DuckDB write them: 'it''s', E'it\'s', "name",
/// $tag$it's$tag$. Comments have none.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Literal> literals() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        skip_comment();
      } else if (text_[at_] == '\'' || text_[at_] == '"') {
        take_quoted();
      } else if (const std::size_t length = dollars(); length > 0) {
        take_between_dollars(text_.substr(at_, length));
      } else {
        ++at_;
      }
    }
    return std::move(found_);
  }

 private:
  /// Comments may stand in comments.
  void skip_comment() {
    std::size_t depth = 0;
    do {
      if (text_.substr(at_).starts_with("/*")) {
        ++depth;
        at_ += 2;
      } else if (text_.substr(at_).starts_with("*/")) {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0 && at_ < text_.size());
  }

  void take_quoted() {
    const char quote = text_[at_];
    const bool escapes = quote == '\'' && at_ > 0 && lower(text_[at_ - 1]) == 'e' &&
                         (at_ == 1 || !is_name_character(text_[at_ - 2]));
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (end < text_.size()) {
      const bool doubled = text_[end] == quote && end + 1 < text_.size() && text_[end + 1] == quote;
      if (doubled || (escapes && text_[end] == '\\')) {
        end += 2;
      } else if (text_[end] != quote) {
        ++end;
      } else {
        break;
      }
    }
    add(begin, end, 1);
  }

  /// The length of $$ or $tag$, or 0.
  [[nodiscard]] std::size_t dollars() const {
    if (text_[at_] != '$' || (at_ > 0 && is_name_character(text_[at_ - 1]))) {
      return 0;
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_name_character(text_[end])) {
      ++end;
    }
    const bool is_tag = end < text_.size() && text_[end] == '$' && !is_digit(text_[at_ + 1]);
    return is_tag ? end + 1 - at_ : 0;
  }

  void take_between_dollars(std::string_view tag) {
    const std::size_t begin = at_ + tag.size();
    add(begin, text_.find(tag, begin), tag.size());
  }

  void add(std::size_t begin, std::size_t end, std::size_t delimiter) {
    end = std::min(end, text_.size());
    at_ = std::min(end + delimiter, text_.size());
    found_.push_back({begin, end, at_});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Literal> found_;
};

class Redaction {
 public:
  explicit Redaction(std::string_view text) : text_(text), literals_(Lexer(text).literals()) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (!leave_out_value() && !leave_out_credentials()) {
        result_ += text_[at_++];
      }
    }
    return std::move(result_);
  }

 private:
  /// `password = …`
  bool leave_out_value() {
    const std::optional<std::size_t> equals = equals_of_password();
    if (!equals) {
      return false;
    }
    const std::size_t value = skip(text_, blanks, *equals + 1);
    const std::size_t end = end_around(*equals);
    leave_out(value, goes_on(value, end) ? text_.size() : end);
    return true;
  }

  /// `//user:…@`
  bool leave_out_credentials() {
    if (!text_.substr(at_).starts_with("//")) {
      return false;
    }
    const std::size_t colon = text_.find_first_of(":/", at_ + 2);
    std::size_t end = end_around(at_);
    if (colon >= end || text_[colon] == '/' || colon < without_at_) {
      return false;
    }
    if (colon + 1 == end) {
      end = text_.size();
    }
    const std::size_t length = text_.substr(colon, end - colon).rfind('@');
    if (length == std::string_view::npos) {
      without_at_ = end;
      return false;
    }
    leave_out(colon + 1, goes_on(colon + 1, colon + length) ? text_.size() : colon + length);
    return true;
  }

  /// Where `password =` stands here: the equals sign.
  [[nodiscard]] std::optional<std::size_t> equals_of_password() const {
    constexpr std::array<std::string_view, 3> words{"password", "passwd", "pwd"};
    for (const std::string_view word : words) {
      const std::string_view here = text_.substr(at_, word.size());
      if (std::equal(here.begin(), here.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == b; })) {
        std::size_t next = skip(text_, "'\"`]", at_ + word.size());
        next = skip(text_, blanks, next);
        next += text_.substr(next).starts_with(':') ? 1U : 0U;
        if (text_.substr(next).starts_with('=')) {
          return next;
        }
      }
    }
    return std::nullopt;
  }

  /// The end of the literal around a position. The end of the text where there is none, or where
  /// SQL does not go on as it does after an argument: then other text may be appended to it, or
  /// the literal was not recognised.
  [[nodiscard]] std::size_t end_around(std::size_t position) const {
    const auto next =
        std::upper_bound(literals_.begin(), literals_.end(), position,
                         [](std::size_t at, const Literal& literal) { return at < literal.begin; });
    if (next == literals_.begin() || position >= std::prev(next)->end) {
      return text_.size();
    }
    const Literal& literal = *std::prev(next);
    const std::size_t after = skip(text_, blanks, literal.after);
    const bool is_argument = after == text_.size() ||
                             std::string_view(",);").find(text_[after]) != std::string_view::npos;
    return is_argument && text_[literal.end - 1] != '\\' ? literal.end : text_.size();
  }

  /// Whether the password may stand elsewhere: there is nothing here, or a place to fill in, as %s
  /// and {}. (%40 is a character of a URL.)
  [[nodiscard]] bool goes_on(std::size_t begin, std::size_t end) const {
    const std::string_view value = text_.substr(begin, end - begin);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool is_encoded =
          i + 2 < value.size() && is_hexadecimal(value[i + 1]) && is_hexadecimal(value[i + 2]);
      if (value[i] == '{' || (value[i] == '%' && !is_encoded)) {
        return true;
      }
    }
    return value.empty();
  }

  void leave_out(std::size_t begin, std::size_t end) {
    result_ += text_.substr(at_, begin - at_);
    result_ += left_out;
    at_ = end;
  }

  std::string_view text_;
  std::vector<Literal> literals_;
  std::size_t at_ = 0;
  std::size_t without_at_ = 0;  ///< up to here no `@` follows, so that none is looked for again
  std::string result_;
};

}  // namespace

std::string without_passwords(std::string_view text) { return Redaction(text).run(); }

}  // namespace freegap::questions
