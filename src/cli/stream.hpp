#pragma once

/// @file
/// A sparse vector that answers `name,value` lines as they arrive.

#include "cli/options.hpp"
#include "cli/release.hpp"
#include "freegap/sparse_vector.hpp"

namespace freegap::cli {

/// A line of a stream may have so many bytes, without its line feed.
inline constexpr std::size_t longest_line = 4096;

/// The question that answers line by line until the budget or the input ends, or SIGINT, SIGTERM or
/// SIGHUP comes. A bad line, one that is too long included, is answered by an error, or with
/// `skip_bad_records` by nothing, and the stream goes on. A last line without a line
/// feed may be part of one that was cut off, so it is a bad line; after an interruption it is not
/// answered at all. An input that cannot be read, an output that takes nothing, or a disk without
/// room for the answers is a fault of the machine; the entry is settled as at any other end. Throws
/// InvalidParameter if standard input is closed.
Question stream_question(const sources::DataSource& source, const SparseVectorOptions& options,
                         const Json& parameters, const EstimateOptions& estimates,
                         const OutputOptions& output, const Context& context,
                         bool skip_bad_records = false);

}  // namespace freegap::cli
