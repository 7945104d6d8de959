#include "freegap/verify/alignment.hpp"

#include <algorithm>
#include <cstdint>

namespace freegap::verify {
namespace {

void write(std::ostringstream& out, const char* name, const std::vector<std::int64_t>& values) {
  out << "  " << name << " = (";
  for (std::size_t i = 0; i < values.size(); ++i) {
    out << (i == 0 ? "" : ", ") << values[i];
  }
  out << ")\n";
}

std::vector<std::int64_t> values_of(const Tape& tape) {
  std::vector<std::int64_t> values;
  values.reserve(tape.size());
  for (const Draw& draw : tape) {
    values.push_back(draw.value);
  }
  return values;
}

/// |b - a|, without overflow.
Distance distance(std::int64_t a, std::int64_t b) {
  __extension__ using Wide = __int128;
  return static_cast<Distance>(a < b ? Wide{b} - a : Wide{a} - b);
}

Rational whole(Distance count) {
  if (count <= INT64_MAX) {
    return static_cast<std::int64_t>(count);
  }
  return Rational(static_cast<std::uint64_t>(count >> 32U)) * Rational::power_of_two(32) +
         Rational(static_cast<std::uint64_t>(count) & UINT32_MAX);
}

}  // namespace

std::string Counterexample::str() const {
  std::ostringstream out;
  out << problem << '\n';
  write(out, "D      ", first);
  write(out, "D'     ", second);
  write(out, "H      ", values_of(tape));
  write(out, "phi(H) ", values_of(aligned));
  write(out, "output ", output);
  if (output2 != output) {
    write(out, "output'", output2);
  }
  return out.str();
}

std::optional<Rational> alignment_cost(const Tape& from, const Tape& to) {
  if (from.size() != to.size()) {
    return std::nullopt;
  }
  // Draws of one rate mostly come in a row: their shifts are summed as integers.
  Rational cost;
  const Rational* rate = nullptr;
  Distance shifts = 0;
  const auto settle = [&] {
    if (shifts != 0) {
      cost = cost + *rate * whole(shifts);
    }
    shifts = 0;
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Distance shift = distance(from[i].value, to[i].value);
    if (from[i].kind != to[i].kind || (shift != 0 && !from[i].noise())) {
      return std::nullopt;
    }
    if (shift != 0) {
      if (from[i].rate.get() != rate) {
        settle();
        rate = from[i].rate.get();
      }
      shifts += shift;
    }
  }
  settle();
  return cost;
}

bool same_tape(const Tape& a, const Tape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Draw& x, const Draw& y) {
    return x.kind == y.kind && x.value == y.value;
  });
}

}  // namespace freegap::verify
