#pragma once

/// @file
/// From a question to a release: the ledger is charged, noise is drawn without the GIL, the entry
/// is settled.

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "candidates.hpp"
#include "freegap/noise.hpp"
#include "options.hpp"
#include "questions/question.hpp"
#include "release.hpp"

namespace freegap::python {

/// The exception that was raised in Python code, as an object.
nanobind::object exception_of(nanobind::python_error& error);

/// Called once, when the module is imported.
void remember_main_thread();

/// Raises KeyboardInterrupt, or what else a signal's handler raises, if a signal came. Called
/// without the GIL, while another process holds the lock of a ledger. Does nothing outside the main
/// thread: Python handles signals there alone, and ends another thread that asks for the GIL while
/// the interpreter shuts down, which no C++ frame survives.
void raise_interrupt();

/// The noise of this thread. Made once per thread: its key takes longer than a small release. After
/// a fork the child draws a key of its own (SecureBits).
SecureNoise& thread_noise();

/// ledger= and note=. The ledger must be given, if only as None.
questions::LedgerOptions take_ledger(Keywords& keywords);

/// What the ledger keeps of a call, so that an auditor can tell what was asked.
questions::Json what_was_asked(nanobind::dict given, const Data* data, const std::string& note);

/// Charges, draws, settles. `data` may be null where the question has none.
Release answered(questions::Question question, const questions::LedgerOptions& ledger,
                 const Data* data);

/// Runs a question many times with seeded noise, on data that is not secret.
nanobind::list simulated(const questions::Question& question, std::uint64_t runs,
                         std::uint64_t seed, const Data& data);

}  // namespace freegap::python
