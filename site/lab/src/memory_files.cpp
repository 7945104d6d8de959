// Streams of bytes in a page: in place of src/sources/bytes.cpp. A file is a text that the page
// handed over; nothing else can be opened.

#include "memory_files.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "freegap/errors.hpp"
#include "sources/bytes.hpp"

namespace freegap::lab {
namespace {

std::map<std::string, std::string>& files() {
  static std::map<std::string, std::string> kept;
  return kept;
}

}  // namespace

void keep_file(const std::string& name, std::string text) { files()[name] = std::move(text); }

}  // namespace freegap::lab

namespace freegap::sources {
namespace {

class Memory final : public Bytes {
 public:
  explicit Memory(std::string_view text) : rest_(text) {}

  std::size_t read(std::span<char> room) override {
    const std::size_t length = std::min(room.size(), rest_.size());
    std::memcpy(room.data(), rest_.data(), length);
    rest_.remove_prefix(length);
    return length;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::string shown_name(const std::string& path) { return path; }

std::unique_ptr<Bytes> open_file(const std::string& path) {
  const auto found = lab::files().find(path);
  if (found == lab::files().end()) {
    throw InvalidParameter(path, "there is no such file in the page");
  }
  return std::make_unique<Memory>(found->second);
}

}  // namespace freegap::sources
