#pragma once

/// @file
/// Draws in bulk under check: they are the same function of the same random bits as draws one by
/// one, so they have the same distribution (docs/proofs/samplers.md, "In bulk").
///
/// A draw in bulk looks at the first 31 bits of a uniform number U. For most of these prefixes that
/// settles the result for every U that begins with them; for the others it goes on with the same U
/// as a single draw does. The result of a single draw falls as U rises. So a prefix is right if the
/// smallest and the largest U that begin with it have the results of single draws: if these are the
/// same, so is that of every U between them; if not, a prefix that settles would miss one of them.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "freegap/bits.hpp"
#include "freegap/rate.hpp"

namespace freegap::verify {

/// Draws in bulk from a stream of bits.
using BulkDraws = std::function<void(BitStream& bits, const Rate& rate, bool two_sided,
                                     std::span<std::int64_t> out)>;
/// The ones that are shipped.
void shipped_bulk_draws(BitStream& bits, const Rate& rate, bool two_sided,
                        std::span<std::int64_t> out);
/// A mistake: what follows the first 31 bits is not looked at.
void prefix_alone(BitStream& bits, const Rate& rate, bool two_sided, std::span<std::int64_t> out);
/// A mistake: the rate has a relative error of 2^-20.
void rounded_rate(BitStream& bits, const Rate& rate, bool two_sided, std::span<std::int64_t> out);

/// Which prefixes are tried.
enum class Prefixes {
  near_boundaries,  ///< where the result of single draws changes, and beside that
  all               ///< all 2^31
};

/// How draws in bulk differ from single draws; nothing where they agree on every prefix tried.
std::optional<std::string> bulk_difference(const BulkDraws& draws, const Rate& rate, bool two_sided,
                                           Prefixes prefixes);

}  // namespace freegap::verify
