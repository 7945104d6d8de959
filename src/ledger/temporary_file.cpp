#include "ledger/temporary_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "ledger/path.hpp"

namespace freegap::ledger {

TemporaryFile open_temporary(const std::string& path) {
  const int nameless =
      ::open(folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (nameless >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return {nameless, {}};
  }
  std::string name = path + ".XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  return {named, named < 0 ? std::string() : std::move(name)};
}

}  // namespace freegap::ledger
