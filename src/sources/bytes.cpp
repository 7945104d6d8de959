#include "sources/bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "freegap/errors.hpp"

namespace freegap::sources {
namespace {

/// Throws for the error that the system has just reported.
[[noreturn]] void fail(const std::string& name, int error) {
  const std::string message = std::generic_category().message(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
      throw InvalidParameter(name, "it cannot be read: " + message);
    default:
      throw MachineFault("reading " + name + " failed: " + message);
  }
}

class File final : public Bytes {
 public:
  File(int descriptor, bool owned, std::string name)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override {
    if (owned_) {
      ::close(descriptor_);
    }
  }

  std::size_t read(std::span<char> room) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, room.data(), room.size());
      if (got >= 0) {
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) {
        fail(name_, errno);
      }
    }
  }

 private:
  int descriptor_;
  bool owned_;
  std::string name_;
};

class Memory final : public Bytes {
 public:
  Memory(std::string_view text, std::size_t at_once) : rest_(text), at_once_(at_once) {}

  std::size_t read(std::span<char> room) override {
    const std::size_t length = std::min({room.size(), rest_.size(), at_once_});
    std::memcpy(room.data(), rest_.data(), length);
    rest_.remove_prefix(length);
    return length;
  }

 private:
  std::string_view rest_;
  std::size_t at_once_;
};

}  // namespace

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::unique_ptr<Bytes> open_file(const std::string& path) {
  if (path == "-") {
    return std::make_unique<File>(STDIN_FILENO, false, shown_name(path));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fail(path, errno);
  }
  auto file = std::make_unique<File>(descriptor, true, path);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

std::unique_ptr<Bytes> in_memory(std::string_view text, std::size_t at_once) {
  return std::make_unique<Memory>(text, at_once);
}

}  // namespace freegap::sources
