#pragma once

/// @file
/// A sparse vector that answers `name,value` lines as they arrive.

#include "cli/options.hpp"
#include "cli/release.hpp"
#include "freegap/sparse_vector.hpp"

namespace freegap::cli {

/// The question that answers line by line until the budget or the input ends, or SIGINT or SIGTERM
/// comes. A bad line is answered by an error, and the stream goes on. A last line without a line
/// feed may be part of one that was cut off, so it is a bad line; after an interruption it is not
/// answered at all. An input that cannot be read, or an output that takes nothing, is a fault of
/// the machine; the entry is settled as at any other end.
Question stream_question(const sources::DataSource& source, const SparseVectorOptions& options,
                         const Json& parameters, const OutputOptions& output,
                         const Context& context);

}  // namespace freegap::cli
