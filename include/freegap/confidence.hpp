#pragma once

/// @file
/// What can be claimed about a winner, with which confidence. Two kinds, never to be confused:
///
/// - *after selection* (what users should be shown): P(false claim | the winner was selected) is at
/// most
///   1 - confidence, whatever the data. Where the release does not support a claim, none is made;
/// - *before selection*: the paper's lower bound, which covers a query that was picked beforehand.
/// For a query that is
///   looked at because it passed, it covers less (down to nothing for one far below the threshold).
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
  double p_value = 1;  ///< chance of a result like this if the winner were no true one
};

/// Sparse vector: for each answer above the threshold, in order, how large the query is at least,
/// and the p-value of it not being above the threshold. One-sided noise: given all earlier answers,
/// and all others whose queries do not depend on this gap. Laplace noise: given that it passed.
std::vector<Claim> claims_above(const SparseVectorRelease& release, double confidence);

/// Hybrids: the same for each winner. None is made for Laplace noise, nor where k winners of the
/// estimates-first hybrid were found (their gaps are cut off by the next candidate, too).
std::vector<Claim> claims_above(const HybridRelease& release, double confidence);

/// Top-k: for each rank, by how much the winner is ahead of every candidate that was not selected,
/// at least, and the p-value of it not being ahead. All ranks hold at once. None is made for
/// Laplace noise: there the runner-up's noise may be negative, and no bound holds given the
/// selected set (docs/proofs/confidence.md).
std::vector<Claim> claims_ahead(const TopKRelease& release, double confidence);

/// Exponential mechanism: by how much the choice is ahead of the best other candidate, at least, in
/// the unit of the utilities, and the p-value of it not being best. Nothing for the classic
/// mechanism.
std::optional<Claim> claim_best(const ExponentialRelease& release, double confidence);

/// Exponential mechanism: median-unbiased estimate of the choice's lead over all others together,
/// in the unit of the utilities; nothing where the gap is too small for one.
std::optional<double> estimate_lead(const ExponentialRelease& release);

/// BEFORE selection only: a lower bound for the query behind an answer, valid if that query had
/// been picked beforehand and not because it passed.
double lower_bound_before_selection(const SparseVectorRelease& release,
                                    const SparseVectorAnswer& answer, double confidence);

}  // namespace freegap
