#pragma once

/// @file
/// Claims about winners, with a stated confidence. There are two kinds; do not confuse them:
///
/// - *after selection* (show these to users): P(false claim | the winner was selected) is at most
///   1 - confidence, whatever the data. Where the release does not support a claim, none is made.
/// - *before selection*: the paper's lower bound, which covers a query that was picked beforehand.
///   For a query that is looked at because it passed, it covers less often (almost never for a
///   query far below the threshold).
///
/// Derivations: docs/proofs/confidence.md. Tests: tests/estimates/confidence_test.cpp.

#include <cstddef>
#include <optional>
#include <vector>

#include "freegap/item.hpp"
#include "freegap/release/exponential.hpp"
#include "freegap/release/hybrid.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/release/top_k.hpp"

namespace freegap {

/// A claim that is valid after selection.
struct Claim {
  Item item;  ///< about which winner
  std::optional<double>
      at_least;        ///< the least that is claimed; nothing where the release supports no claim
  double p_value = 1;  ///< chance of such a result if the winner were not a true one
};

/// Sparse vector: for each answer above the threshold, in order, a lower bound of the query, and
/// the p-value of the query not being above the threshold. One-sided noise: the claim holds given
/// all earlier answers, and given all other answers whose queries do not depend on this gap.
/// Laplace noise: it holds given that the query passed.
std::vector<Claim> claims_above(const SparseVectorRelease& release, double confidence);

/// Hybrids: the same for each winner. No claim is made for Laplace noise, nor where the
/// estimates-first hybrid found k winners (their gaps are also cut off by the next candidate).
std::vector<Claim> claims_above(const HybridRelease& release, double confidence);

/// Top-k: for each rank, a lower bound of the winner's lead over every candidate that was not
/// selected, and the p-value of the winner not being ahead. The claims of all ranks hold at once.
/// No claim is made for Laplace noise: there the runner-up's noise may be negative, and no bound
/// holds given the selected set (docs/proofs/confidence.md).
std::vector<Claim> claims_ahead(const TopKRelease& release, double confidence);

/// Exponential mechanism: a lower bound of the lead over the best other candidate, in the unit of
/// the utilities, and the p-value of the choice not being the best. Nothing for the classic
/// mechanism.
std::optional<Claim> claim_best(const ExponentialRelease& release, double confidence);

/// Exponential mechanism: median-unbiased estimate of the choice's lead over all others together,
/// in the unit of the utilities; nothing where the gap is too small for one.
std::optional<double> estimate_lead(const ExponentialRelease& release);

/// BEFORE selection only: a lower bound of the query behind an answer. It is valid only if that
/// query was picked beforehand, and not because it passed.
double lower_bound_before_selection(const SparseVectorRelease& release,
                                    const SparseVectorAnswer& answer, double confidence);

}  // namespace freegap
