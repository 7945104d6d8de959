#pragma once

/// @file
/// The file that `--report` names.

#include <string>
#include <vector>

namespace freegap::cli {

/// A file that a call reads or writes besides its report, with the option that names it.
struct NamedFile {
  std::string option;  ///< "--ledger", for example
  std::string path;    ///< as given
};

/// Refuses a name that does not end in .html (so that no data is overwritten by mistake), a place
/// where no file can be written, a file that the call itself uses, and a file that exists and is
/// neither empty nor a page that freegap wrote. Throws InvalidParameter.
void check_report(const std::string& path, const std::vector<NamedFile>& used);

}  // namespace freegap::cli
