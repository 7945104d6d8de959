#pragma once

/// @file
/// Numbers that Python objects hold, seen in place. Those of a column of Arrow in several chunks
/// are copied.

#include <nanobind/nanobind.h>

#include <memory>

#include "freegap/candidates.hpp"

namespace freegap::python {

/// A one-dimensional array of int64, int32 or float64, seen through the buffer protocol, an Arrow
/// PyCapsule, `__array__` or DLPack. Keeps the memory alive; must be destroyed with the GIL held.
class Array {
 public:
  /// Throws TypeError for another type, ValueError for another shape or for nulls; each says what
  /// to do. `name` is the argument's.
  Array(nanobind::handle object, const char* name);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  /// The numbers.
  [[nodiscard]] const Answers& answers() const { return answers_; }
  /// How many.
  [[nodiscard]] std::size_t size() const { return answers_.size(); }
  /// Whether an index names the numbers: it is a Series of pandas, and not numbered 0, 1, 2, ...
  [[nodiscard]] bool has_named_index() const { return named_index_; }
  /// The numbers as int64; throws TypeError if they are not.
  [[nodiscard]] View<std::int64_t> int64() const;

 private:
  void take_any(nanobind::handle object);
  void give_back();
  bool take_buffer(nanobind::handle object);
  bool take_arrow_array(nanobind::handle object);
  bool take_arrow_stream(nanobind::handle object);
  bool take_dlpack(nanobind::handle object);
  void take(const void* data, std::size_t size, char type);

  const char* name_;
  Answers answers_;
  Py_buffer buffer_{};
  bool named_index_ = false;
  bool viewed_ = false;         // whether the buffer must be given back
  std::shared_ptr<void> kept_;  // what else owns the memory
};

}  // namespace freegap::python
