#include "ledger/text.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace freegap::ledger {
namespace {

/// Removes one code point of several bytes from the front of `rest`. Nothing if it is not
/// well-formed UTF-8.
std::optional<std::uint32_t> take_code_point(std::string_view& rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || rest.size() < length) {
    return std::nullopt;
  }
  std::uint32_t code_point = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return std::nullopt;
    }
    code_point = code_point << 6U | (byte(i) & 0x3fU);
  }
  rest.remove_prefix(length);
  const bool overlong =
      (length == 3 && code_point < 0x800) || (length == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (overlong || surrogate || code_point > 0x10ffff) {
    return std::nullopt;
  }
  return code_point;
}

template <typename Allowed>
bool all_code_points(std::string_view rest, Allowed allowed) {
  while (!rest.empty()) {
    if (const auto byte = static_cast<unsigned char>(rest.front()); byte < 0x80) {
      if (!allowed(byte)) {
        return false;
      }
      rest.remove_prefix(1);
      continue;
    }
    const std::optional<std::uint32_t> code_point = take_code_point(rest);
    if (!code_point || !allowed(*code_point)) {
      return false;
    }
  }
  return true;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_document(std::string_view text) {
  return all_code_points(text, [](std::uint32_t c) { return c != 0; });
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= longest_label &&
         all_code_points(text, [](std::uint32_t c) { return c >= 0x20 && (c < 0x7f || c > 0x9f); });
}

std::optional<Rational> exact_number(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool whole = slash == std::string_view::npos;
  if (!all_digits(text.substr(0, slash)) || (!whole && !all_digits(text.substr(slash + 1)))) {
    return std::nullopt;
  }
  const mpz_class numerator(std::string(text.substr(0, slash)), 10);
  const mpz_class denominator(whole ? "1" : std::string(text.substr(slash + 1)), 10);
  if (denominator == 0) {
    return std::nullopt;
  }
  Rational number(mpq_class(numerator, denominator));
  return number.str() == text ? std::optional(number) : std::nullopt;
}

std::string shown(const Rational& number) {
  constexpr std::size_t short_enough = 40;
  std::string text = number.str();
  if (text.size() <= short_enough) {
    return text;
  }
  std::ostringstream about;  // six digits; of a small delta, not its zeros
  about << "about " << number.shown();
  return about.str();
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string damaged(const std::string& name, const std::string& what) {
  return "ledger " + quoted(name) + " is damaged or was changed by another program: " + what +
         "; nothing more was spent. Keep it as it is, release nothing, and read \"When a ledger is "
         "refused\" in docs/ledger.md";
}

}  // namespace freegap::ledger
