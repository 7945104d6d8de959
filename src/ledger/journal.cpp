#include "ledger/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>

#include "ledger/big_endian.hpp"

namespace freegap::ledger {
namespace {

constexpr std::array<unsigned char, 8> magic{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr std::size_t header_bytes = 28;
constexpr std::int64_t counter_at = 24;  // in the first page of the file

/// Reads 4 bytes. Nothing beyond the end of the file.
std::optional<std::uint32_t> read_number(int file, std::int64_t at) {
  std::array<unsigned char, 4> bytes{};
  if (::pread(file, bytes.data(), bytes.size(), at) != static_cast<ssize_t>(bytes.size())) {
    return std::nullopt;
  }
  return big_endian(bytes);
}

/// The change counter in the copy of the first page, among the records of the journal.
std::optional<std::uint32_t> old_counter(int file, std::span<const unsigned char> header,
                                         std::uint32_t records) {
  const std::int64_t sector = big_endian(header, 20);
  const std::int64_t page = big_endian(header, 24);
  std::int64_t at = sector;
  for (std::uint32_t i = 0; i < records; ++i, at += page + 8) {  // number, page, checksum
    const std::optional<std::uint32_t> number = read_number(file, at);
    if (!number) {
      return std::nullopt;
    }
    if (*number == 1) {
      return read_number(file, at + 4 + counter_at);
    }
  }
  return std::nullopt;
}

std::optional<Journal> read(int file) {
  struct stat status {};
  std::array<unsigned char, header_bytes> header{};
  if (::fstat(file, &status) != 0 ||
      ::pread(file, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()) ||
      std::memcmp(header.data(), magic.data(), magic.size()) != 0) {
    return std::nullopt;
  }
  Journal journal;
  journal.inode = status.st_ino;
  journal.records = big_endian(header, 8);
  journal.pages = big_endian(header, 16);
  journal.counter = old_counter(file, header, journal.records);
  return journal;
}

}  // namespace

std::optional<Journal> read_journal(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return std::nullopt;
  }
  std::optional<Journal> journal = read(file);
  ::close(file);
  return journal;
}

bool can_belong(const Journal& journal, std::uint32_t counter, std::int64_t pages) {
  if (journal.records == 0) {  // nothing of the file was changed yet
    return journal.pages == pages;
  }
  return !journal.counter || *journal.counter == counter || *journal.counter + 1 == counter;
}

}  // namespace freegap::ledger
