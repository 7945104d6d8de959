#include "arrays.hpp"

#include <nanobind/ndarray.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/errors.hpp"

namespace freegap::python {

namespace nb = nanobind;

namespace {

constexpr const char* what_to_do =
    "give a one-dimensional array of int64, int32 or float64, for example "
    "numpy.asarray(values, dtype=\"int64\")";

constexpr const char* what_to_do_with_uint64 =
    "these are uint64. As int64 values above 2^63-1 would become negative: clip them first, for "
    "example numpy.minimum(values, 2**63 - 1).astype(\"int64\")";

constexpr const char* nulls =
    "there are nulls. Which numbers are missing would be secret, so say what they count: fill them "
    "(for example fill_null(0) or fillna(0)), or drop the rows before they are counted";

/// The C data interface of Arrow, as its specification lays it out.
struct ArrowSchema {
  const char* format = nullptr;
  const char* name = nullptr;
  const char* metadata = nullptr;
  std::int64_t flags = 0;
  std::int64_t n_children = 0;
  ArrowSchema** children = nullptr;
  ArrowSchema* dictionary = nullptr;
  void (*release)(ArrowSchema*) = nullptr;
  void* private_data = nullptr;
};

/// The same.
struct ArrowArray {
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::int64_t n_buffers = 0;
  std::int64_t n_children = 0;
  const void** buffers = nullptr;
  ArrowArray** children = nullptr;
  ArrowArray* dictionary = nullptr;
  void (*release)(ArrowArray*) = nullptr;
  void* private_data = nullptr;
};

/// The same, of several arrays.
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*) = nullptr;
  int (*get_next)(ArrowArrayStream*, ArrowArray*) = nullptr;
  const char* (*get_last_error)(ArrowArrayStream*) = nullptr;
  void (*release)(ArrowArrayStream*) = nullptr;
  void* private_data = nullptr;
};

/// Releases what a producer has filled, unless it says that there is nothing.
template <class Filled>
struct Owned : Filled {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (this->release != nullptr) {
      this->release(this);
    }
  }
};

constexpr const char* consumed =
    "it hands out a capsule that was consumed before, so its numbers are gone. Give the array "
    "itself, "
    "or make it anew for each call";

/// What a capsule of Arrow holds. A consumer that took it over set `release` to null: it owns the
/// memory and may have freed it.
template <class Held>
Held& held_by(nb::handle capsule, const char* kind, const char* name) {
  if (PyCapsule_IsValid(capsule.ptr(), kind) == 0) {
    throw nb::type_error(
        (std::string(name) + ": it does not hand out what Arrow calls a capsule; " + what_to_do)
            .c_str());
  }
  auto& held = *static_cast<Held*>(PyCapsule_GetPointer(capsule.ptr(), kind));
  if (held.release == nullptr) {
    throw InvalidParameter(name, consumed);
  }
  return held;
}

/// A capsule of DLPack that nobody has consumed; null where there is none. Producers that share
/// read-only memory have capsules of version 1 alone.
nb::object dlpack_capsule(nb::handle object, const char* name) {
  nb::object capsule;
  for (const bool versioned : {false, true}) {
    try {
      const nb::object make = object.attr("__dlpack__");
      capsule = versioned ? make(nb::arg("max_version") = nb::make_tuple(1, 0)) : make();
      break;
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_BufferError) && !error.matches(PyExc_TypeError)) {
        throw;
      }
    }
  }
  if (!capsule.is_valid() || !PyCapsule_CheckExact(capsule.ptr())) {
    return {};
  }
  const char* kind = PyCapsule_GetName(capsule.ptr());
  if (kind != nullptr && std::string_view(kind).starts_with("used_")) {
    throw InvalidParameter(name, consumed);
  }
  return capsule;
}

constexpr const char* unreadable = "its Arrow stream cannot be read";

[[noreturn]] void refuse_type(const char* name, bool uint64) {
  throw nb::type_error(
      (std::string(name) + ": " +
       (uint64 ? what_to_do_with_uint64 : std::string("another type of numbers; ") + what_to_do))
          .c_str());
}

/// Bytes of a number of a type that is taken.
std::size_t width_of(char type) { return type == 'i' ? 4 : 8; }

/// The letter of a type in the struct module; 0 for bytes in another order, and for structures.
char letter_of(const Py_buffer& view) {
  const char* format = view.format == nullptr ? "B" : view.format;
  if (*format == '@' || *format == '=' ||
      (*format == '<' && std::endian::native == std::endian::little)) {
    ++format;
  }
  return std::strlen(format) == 1 ? *format : '\0';
}

bool is_uint64(const Py_buffer& view) {
  const char letter = letter_of(view);
  return (letter == 'L' || letter == 'Q') && view.itemsize == 8;
}

/// i, q (l) and d: the types that are taken. 0 for others.
char type_of(const Py_buffer& view) {
  const char letter = letter_of(view);
  const bool whole = letter == 'i' || letter == 'l' || letter == 'q';
  if (whole && view.itemsize == 8) {
    return 'q';
  }
  if (whole && view.itemsize == 4) {
    return 'i';
  }
  return letter == 'd' && view.itemsize == 8 ? 'd' : '\0';
}

