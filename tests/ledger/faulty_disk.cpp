#include "ledger/faulty_disk.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace freegap::testing::disk {
namespace {

/// Identifies a file or a folder independently of its name.
using Identity = std::pair<dev_t, ino_t>;

/// A change that was not synced yet, and how to undo it.
struct Unsynced {
  Identity what;  // the file, or the folder for a change of names
  std::function<void()> undo;
};

Plan plan;
bool armed = false;
int calls = 0;
std::vector<Unsynced> unsynced;

/// Calls the C library's function of that name.
template <typename Function, typename... Args>
auto call_real(const char* name, Args... args) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name))(args...);
}

ssize_t real_pwrite(int file, const void* bytes, std::size_t size, off64_t at) {
  return call_real<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64", file, bytes, size,
                                                                    at);
}
ssize_t real_pread(int file, void* bytes, std::size_t size, off64_t at) {
  return call_real<ssize_t(int, void*, std::size_t, off64_t)>("pread64", file, bytes, size, at);
}
int real_ftruncate(int file, off64_t size) {
  return call_real<int(int, off64_t)>("ftruncate64", file, size);
}
int real_unlink(const char* path) { return call_real<int(const char*)>("unlink", path); }

Identity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

Identity folder_of(const std::string& path) {
  struct stat status {};
  ::stat(path.substr(0, path.rfind('/')).c_str(), &status);
  return identity_of(status);
}

bool recording() {
  return armed && (plan.fault == Fault::cut_all || plan.fault == Fault::cut_some);
}

/// Records the bytes [at, at + size) of a file and its size, before they are changed.
void record_range(int file, off64_t at, std::size_t size) {
  struct stat status {};
  ::fstat(file, &status);
  std::string old(size, '\0');
  const ssize_t read = real_pread(file, old.data(), size, at);
  old.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  // Never closed: that would release the locks of this process.
  const int again = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  const auto undo = [again, at, size, old, old_size = status.st_size] {
    struct stat now {};
    ::fstat(again, &now);
    real_pwrite(again, old.data(), old.size(), at);
    if (now.st_size <= std::max(at + static_cast<off64_t>(size), old_size)) {
      real_ftruncate(again, old_size);
    } else if (old.size() < size) {  // a later change reached further and is kept
      const std::string hole(size - old.size(), '\0');
      real_pwrite(again, hole.data(), hole.size(), at + static_cast<off64_t>(old.size()));
    }
  };
  unsynced.push_back({identity_of(status), undo});
}

void synced(int file) {
  if (recording() && !plan.lying_disk) {
    struct stat status {};
    ::fstat(file, &status);
    std::erase_if(unsynced,
                  [&](const Unsynced& change) { return change.what == identity_of(status); });
  }
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

[[noreturn]] void cut_power() {
  armed = false;
  std::mt19937 coin(plan.seed);  // a fixed seed, so that a failure can be repeated
  std::reverse(unsynced.begin(), unsynced.end());
  for (const Unsynced& change : unsynced) {
    if (plan.fault == Fault::cut_all || coin() % 2 == 0) {
      change.undo();
    }
  }
  die();
}

/// Counts a call. Returns true, with errno set, if it is to fail. `torn` does half of the call.
bool fails(Calls kind, const std::function<void()>& torn = {}) {
  if (!armed || kind != plan.calls) {
    return false;
  }
  ++calls;
  if (calls < plan.at || (calls > plan.at && plan.fault != Fault::error_on)) {
    return false;
  }
  switch (plan.fault) {
    case Fault::none:
      return false;
    case Fault::error:
    case Fault::error_on:
      errno = plan.error;
      return true;
    case Fault::kill_torn:
      if (torn) {
        torn();
      }
      die();
    case Fault::kill:
      die();
    case Fault::cut_all:
    case Fault::cut_some:
      cut_power();
  }
  return false;
}

/// Does what is planned for the time after the fault, once, when a journal is looked for.
void do_afterwards(const char* path, int flags) {
  const bool by_the_ledger = (flags & O_NONBLOCK) != 0;  // SQLite opens it without
  if (armed && plan.afterwards && calls >= plan.at && by_the_ledger &&
      std::string_view(path).ends_with("-journal")) {
    armed = false;
    std::exchange(plan.afterwards, {})();
  }
}

/// Opens a file; making one is a call that counts.
int open_file(const char* path, int flags, mode_t mode) {
  do_afterwards(path, flags);
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
  const bool makes = (flags & O_CREAT) != 0 && ::access(path, F_OK) != 0;
  if ((makes || nameless) && fails(Calls::writing)) {
    return -1;
  }
  if (makes && recording()) {
    const std::string name = path;
    unsynced.push_back({folder_of(name), [=] { real_unlink(name.c_str()); }});
  }
  return call_real<int(const char*, int, ...)>("open64", path, flags, mode);
}

}  // namespace

