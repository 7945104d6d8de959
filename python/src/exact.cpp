#include "exact.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "freegap/errors.hpp"

namespace freegap::python {

namespace nb = nanobind;

std::string utf8(nb::handle text, const char* name) {
  if (!PyUnicode_Check(text.ptr())) {
    throw nb::type_error((std::string(name) + ": give a str").c_str());
  }
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw InvalidParameter(name, "the text cannot be written as UTF-8");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

nb::object index_of(nb::handle number, const char* name) {
  nb::object index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
      throw nb::python_error();
    }
    PyErr_Clear();
    throw nb::type_error((std::string(name) + ": give an int, not an array").c_str());
  }
  return index;
}

std::string digits(nb::handle number, const char* name) {
  const nb::object text = nb::steal(PyObject_Str(index_of(number, name).ptr()));
  if (!text.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) {
      throw nb::python_error();
    }
    PyErr_Clear();
    throw InvalidParameter(name, "it has too many digits");
  }
  return utf8(text, name);
}

std::string text_of(nb::handle number, const char* name) {
  if (PyUnicode_Check(number.ptr())) {
    return utf8(number, name);
  }
  if (PyFloat_Check(number.ptr())) {
    const double value = PyFloat_AsDouble(number.ptr());
    if (!std::isfinite(value)) {
      throw InvalidParameter(name, "it must be a finite number");
    }
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
  }
  if (!PyBool_Check(number.ptr())) {
    if (PyIndex_Check(number.ptr())) {
      return digits(number, name);
    }
    if (nb::hasattr(number, "numerator") && nb::hasattr(number, "denominator")) {
      return digits(number.attr("numerator"), name) + "/" +
             digits(number.attr("denominator"), name);
    }
    if (nb::hasattr(number, "as_integer_ratio") && nb::hasattr(number, "is_finite")) {
      return nb::str(number).c_str();  // decimal.Decimal
    }
  }
  throw nb::type_error((std::string(name) + ": give a str, int, float, Fraction or Decimal, for "
                                            "example \"0.7\"")
                           .c_str());
}

Rational exact(nb::handle number, const char* name) {
  if (PyLong_CheckExact(number.ptr())) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow == 0) {
      return Rational(value);
    }
  }
  // A notebook gives the same few texts again and again.
  thread_local std::pair<std::string, Rational> last{"0", 0};
  std::string text = text_of(number, name);
  if (text == last.first) {
    return last.second;
  }
  try {
    Rational value = Rational::parse(text);
    last = {std::move(text), value};
    return value;
  } catch (const InvalidParameter&) {
    throw InvalidParameter(name,
                           "it must be a number such as 0.7, 7/10 or 1e-3, of 64 characters "
                           "at most and with an exponent from -40 to 40");
  }
}

std::uint64_t whole(nb::handle number, const char* name, std::uint64_t least, std::uint64_t most) {
  if (PyBool_Check(number.ptr()) || !PyIndex_Check(number.ptr())) {
    throw nb::type_error((std::string(name) + ": give an int").c_str());
  }
  const nb::object index = index_of(number, name);
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  const bool beyond = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (beyond || value < least || value > most) {
    throw InvalidParameter(name, "it must be from " + std::to_string(least) + " to " +
                                     (most == UINT64_MAX ? "2^64 - 1" : std::to_string(most)));
  }
  return value;
}

nb::object fraction(const Rational& value) {
  return nb::module_::import_("fractions").attr("Fraction")(value.str());
}

}  // namespace freegap::python
