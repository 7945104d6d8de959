#include "questions/missing.hpp"

#include "freegap/errors.hpp"

namespace freegap::questions {
namespace {

constexpr const char* which_items =
    "which items can win? A list taken from the data would itself reveal who is in it.\n"
    "  Say --candidates FILE (a public list), --universe LO..HI (all integer ids in a range), or\n"
    "  --items-are-public if which items occur is no secret. Where nobody can list them, `top` "
    "takes\n"
    "  --unknown-items with --delta and --max-items.";

constexpr const char* nothing_spent = "Nothing was spent.";

Missing from(const InvalidParameter& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(": ");
  return {text.substr(0, colon), text.substr(colon + 2) + "."};
}

/// What the numbers of a table are, where they are not declared.
std::vector<Missing> about_numbers(const sources::Input& input,
                                   const sources::Declaration& declared) {
  try {
    sources::check_numbers(input, declared);
  } catch (const InvalidParameter& error) {
    return {from(error)};
  }
  return {};
}

}  // namespace

std::optional<Missing> missing_candidates(const CandidateOptions& options) {
  const bool declared = options.universe || !options.list.empty() || options.items_are_public ||
                        options.unknown_items;
  return declared ? std::nullopt : std::optional(Missing{"candidates", which_items});
}

std::vector<Missing> missing_about(const sources::Input& input,
                                   const sources::Declaration& declared) {
  std::vector<Missing> missing;
  try {
    if (declared.secret) {
      // What lacks its columns may be no table at all; then it is too early for other questions.
      sources::check_columns(input, declared);
      missing = about_numbers(input, declared);
    }
    if (const std::optional<std::string> unit = sources::missing_unit(input, declared)) {
      missing.push_back({"--unit", *unit});
    }
  } catch (const InvalidParameter& error) {
    return {from(error)};
  }
  return missing;
}

void require_all(const std::vector<Missing>& missing) {
  if (missing.empty()) {
    return;
  }
  if (missing.size() == 1) {
    throw InvalidParameter(missing[0].argument, missing[0].text + " " + nothing_spent);
  }
  std::string text = "some things only you can say. ";
  text += nothing_spent;
  for (const Missing& one : missing) {
    text += "\n- " + one.argument + ": " + one.text;
  }
  throw InvalidParameter("declarations", text);
}

}  // namespace freegap::questions
