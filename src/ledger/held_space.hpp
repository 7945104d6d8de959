#pragma once

/// @file
/// Disk space that is set aside before a budget is charged, so that the release can be stored.

#include <cstdint>
#include <string>

namespace freegap::ledger {

/// Space on the disk of a ledger, held by a file without a name: it is free again when this object
/// or the process ends.
class HeldSpace {
 public:
  /// For a ledger at `path`. Nothing is held yet.
  explicit HeldSpace(std::string path);
  ~HeldSpace();
  HeldSpace(HeldSpace&& other) noexcept;
  HeldSpace& operator=(HeldSpace&&) = delete;
  HeldSpace(const HeldSpace&) = delete;
  HeldSpace& operator=(const HeldSpace&) = delete;

  /// Holds at least the space that a release of so many bytes takes. Throws MachineFault if the
  /// disk does not have it, or if the file would exceed the limit of the process.
  void hold(std::uint64_t release_bytes);

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t held_ = 0;
};

}  // namespace freegap::ledger
