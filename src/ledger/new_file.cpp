#include "ledger/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/ledger.hpp"
#include "ledger/path.hpp"
#include "ledger/temporary_file.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

[[noreturn]] void fault(const std::string& path, const char* action) {
  throw MachineFault("ledger " + quoted(path) + ": cannot " + action + ": " +
                     std::generic_category().message(errno));
}

/// A file descriptor, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  /// Leaves the file open until the process ends.
  void keep() { number_ = -1; }

 private:
  int number_;
};

/// A new file beside `path` that does not have that name yet.
class Draft {
 public:
  explicit Draft(const std::string& path) : path_(path), file_(open()) {
    if (file_.number() >= 0) {
      return;
    }
    if (errno == ENOENT || errno == ENOTDIR) {
      throw Refused("there is no folder " + quoted(folder_of(path)) + " to make a ledger in");
    }
    fault(path, "make a file in its folder");
  }
  ~Draft() {
    if (!name_.empty()) {
      ::unlink(name_.c_str());
    }
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        fault(path_, "write");
      }
      bytes.remove_prefix(static_cast<std::size_t>(written < 0 ? 0 : written));
    }
    if (::fchmod(file_.number(), S_IRUSR | S_IWUSR) != 0) {
      fault(path_, "set its mode");
    }
    if (::fsync(file_.number()) != 0) {
      fault(path_, "write");
    }
  }

  /// Gives the file the name `path`. False if that name is taken. The descriptor stays open:
  /// closing it would release the locks of another thread that has opened the ledger by then.
  bool name() {
    const std::string draft =
        name_.empty() ? "/proc/self/fd/" + std::to_string(file_.number()) : name_;
    if (::linkat(AT_FDCWD, draft.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      file_.keep();
      return true;
    }
    if (errno != EEXIST) {
      fault(path_, "give the file its name");
    }
    return false;
  }

 private:
  int open() {
    TemporaryFile file = open_temporary(path_);
    name_ = std::move(file.name);
    return file.descriptor;
  }

  std::string path_;
  std::string name_;
  Descriptor file_;
};

void sync_folder(const std::string& path) {
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || ::fsync(folder.number()) != 0) {
    fault(path, "write its folder");
  }
}

}  // namespace

bool make_file(const std::string& path, std::string_view bytes) {
  {
    Draft draft(path);
    draft.write(bytes);
    if (!draft.name()) {
      return false;
    }
  }
  try {
    sync_folder(path);
  } catch (const MachineFault& problem) {  // another process may have opened the file by now
    throw CommitFault(problem.what(), CommitFault::Fate::written);
  }
  return true;
}

}  // namespace freegap::ledger
