#include "freegap/verify/alignment.hpp"

#include <cstdlib>

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
  Rational cost;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t shift = to[i].value - from[i].value;
    if (from[i].kind != to[i].kind || (shift != 0 && !from[i].noise())) {
      return std::nullopt;
    }
    if (shift != 0) {
      cost = cost + from[i].rate * Rational(std::abs(shift));
    }
  }
  return cost;
}

}  // namespace freegap::verify
