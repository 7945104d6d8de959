#include "timing.hpp"

#include <time.h>

#include "arrays.hpp"
#include "asking.hpp"
#include "exact.hpp"
#include "freegap/top_k.hpp"

namespace freegap::python {

namespace nb = nanobind;

namespace {

/// Nanoseconds of processor time that this process has used.
double processor_time() {
  timespec used{};
  static_cast<void>(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used));
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

/// Nanoseconds of processor time that one call of the library takes, the mean of many, with the
/// noise that calls from this thread use.
double time_top_k(nb::handle values, std::uint64_t k, nb::handle epsilon, std::uint64_t calls) {
  const Array array(values, "values");
  const TopKOptions options{.k = k, .epsilon = Epsilon(exact(epsilon, "epsilon"))};
  SecureNoise& noise = thread_noise();
  const double before = processor_time();
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto candidates = Candidates::growing(array.answers(), Neighbours::add_remove, 1);
    static_cast<void>(top_k(candidates, options, noise));
  }
  return (processor_time() - before) / static_cast<double>(calls);
}

}  // namespace

void bind_timing(nb::module_& module) { module.def("time_top_k", &time_top_k); }

}  // namespace freegap::python
