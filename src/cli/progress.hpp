#pragma once

/// @file
/// Progress of long work, on a terminal only.

#include <cstddef>
#include <iosfwd>
#include <string>

namespace freegap::cli {

/// A line that is written over and over, and wiped at the end. Where there is no terminal, nothing.
class Progress {
 public:
  /// Writes to `err` if `terminal`.
  Progress(std::ostream& err, bool terminal) : err_(err), terminal_(terminal) {}
  /// Wipes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A new piece of work.
  void start(const std::string& name);
  /// How far it is.
  void show(std::size_t done, std::size_t all);

 private:
  std::ostream& err_;
  bool terminal_;
  std::string name_;
};

}  // namespace freegap::cli
