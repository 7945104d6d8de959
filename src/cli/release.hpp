#pragma once

/// @file
/// The one way to a release, for files and streams alike. A question is planned and validated
/// before it exists; then it is charged, drawn, settled, stamped and shown, in this order.

#include <cstdint>
#include <optional>

#include "cli/options.hpp"
#include "questions/missing.hpp"
#include "questions/question.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace freegap::cli {

/// --ledger, --dataset, --note, --no-ledger.
void add_ledger(CLI::App& verb, LedgerOptions& options);

/// Where the cost is charged, unless a ledger was named or declined. Asked before any data is read.
std::optional<Missing> missing_ledger(const LedgerOptions& options);

/// Makes a release. Without entropy nothing is charged; nothing is drawn before the ledger has
/// charged the worst case, and nothing but the answers of a stream is shown before the release is
/// settled. A page, where one was asked for, is written after the settlement, too. Throws
/// MachineFault for whatever fails after the charge.
void release(const Question& question, const LedgerOptions& ledger, const OutputOptions& output,
             const Context& context);

/// Makes many releases about data that is not secret, with seeded noise, one JSON object per line.
void simulate(const Question& question, std::uint64_t runs, std::uint64_t seed,
              const Context& context);

}  // namespace freegap::cli
