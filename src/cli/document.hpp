#pragma once

/// @file
/// The public document of a release: its parts, in the words of the command line's contract. Takes
/// releases and estimates, never candidates.

#include <optional>
#include <string>

#include "cli/output.hpp"
#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release.hpp"
#include "sources/data_source.hpp"

namespace freegap::cli {

/// A number: whole if it is, otherwise a double close by.
Json number(const Rational& value);
/// A number, or null.
Json number(const std::optional<double>& value);
/// Distribution, scale and tick.
Json noise(const NoiseDistribution& distribution);

/// Adds what is asked, and what is protected, to the parameters of a release.
void describe(Json& parameters, const Queries& queries);
/// The same, with the unit.
void describe(Json& parameters, const sources::DataSource& source);

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
