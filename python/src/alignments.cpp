#include "alignments.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "exact.hpp"
#include "freegap/errors.hpp"
#include "freegap/verify/alignment.hpp"

namespace freegap::python {

namespace nb = nanobind;
using namespace verify;  // NOLINT(google-build-using-namespace)
using verify::Answers;   // not those of candidates

namespace {

/// A source of noise as a mechanism in Python sees it: recorded or replayed. The mechanism may keep
/// it, but it serves only until `end`.
class TapeNoise {
 public:
  template <class Source>
  explicit TapeNoise(Source& source)
      : geometric_([&source](const Rate& rate) { return source.geometric(rate); }),
        laplace_([&source](const Rate& rate) { return source.laplace(rate); }),
        below_([&source](std::uint64_t n) { return source.below(n); }) {}

  void end() {
    geometric_ = nullptr;
    laplace_ = nullptr;
    below_ = nullptr;
  }

  [[nodiscard]] std::int64_t geometric(nb::handle rate) const {
    check();
    return geometric_(Rate(exact(rate, "rate")));
  }
  [[nodiscard]] std::int64_t laplace(nb::handle rate) const {
    check();
    return laplace_(Rate(exact(rate, "rate")));
  }
  [[nodiscard]] std::uint64_t below(nb::handle n) const {
    check();
    return below_(whole(n, "n", 1, INT64_MAX));
  }

 private:
  void check() const {
    if (!geometric_) {
      throw InvalidParameter("noise", "it serves only within the call of the mechanism");
    }
  }

  std::function<std::int64_t(const Rate&)> geometric_;
  std::function<std::int64_t(const Rate&)> laplace_;
  std::function<std::uint64_t(std::uint64_t)> below_;
};

/// What a mechanism in Python returned, and the numbers that an observer sees.
struct Shown {
  nb::object output;
  std::vector<std::int64_t> numbers;
};

std::vector<std::int64_t> values_of(const Tape& tape) {
  std::vector<std::int64_t> values;
  for (const Draw& draw : tape) {
    values.push_back(draw.value);
  }
  return values;
}

/// Runs the mechanism. A tape that does not fit is reported as the checker expects it.
template <class Source>
Shown run(const nb::callable& mechanism, const Answers& answers, Source& source) {
  const nb::object seen = nb::cast(TapeNoise(source));
  struct End {
    TapeNoise* noise;
    ~End() { noise->end(); }
  } const end{nb::cast<TapeNoise*>(seen)};
  try {
    const nb::object output = mechanism(answers, seen);
    Shown shown{output, {}};
    if (!nb::try_cast(output, shown.numbers)) {
      throw nb::type_error("mechanism: return a list of whole numbers, all that an observer sees");
    }
    return shown;
  } catch (nb::python_error& error) {
    if (error.matches(nb::module_::import_("freegap._core").attr("TapeMismatch"))) {
      throw TapeMismatch("it asks for other draws than the tape holds");
    }
    throw;
  }
}

/// Moves the noise of a tape as a function in Python says.
Tape moved(const nb::callable& how, const NeighbourPair& pair, const Shown& shown, Tape tape) {
  const nb::object result = how(pair.first, pair.second, shown.output, values_of(tape));
  std::vector<std::int64_t> values;
  if (!nb::try_cast(result, values)) {
    throw nb::type_error("align, recover: return a list of whole numbers, one for each draw");
  }
  Tape other;
  for (std::size_t i = 0; i < values.size(); ++i) {
    other.push_back(i < tape.size() ? tape[i] : Draw{});
    other.back().value = values[i];
  }
  return other;
}

/// Checks the alignment on `tapes` tapes for each pair of neighbours.
nb::dict check_alignment(const nb::callable& mechanism, const nb::callable& align,
                         const nb::callable& recover, nb::handle epsilon,
                         const std::vector<std::pair<Answers, Answers>>& pairs, nb::handle tapes,
                         nb::handle seed) {
  const Rational spent = Epsilon(exact(epsilon, "epsilon")).value();
  const std::uint64_t runs = whole(tapes, "tapes", 1, UINT64_MAX);
  const Subject<Shown> subject{
      [&](const Answers& answers, RecordingNoise& noise) { return run(mechanism, answers, noise); },
      [&](const Answers& answers, ReplayedNoise& noise) { return run(mechanism, answers, noise); },
      [&](const Shown& shown) {
        return Observed{shown.numbers, spent};
      },
      [&](const NeighbourPair& pair, const Shown& shown, const Tape& tape) {
        return moved(align, pair, shown, tape);
      },
      [&](const NeighbourPair& pair, const Shown& shown, const Tape& tape) {
        return moved(recover, pair, shown, tape);
      }};
  if (pairs.empty()) {
    throw InvalidParameter("pairs", "give at least one pair of neighbours");
  }
  TapeSource source(whole(seed, "seed", 0, UINT64_MAX));
  AlignmentReport report;
  for (const auto& [first, second] : pairs) {
    for (std::uint64_t i = 0; i < runs && !report.counterexample; ++i) {
      check_tape(subject, {first, second}, source, report);
      if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
      }
    }
  }
  nb::dict result;
  result["replays"] = report.replays;
  result["worst_cost"] = fraction(report.worst_cost);
  result["counterexample"] = report.counterexample
                                 ? nb::object(nb::str(report.counterexample->str().c_str()))
                                 : nb::none();
  return result;
}

}  // namespace

void bind_alignments(nb::module_& module) {
  nb::exception<TapeMismatch>(module, "TapeMismatch", PyExc_RuntimeError);
  nb::class_<TapeNoise>(module, "TapeNoise")
      .def("geometric", &TapeNoise::geometric, nb::arg("rate").none(),
           "One-sided noise: P(n) proportional to exp(-rate n), n = 0, 1, 2, ...")
      .def("laplace", &TapeNoise::laplace, nb::arg("rate").none(),
           "Two-sided noise: P(n) proportional to exp(-rate |n|)")
      .def("below", &TapeNoise::below, nb::arg("n").none(), "Uniform on 0, ..., n - 1");
  module.def("check_alignment", &check_alignment, nb::arg("mechanism"), nb::arg("align"),
             nb::arg("recover"), nb::arg("epsilon").none(), nb::arg("pairs"),
             nb::arg("tapes").none(), nb::arg("seed").none());
}

}  // namespace freegap::python
