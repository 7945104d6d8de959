#pragma once

/// @file
/// What to expect of a question, from public parameters alone.

#include <cstdint>
#include <optional>

#include "freegap/distribution.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "questions/json.hpp"
#include "questions/options.hpp"

namespace freegap::questions {

/// What can be said. Two of k, ε and the error give the third.
struct PlanOptions {
  QueryOptions queries;
  Distribution noise = Distribution::exponential;
  std::optional<std::uint64_t> k;
  std::optional<std::uint64_t> max_items;  ///< contribution bound
  std::optional<Epsilon> epsilon;
  std::optional<double> target_error;
  Rational measure;
  std::optional<Rational> theta;
  bool adaptive = false;
  std::uint64_t branches = 2;
  Rational sigma = 2;
  StopRule stop_rule = StopRule::afford;
  std::optional<Rational> distance;
  bool unknown_items = false;  ///< of top: nobody can list the items
  std::optional<Delta> delta;  ///< with unknown items
  bool errors_alone = false;   ///< errors only; skips slow parts such as the best share
};

/// The plan of a top-k selection. Throws InvalidParameter.
Json plan_top(const PlanOptions& options);
/// The plan of a sparse vector. Throws InvalidParameter.
Json plan_above(const PlanOptions& options);

}  // namespace freegap::questions
