#pragma once

/// @file
/// The public document of a release: its parts, in the words of the command line's contract. Takes
/// releases and estimates, never candidates.

#include <optional>
#include <string>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/estimate.hpp"
#include "freegap/release.hpp"
#include "questions/json.hpp"
#include "sources/data_source.hpp"

namespace freegap::questions {

/// A number: whole if it is, otherwise a double close by.
Json number(const Rational& value);
/// A number, or null.
Json number(const std::optional<double>& value);
/// Distribution, scale and tick.
Json noise(const NoiseDistribution& distribution);

/// Adds what is asked, and what is protected, to the parameters of a release.
void describe(Json& parameters, const Queries& queries);
/// The same as declared, with the unit, where the source says it, and the range. Where the
/// sensitivity was rounded up to the grid, `sensitivity_used` is the one that counts.
void describe(Json& parameters, const sources::DataSource& source);
/// Adds the size beyond which ready-made numbers are clamped, given the ticks of all grids they are
/// put on. Where a range was declared it must fit instead: throws InvalidParameter.
void describe_limit(Json& parameters, const sources::DataSource& source,
                    const std::vector<Rational>& ticks);

/// The head of a document: version, mechanism, parameters and cost.
Json head(const std::string& mechanism, const Json& parameters, const Cost& cost);

/// The threshold that was used. Its ε where it has one of its own.
Json threshold(const Threshold& threshold, const std::optional<Rational>& epsilon,
               const Rational& scale);
/// Branch number b, counted from 1.
Json branch(std::size_t b, const Branch& branch);

/// Adds estimate, standard_error and the intervals, both as pairs and as single numbers; nulls
/// where there is none.
void add_estimate(Json& row, const std::optional<Estimate>& estimate);
/// The same, and whether a gap went into the estimate.
void add_estimate_with_gap(Json& row, const std::optional<Estimate>& estimate);
/// The members that add_estimate adds, in the same order: columns of CSV.
std::vector<std::string> estimate_columns();

}  // namespace freegap::questions
