#pragma once

/// @file
/// The public document of a release: its parts, in the words of the command line's contract. Takes
/// releases and estimates, never candidates.

#include <optional>
#include <string>

#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "job.hpp"

namespace freegap::cli {

/// A number: whole if it is, otherwise a double close by.
Json number(const Rational& value);
/// A number, or null.
Json number(const std::optional<double>& value);
/// Low and high end, or null.
Json interval(const std::optional<Interval>& interval);
/// Distribution, scale and tick.
Json noise(const NoiseDistribution& distribution);

/// What a release of `queries` says about itself, added to its parameters.
void describe(Json& parameters, const Queries& queries, const std::string& unit);

/// The head of a document: version, mechanism, parameters and cost.
Json head(const std::string& mechanism, const Json& parameters, const Cost& cost);

/// The threshold that was used. Its ε where it has one of its own.
Json threshold(const Threshold& threshold, const std::optional<Rational>& epsilon,
               const Rational& scale);
/// Branch number b, counted from 1.
Json branch(std::size_t b, const Branch& branch);

/// Adds estimate, standard_error and the intervals; nulls where there is none.
void add_estimate(Json& row, const std::optional<Estimate>& estimate);

}  // namespace freegap::cli