/// The same of a column of Arrow. Throws TypeError for other types.
char type_of(const ArrowSchema& schema, const char* name) {
  const std::string_view format = schema.format;
  if (schema.dictionary == nullptr && (format == "l" || format == "i" || format == "g")) {
    return format == "l" ? 'q' : format == "i" ? 'i' : 'd';
  }
  refuse_type(name, format == "L");
}

/// The numbers of a chunk of a column of Arrow, in place. Throws where some are missing.
std::span<const std::byte> bytes_of(const ArrowArray& array, char type, const char* name) {
  if (array.n_buffers != 2) {
    refuse_type(name, false);
  }
  // -1 says that nobody counted; without a bitmap there are none.
  if (array.null_count > 0 || (array.null_count < 0 && array.buffers[0] != nullptr)) {
    throw InvalidParameter(name, nulls);
  }
  const auto width = static_cast<std::int64_t>(width_of(type));
  const auto* data = static_cast<const std::byte*>(array.buffers[1]) + array.offset * width;
  return {data, static_cast<std::size_t>(array.length * width)};
}

/// A chunk of a column of Arrow that is not empty, and its numbers.
struct Chunk {
  std::shared_ptr<ArrowArray> array;
  std::span<const std::byte> bytes;
};

/// The chunks of a stream that are not empty.
std::vector<Chunk> chunks_of(ArrowArrayStream& stream, char type, const char* name) {
  std::vector<Chunk> chunks;
  while (true) {
    auto array = std::make_shared<Owned<ArrowArray>>();
    if (stream.get_next(&stream, array.get()) != 0) {
      throw InvalidParameter(name, unreadable);
    }
    if (array->release == nullptr) {  // the end
      return chunks;
    }
    if (array->length > 0) {
      const std::span<const std::byte> bytes = bytes_of(*array, type, name);
      chunks.push_back({std::move(array), bytes});
    }
  }
}

/// The numbers of several chunks side by side, in a copy.
std::vector<std::byte> joined(const std::vector<Chunk>& chunks) {
  std::size_t size = 0;
  for (const Chunk& chunk : chunks) {
    size += chunk.bytes.size();
  }
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  for (const Chunk& chunk : chunks) {
    bytes.insert(bytes.end(), chunk.bytes.begin(), chunk.bytes.end());
  }
  return bytes;
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
  // Arrays of pandas, which are no Series.
  return nb::hasattr(object, "isna") && nb::bool_(object.attr("isna")().attr("any")());
}

/// Whether it is a Series of pandas whose index is not 0, 1, 2, ...: `value_counts()` makes such
/// ones, with one number per item that occurs.
bool has_index_of_names(nb::handle object) {
  if (!nb::hasattr(object, "iloc") || !nb::hasattr(object, "index")) {
    return false;
  }
  const nb::object index = object.attr("index");
  if (!nb::hasattr(index, "start") || !nb::hasattr(index, "step")) {
    return true;
  }
  return !index.attr("start").equal(nb::int_(0)) || !index.attr("step").equal(nb::int_(1));
}

/// Whether it is an array of NumPy's own class, which has no mask. Asking for an attribute that is
/// not there takes as long as the rest of a small release.
bool is_numpy_array(nb::handle object) {
  static PyObject* type = nullptr;  // kept for good once NumPy is there
  if (type == nullptr) {
    const nb::object numpy = nb::steal(PyImport_GetModule(nb::str("numpy").ptr()));
    if (!numpy.is_valid() || !nb::hasattr(numpy, "ndarray")) {
      PyErr_Clear();
      return false;
    }
    type = nb::object(numpy.attr("ndarray")).release().ptr();
  }
  return object.type().is(type);
}

}  // namespace

Array::Array(nb::handle object, const char* name) : name_(name) {
  try {
    take_any(object);
  } catch (...) {
    give_back();  // no destructor runs for what was not made
    throw;
  }
}

void Array::give_back() {
  if (viewed_) {
    PyBuffer_Release(&buffer_);
  }
}

void Array::take_any(nb::handle object) {
  if (take_buffer(object)) {
    return;
  }
  // Asked of its type: of a lazy frame of Polars the property itself reads the schema.
  if (nb::hasattr(object.type(), "columns")) {
    throw nb::type_error((std::string(name_) +
                          ": it is a data frame. item= names the column of items and unit= that of "
                          "units, which are counted; ready-made numbers are one column of it")
                             .c_str());
  }
  if (has_nulls(object)) {
    throw InvalidParameter(name_, nulls);
  }
  named_index_ = has_index_of_names(object);
  if (take_arrow_array(object) || take_arrow_stream(object)) {
    return;
  }
  if (nb::hasattr(object, "__array__") && take_buffer(object.attr("__array__")())) {
    return;
  }
  if (!take_dlpack(object)) {
    throw nb::type_error((std::string(name_) + ": " + what_to_do).c_str());
  }
}

