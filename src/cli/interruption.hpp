#pragma once

/// @file
/// The input of a stream, and ending it by hand. After Ctrl-C there are no more answers; the ledger
/// entry is settled all the same.

#include <array>
#include <streambuf>

namespace freegap::cli {

/// From now on SIGINT, SIGTERM and SIGHUP end the standard input instead of the program. What was
/// ignored when the program was started stays ignored, as for any job in the background.
void watch_for_interruption();

/// Whether one of them came.
bool interrupted();

/// Whether standard input can be read: it was not closed by the caller (`<&-`).
bool standard_input_is_open();

/// Standard input, which ends when the program is interrupted. Throws where it cannot be read, so
/// that its stream becomes bad: a read error must not look like the end of the input.
class StandardInput final : public std::streambuf {
 protected:
  int_type underflow() override;

 private:
  std::array<char, 65536> buffer_{};
};

}  // namespace freegap::cli
