#pragma once

/// @file
/// Exceptions. Misuse is reported before any random bit is drawn, so an error never depends on
/// noise. Messages name the argument and its valid range, never a secret value.

#include <stdexcept>
#include <string>

namespace freegap {

/// An argument outside its valid range. Nothing was drawn, released or spent.
class InvalidParameter : public std::invalid_argument {
 public:
  /// Names the argument first, so that `what()` reads as one sentence.
  InvalidParameter(const std::string& argument, const std::string& problem);
};

/// A query to a mechanism that has already stopped. Whether it has stopped follows from its public
/// answers, so this error reveals nothing new.
class Exhausted : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Budget or noise that belongs to another process: the object was made before a fork, and is used
/// in the child. Both processes would spend the same budget. The parent can go on.
class Forked : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The machine failed: no entropy, a broken cipher, no protected memory. Nothing is released.
class MachineFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace freegap
