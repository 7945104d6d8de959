#include "ledger/path.hpp"

#include <climits>
#include <filesystem>
#include <regex>
#include <string_view>
#include <system_error>

#include "ledger/ledger.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

namespace fs = std::filesystem;

/// What SQLite adds to the name of a file for its journal.
constexpr std::string_view journal_suffix = "-journal";
/// What SQLite adds to the name of a file for its write-ahead log.
constexpr std::string_view log_suffix = "-wal";
/// The longest path that SQLite opens.
constexpr std::size_t longest_path = 512;

/// Whether a name may be the address of a database rather than a file: a URL, also one that lost a
/// slash, the keywords of libpq, or what begins as a URL of PostgreSQL does.
bool may_be_address(const std::string& name) {
  static const std::regex address(
      R"(://|(password|passwd|pwd)\s*=|^\s*postgres[\w+.-]*:|\w:/+[^/:@]*:[^@]*@)",
      std::regex::icase);
  return std::regex_search(name, address);
}

}  // namespace

void check_path(const std::string& path) {
  if (path.empty()) {
    throw Refused("the name of the ledger is empty; name a file");
  }
  if (path.find('\0') != std::string::npos) {
    throw Refused("the path of a ledger cannot have a NUL in it");
  }
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  if (whole.filename().string().size() + journal_suffix.size() > NAME_MAX ||
      whole.string().size() + journal_suffix.size() >= longest_path) {
    throw Refused("the name of the ledger is too long: a name may have " +
                  std::to_string(NAME_MAX - journal_suffix.size()) + " bytes, and a path " +
                  std::to_string(longest_path - journal_suffix.size() - 1) +
                  ", since a journal lies beside it while it is written");
  }
  if (may_be_address(path)) {
    throw Refused(  // without repeating it: it may have a password
        "the name of the ledger is neither a file nor a URL that begins with postgresql://; "
        "nothing was spent");
  }
  if (fs::is_symlink(fs::symlink_status(path, ignored)) && !fs::exists(path, ignored)) {
    throw Refused(quoted(path) + " is a link to " +
                  quoted(fs::read_symlink(path, ignored).string()) +
                  ", where there is no file; remove the link, or name the file itself");
  }
}

std::optional<std::string> stray_companion(const std::string& path) {
  for (const std::string_view suffix : {journal_suffix, log_suffix}) {
    std::string companion = path + std::string(suffix);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(companion, ignored))) {
      return companion;
    }
  }
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace freegap::ledger
