#include "ledger/held_space.hpp"

#include <fcntl.h>  // posix_fallocate
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/temporary_file.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

/// For the journal, a checkpoint and the pages of the tree.
constexpr std::uint64_t besides_the_release = std::uint64_t{1} << 18U;

[[noreturn]] void fault(const std::string& path, std::uint64_t bytes, int error) {
  throw MachineFault("ledger " + quoted(path) + ": there is no room for a release of up to " +
                     std::to_string(bytes) + " bytes on its disk (" +
                     std::generic_category().message(error) + ")");
}

/// A file on the disk of the ledger itself, not on that of a link to it.
int nameless_file(const std::string& path) {
  const TemporaryFile file = open_temporary(std::filesystem::weakly_canonical(path).string());
  if (!file.name.empty()) {
    ::unlink(file.name.c_str());
  }
  return file.descriptor;
}

/// Returns 0, or the error. A signal does not end it.
int allocate(int file, std::uint64_t bytes) {
  int error = EINTR;
  while (error == EINTR) {
    error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  }
  return error;
}

/// The size of the ledger; 0 if it cannot be told.
std::uint64_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

HeldSpace::HeldSpace(std::string path) : path_(std::move(path)) {}

HeldSpace::HeldSpace(HeldSpace&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), held_(other.held_) {}

HeldSpace::~HeldSpace() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

void HeldSpace::hold(std::uint64_t release_bytes) {
  const std::uint64_t wanted = release_bytes + release_bytes / 256 + besides_the_release;
  if (wanted <= held_) {
    return;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      size_of(path_) + wanted > limit.rlim_cur) {
    fault(path_, release_bytes, EFBIG);
  }
  if (file_ < 0 && (file_ = nameless_file(path_)) < 0) {
    fault(path_, release_bytes, errno);
  }
  if (const int error = allocate(file_, wanted); error != 0) {
    fault(path_, release_bytes, error);
  }
  held_ = wanted;
}

}  // namespace freegap::ledger