void arm(const Plan& new_plan) {
  plan = new_plan;
  calls = 0;
  unsynced.clear();
  armed = true;
}

int disarm() {
  armed = false;
  return calls;
}

void end_of_work() {
  if (recording()) {
    cut_power();
  }
}

}  // namespace freegap::testing::disk

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
namespace d = freegap::testing::disk;

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  using Write = ssize_t(int, const void*, size_t);
  if (d::fails(d::Calls::writing, [&] { d::call_real<Write>("write", file, bytes, size / 2); })) {
    return -1;
  }
  if (d::recording()) {
    d::record_range(file, ::lseek(file, 0, SEEK_CUR), size);
  }
  return d::call_real<Write>("write", file, bytes, size);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  if (d::fails(d::Calls::writing, [&] { d::real_pwrite(file, bytes, size / 2, at); })) {
    return -1;
  }
  if (d::recording()) {
    d::record_range(file, at, size);
  }
  return d::real_pwrite(file, bytes, size, at);
}

ssize_t pread64(int file, void* bytes, size_t size, off64_t at) {
  return d::fails(d::Calls::reading) ? -1 : d::real_pread(file, bytes, size, at);
}

int ftruncate64(int file, off64_t size) noexcept {
  if (d::fails(d::Calls::writing)) {
    return -1;
  }
  if (d::recording()) {
    struct stat status {};
    ::fstat(file, &status);
    d::record_range(file, size, static_cast<size_t>(std::max<off64_t>(status.st_size - size, 0)));
  }
  return d::real_ftruncate(file, size);
}

int fsync(int file) {
  if (d::fails(d::Calls::writing)) {
    return -1;
  }
  d::synced(file);
  return d::armed ? 0 : d::call_real<int(int)>("fsync", file);
}

int fdatasync(int file) {
  if (d::fails(d::Calls::writing)) {
    return -1;
  }
  d::synced(file);
  return d::armed ? 0 : d::call_real<int(int)>("fdatasync", file);
}

int fchmod(int file, mode_t mode) noexcept {
  return d::fails(d::Calls::writing) ? -1 : d::call_real<int(int, mode_t)>("fchmod", file, mode);
}

int unlink(const char* path) noexcept {
  if (d::fails(d::Calls::writing)) {
    return -1;
  }
  if (d::recording()) {  // renamed instead, so that a power cut can bring the file back
    const std::string name = path;
    const std::string aside = name + ".removed";
    d::unsynced.push_back({d::folder_of(name), [=] { std::rename(aside.c_str(), name.c_str()); }});
    return std::rename(name.c_str(), aside.c_str());
  }
  return d::real_unlink(path);
}

int linkat(int, const char* from, int, const char* to, int flags) noexcept {
  if (d::fails(d::Calls::writing)) {
    return -1;
  }
  if (d::recording()) {
    const std::string name = to;
    d::unsynced.push_back({d::folder_of(name), [=] { d::real_unlink(name.c_str()); }});
  }
  return d::call_real<int(int, const char*, int, const char*, int)>("linkat", AT_FDCWD, from,
                                                                    AT_FDCWD, to, flags);
}

int posix_fallocate64(int file, off64_t at, off64_t size) {
  return d::fails(d::Calls::writing)
             ? errno
             : d::call_real<int(int, off64_t, off64_t)>("posix_fallocate64", file, at, size);
}

int posix_fallocate(int file, off_t at, off_t size) { return posix_fallocate64(file, at, size); }

int mkostemp64(char* pattern, int flags) {
  return d::fails(d::Calls::writing) ? -1
                                     : d::call_real<int(char*, int)>("mkostemp", pattern, flags);
}

int mkostemp(char* pattern, int flags) { return mkostemp64(pattern, flags); }

int open64(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const bool takes_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const auto mode = static_cast<mode_t>(takes_mode ? va_arg(arguments, int) : 0);
  va_end(arguments);
  return d::open_file(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const bool takes_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const auto mode = static_cast<mode_t>(takes_mode ? va_arg(arguments, int) : 0);
  va_end(arguments);
  return d::open_file(path, flags, mode);
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
