#pragma once

/// @file
/// What `top` and `above` have in common: a budget that is divided between selecting and measuring
/// what was selected, and the public description of both.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document.hpp"
#include "freegap/estimate.hpp"
#include "freegap/measure.hpp"
#include "labelled_candidates.hpp"

namespace freegap::cli {

/// The options of both verbs.
struct SelectionOptions {
  DataOptions data;      ///< candidates
  NoiseOptions noise;    ///< of the selection
  std::uint64_t k = 0;   ///< how many are selected
  std::string epsilon;   ///< whole budget
  std::string measure;   ///< share of it that measures
  std::string theta;     ///< share of the threshold
  bool classic = false;  ///< without gaps
};

/// A selection about to be made, and everything it needs. Candidates are a view of the labelled, so
/// both stay where they are.
class Selection {
 public:
  /// Reads the data and settles all that does not depend on the mechanism.
  Selection(const SelectionOptions& options, const OutputOptions& output, Secrecy secrecy);
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;
  ~Selection() = default;

  const bool whole;                       ///< whether all numbers are whole
  const Distribution distribution;        ///< of the noise
  const Queries queries;                  ///< what is asked
  const std::optional<Rational> tick;     ///< where one was chosen
  const std::optional<Rational> theta;    ///< where one was chosen
  const double confidence;                ///< of intervals and claims
  const Rational share;                   ///< of the budget that measures
  const Epsilon measuring_and_selecting;  ///< the whole budget
  const Epsilon selecting;                ///< what is left for selecting
  const LabelledCandidates labelled;      ///< who the candidates are
  const Candidates candidates;            ///< and their numbers
  Estimator estimator;                    ///< remembers error bars from run to run
  Json parameters;                        ///< public description

  /// Makes sure, before anything is drawn, that measuring up to `most` winners will work.
  void check_measuring(std::uint64_t most) const;
  /// The selection's own worst case and that of measuring.
  [[nodiscard]] Rational worst_case(const Cost& selection) const;
  /// Measures the winners, where that was asked for.
  std::optional<MeasureRelease> measure_all(const std::vector<Item>& winners, ExactNoise& noise);
  /// The head of the document, with the cost and the noise of both parts.
  [[nodiscard]] Outcome outcome(const std::string& mechanism, const Cost& selection,
                                const std::optional<MeasureRelease>& direct) const;

 private:
  [[nodiscard]] Rational measuring() const { return share * measuring_and_selecting.value(); }
};

/// The job that draws from a selection.
Job job_of(const std::string& verb, const Selection& selection, const Rational& reserved,
           std::function<Outcome(ExactNoise&)> draw);

}  // namespace freegap::cli
