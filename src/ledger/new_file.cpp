#include "ledger/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/ledger.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

[[noreturn]] void fault(const std::string& path, const char* action) {
  throw MachineFault("ledger " + quoted(path) + ": cannot " + action + ": " +
                     std::generic_category().message(errno));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A file descriptor, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  int close() {
    const int number = std::exchange(number_, -1);
    return number < 0 ? 0 : ::close(number);
  }

 private:
  int number_;
};

/// A temporary file next to `path`, under a name that no one else uses. The destructor removes it
/// unless it was renamed to `path`.
class Draft {
 public:
  explicit Draft(const std::string& path) : path_(path), draft_(path + ".XXXXXX") {
    file_.emplace(::mkostemp(draft_.data(), O_CLOEXEC));
    if (file_->number() >= 0) {
      return;
    }
    if (errno == ENOENT || errno == ENOTDIR) {
      throw Refused("there is no folder " + quoted(folder_of(path)) + " to make a ledger in");
    }
    fault(path, "make a file in its folder");
  }
  ~Draft() {
    if (!named_) {
      ::unlink(draft_.c_str());
    }
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_->number(), bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        fault(path_, "write");
      }
      bytes.remove_prefix(static_cast<std::size_t>(written < 0 ? 0 : written));
    }
    if (::fchmod(file_->number(), S_IRUSR | S_IWUSR) != 0) {
      fault(path_, "set its mode");
    }
    if (::fsync(file_->number()) != 0 || file_->close() != 0) {
      fault(path_, "write");
    }
  }

  /// Renames the file to `path`. False if that name is taken. The descriptor was closed before:
  /// closing it later would release the locks of another thread that has opened the ledger by then.
  bool name() {
    if (::renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) {
      named_ = true;
    } else if (errno == EINVAL || errno == ENOSYS) {  // the file system lacks RENAME_NOREPLACE
      if (::link(draft_.c_str(), path_.c_str()) == 0) {
        return true;  // the destructor removes the temporary name
      }
    }
    if (!named_ && errno != EEXIST) {
      fault(path_, "give the file its name");
    }
    return named_;
  }

 private:
  std::string path_;
  std::string draft_;
  std::optional<Descriptor> file_;
  bool named_ = false;
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
  sync_folder(path);
  return true;
}

}  // namespace freegap::ledger
