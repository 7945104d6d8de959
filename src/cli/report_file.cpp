#include "cli/report_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/output.hpp"
#include "freegap/errors.hpp"
#include "report/page.hpp"

namespace freegap::cli {
namespace {

/// Refuses to replace what somebody else wrote: a file that is neither empty nor a page of freegap.
void check_replaced(const std::string& path) {
  std::error_code absent;  // what is not there is not replaced; what is no file cannot be
  if (!std::filesystem::is_regular_file(path, absent)) {
    return;
  }
  constexpr std::size_t enough = 1024;
  std::string beginning(enough, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  const bool empty = std::filesystem::file_size(path, absent) == 0;
  if (!empty && !begins_as_page(beginning)) {
    throw InvalidParameter("--report", path +
                                           " exists and is no report of freegap; name another "
                                           "file, or move that one away");
  }
}

}  // namespace

void check_report(const std::string& path, const std::vector<NamedFile>& used) {
  if (!path.ends_with(".html")) {
    throw InvalidParameter("--report", "the name must end in .html, for example report.html");
  }
  check_output("--report", path);
  for (const NamedFile& file : used) {
    std::error_code absent;  // a file that is not there is not overwritten
    if (std::filesystem::equivalent(path, file.path == "-" ? "/dev/stdin" : file.path, absent)) {
      throw InvalidParameter(
          "--report", fmt::format("{} is also the file of {}, which it would overwrite; name "
                                  "another file",
                                  path, file.option));
    }
  }
  check_replaced(path);
}

}  // namespace freegap::cli
