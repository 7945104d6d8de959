#pragma once

/// @file
/// Another program that is started, and whose standard output is read.

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sources/bytes.hpp"

namespace freegap::sources {

/// How a program ended.
struct Ending {
  bool exited = false;  ///< by itself; false if a signal ended it
  int status = 0;       ///< its exit status
  std::string message;  ///< what it wrote to standard error, up to 4096 bytes
};

/// A running program. Its standard input is empty. It is ended when this object goes away.
class Child final : public Bytes {
 public:
  /// Starts `command`, whose first word is looked for on PATH. Throws InvalidParameter under the
  /// name `argument` if there is no such program.
  Child(const std::vector<std::string>& command, const std::string& argument);
  ~Child() override;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::size_t read(std::span<char> room) override;
  /// Waits for its end. To be called once, after all was read.
  Ending wait();

 private:
  int output_ = -1;    // the end of a pipe that is read
  int messages_ = -1;  // a file in memory: a pipe that nobody reads would stop the program
  pid_t process_ = -1;
};

}  // namespace freegap::sources