Array::~Array() { give_back(); }

bool Array::take_buffer(nb::handle object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    return false;
  }
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return false;
  }
  viewed_ = true;
  if (!is_numpy_array(object) &&
      nb::hasattr(object, "mask")) {  // the numbers behind it are in the buffer, too
    throw nb::type_error((std::string(name_) +
                          ": masked numbers would count; fill them first, for example filled(0)")
                             .c_str());
  }
  if (buffer_.ndim != 1) {
    throw InvalidParameter(name_, "it must have one dimension; choose a column, or say ravel()");
  }
  const char type = type_of(buffer_);
  if (type == '\0') {
    refuse_type(name_, is_uint64(buffer_));
  }
  // Some exporters, such as ctypes, leave out shape and strides of what lies side by side.
  const auto size = static_cast<std::size_t>(
      buffer_.shape != nullptr ? buffer_.shape[0] : buffer_.len / buffer_.itemsize);
  if (size > 1 && buffer_.strides != nullptr && buffer_.strides[0] != buffer_.itemsize) {
    throw InvalidParameter(name_,
                           "its numbers do not lie side by side; say numpy.ascontiguousarray(...)");
  }
  take(buffer_.buf, size, type);
  return true;
}

bool Array::take_arrow_array(nb::handle object) {
  if (!nb::hasattr(object, "__arrow_c_array__")) {
    return false;
  }
  const nb::object capsules = object.attr("__arrow_c_array__")();
  if (!PyTuple_Check(capsules.ptr()) || PyTuple_Size(capsules.ptr()) != 2) {
    throw nb::type_error(
        (std::string(name_) + ": its __arrow_c_array__ must return two capsules; " + what_to_do)
            .c_str());
  }
  const auto& schema =
      held_by<ArrowSchema>(PyTuple_GetItem(capsules.ptr(), 0), "arrow_schema", name_);
  auto& given = held_by<ArrowArray>(PyTuple_GetItem(capsules.ptr(), 1), "arrow_array", name_);
  auto array = std::make_shared<Owned<ArrowArray>>();
  static_cast<ArrowArray&>(*array) = given;
  given.release = nullptr;  // nobody else can free the memory while it is read
  kept_ = array;
  const char type = type_of(schema, name_);
  const std::span<const std::byte> bytes = bytes_of(*array, type, name_);
  take(bytes.data(), bytes.size() / width_of(type), type);
  return true;
}

bool Array::take_arrow_stream(nb::handle object) {
  if (!nb::hasattr(object, "__arrow_c_stream__")) {
    return false;
  }
  nb::object capsule;
  try {
    capsule = object.attr("__arrow_c_stream__")();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) {  // pandas without PyArrow
      throw;
    }
    return false;
  }
  auto& given = held_by<ArrowArrayStream>(capsule, "arrow_array_stream", name_);
  Owned<ArrowArrayStream> stream;
  static_cast<ArrowArrayStream&>(stream) = given;
  given.release = nullptr;  // a second call would read what is left of the column
  Owned<ArrowSchema> schema;
  if (stream.get_schema(&stream, &schema) != 0) {
    throw InvalidParameter(name_, unreadable);
  }
  const char type = type_of(schema, name_);
  std::vector<Chunk> chunks = chunks_of(stream, type, name_);
  std::span<const std::byte> bytes;
  if (chunks.size() == 1) {
    bytes = chunks.front().bytes;
    kept_ = std::move(chunks.front().array);
  } else {
    auto copy = std::make_shared<std::vector<std::byte>>(joined(chunks));
    bytes = *copy;
    kept_ = std::move(copy);
  }
  take(bytes.data(), bytes.size() / width_of(type), type);
  return true;
}

bool Array::take_dlpack(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack__")) {
    return false;
  }
  // From the capsule, and not from the object: nanobind then marks it as consumed.
  const nb::object capsule = dlpack_capsule(object, name_);
  auto array = std::make_shared<nb::ndarray<nb::ro>>();
  if (!capsule.is_valid() || !nb::try_cast(capsule, *array)) {
    return false;
  }
  if (array->device_type() != nb::device::cpu::value) {
    throw InvalidParameter(name_, "it is on another device; say cpu()");
  }
  const char type = array->dtype() == nb::dtype<std::int64_t>()   ? 'q'
                    : array->dtype() == nb::dtype<std::int32_t>() ? 'i'
                    : array->dtype() == nb::dtype<double>()       ? 'd'
                                                                  : '\0';
  if (type == '\0') {
    refuse_type(name_, array->dtype() == nb::dtype<std::uint64_t>());
  }
  if (array->ndim() != 1 || (array->shape(0) > 1 && array->stride(0) != 1)) {
    throw InvalidParameter(name_, "it must have one dimension, and its numbers side by side");
  }
  kept_ = array;
  take(array->data(), array->shape(0), type);
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
