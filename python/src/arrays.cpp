#include "arrays.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "freegap/errors.hpp"

namespace freegap::python {

namespace nb = nanobind;

namespace {

constexpr const char* what_to_do =
    "give a one-dimensional array of int64, int32 or float64, for example "
    "numpy.asarray(values, dtype=\"int64\")";

constexpr const char* nulls =
    "there are nulls. Which numbers are missing would be secret, so say what they count: fill them "
    "(for example fill_null(0) or fillna(0)), or drop the rows before they are counted";

/// The C data interface of Arrow, as its specification lays it out.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

/// The same.
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

/// i, q (l) and d: the types that are taken, by their letter in the struct module. 0 for others.
char type_of(const Py_buffer& view) {
  const char* format = view.format == nullptr ? "B" : view.format;
  if (*format == '@' || *format == '=' ||
      (*format == '<' && std::endian::native == std::endian::little)) {
    ++format;
  }
  if (std::strlen(format) != 1) {
    return 0;
  }
  const bool whole = *format == 'i' || *format == 'l' || *format == 'q';
  if (whole && view.itemsize == 8) {
    return 'q';
  }
  if (whole && view.itemsize == 4) {
    return 'i';
  }
  return *format == 'd' && view.itemsize == 8 ? 'd' : '\0';
}

/// Whether pandas, Polars or Arrow says that some numbers are missing.
bool has_nulls(nb::handle object) {
  for (const char* name : {"hasnans", "null_count"}) {
    if (nb::hasattr(object, name)) {
      nb::object said = object.attr(name);
      if (PyCallable_Check(said.ptr()) != 0) {
        said = said();
      }
      const int truth = PyObject_IsTrue(said.ptr());
      if (truth < 0) {
        PyErr_Clear();
      }
      return truth > 0;
    }
  }
  return false;
}

}  // namespace

Array::Array(nb::handle object, const char* name) : name_(name) {
  if (take_buffer(object)) {
    return;
  }
  if (has_nulls(object)) {
    throw InvalidParameter(name, nulls);
  }
  if (take_arrow(object)) {
    return;
  }
  if (nb::hasattr(object, "__array__")) {
    const nb::object array = object.attr("__array__")();
    if (take_buffer(array)) {
      return;
    }
  }
  throw nb::type_error((std::string(name) + ": " + what_to_do).c_str());
}

Array::~Array() {
  if (buffer_) {
    PyBuffer_Release(buffer_.get());
  }
}

bool Array::take_buffer(nb::handle object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    return false;
  }
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return false;
  }
  buffer_ = std::move(view);
  if (buffer_->ndim != 1) {
    throw InvalidParameter(name_, "it must have one dimension; choose a column, or say ravel()");
  }
  const char type = type_of(*buffer_);
  if (type == '\0') {
    throw nb::type_error((std::string(name_) + ": another type of numbers; " + what_to_do).c_str());
  }
  const auto size = static_cast<std::size_t>(buffer_->shape[0]);
  if (size > 1 && buffer_->strides[0] != buffer_->itemsize) {
    throw InvalidParameter(name_,
                           "its numbers do not lie side by side; say numpy.ascontiguousarray(...)");
  }
  take(buffer_->buf, size, type);
  return true;
}

bool Array::take_arrow(nb::handle object) {
  if (!nb::hasattr(object, "__arrow_c_array__")) {
    return false;
  }
  kept_ = object.attr("__arrow_c_array__")();
  const nb::handle schema_capsule = kept_[0];
  const nb::handle array_capsule = kept_[1];
  const auto* schema =
      static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema_capsule.ptr(), "arrow_schema"));
  const auto* array =
      static_cast<ArrowArray*>(PyCapsule_GetPointer(array_capsule.ptr(), "arrow_array"));
  if (schema == nullptr || array == nullptr) {
    throw nb::python_error();
  }
  const std::string format = schema->format;
  const char type = format == "l" ? 'q' : format == "i" ? 'i' : format == "g" ? 'd' : '\0';
  if (type == '\0' || schema->dictionary != nullptr || array->n_buffers != 2) {
    throw nb::type_error((std::string(name_) + ": another type of numbers; " + what_to_do).c_str());
  }
  // -1 says that nobody counted; without a bitmap there are none.
  if (array->null_count > 0 || (array->null_count < 0 && array->buffers[0] != nullptr)) {
    throw InvalidParameter(name_, nulls);
  }
  const std::int64_t width = type == 'i' ? 4 : 8;
  const auto* data = static_cast<const char*>(array->buffers[1]) + array->offset * width;
  take(data, static_cast<std::size_t>(array->length), type);
  return true;
}

void Array::take(const void* data, std::size_t size, char type) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(data) % (type == 'i' ? 4 : 8) != 0;
  if (size > 0 && misaligned) {
    throw InvalidParameter(name_, "its memory is not aligned; give a copy of it");
  }
  if (type == 'q') {
    answers_ = std::span(static_cast<const std::int64_t*>(data), size);
  } else if (type == 'i') {
    answers_ = std::span(static_cast<const std::int32_t*>(data), size);
  } else {
    answers_ = std::span(static_cast<const double*>(data), size);
  }
}

View<std::int64_t> Array::int64() const {
  return answers_.visit([&](const auto& values) -> View<std::int64_t> {
    if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::span<const std::int64_t>>) {
      return values;
    } else {
      throw nb::type_error((std::string(name_) + ": give int64").c_str());
    }
  });
}

}  // namespace freegap::python
