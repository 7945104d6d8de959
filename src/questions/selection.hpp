#pragma once

/// @file
/// What `top` and `above` have in common: a budget that is divided between selecting and measuring
/// what was selected, and the public description of both.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "freegap/estimate.hpp"
#include "freegap/measure.hpp"
#include "questions/document.hpp"
#include "questions/labelled_candidates.hpp"
#include "questions/missing.hpp"
#include "questions/question.hpp"

namespace freegap::questions {

/// The options of both verbs.
struct SelectionOptions {
  DataOptions data;                       ///< candidates
  NoiseOptions noise;                     ///< of the selection
  std::uint64_t k = 0;                    ///< how many are selected
  std::optional<Epsilon> epsilon;         ///< whole budget; required
  Rational measure;                       ///< share of it that measures
  std::optional<WrittenNumber> theta;     ///< share of the threshold
  bool classic = false;                   ///< without gaps
  bool constant_work = false;             ///< the same work whatever the data
  Method estimator = Method::likelihood;  ///< how estimates are made
  /// What is declared about the data. A stream's numbers are general unless declared otherwise.
  [[nodiscard]] sources::Declaration declaration(Secrecy secrecy, bool stream = false) const;
};

/// What the user of either verb has yet to declare about the data.
std::vector<Missing> selection_missing(const SelectionOptions& options, Secrecy secrecy);

/// Reads the candidates of either verb.
std::shared_ptr<const LabelledCandidates> read_candidates(const SelectionOptions& options,
                                                          Secrecy secrecy);

/// The public parameters of a selection that follow from its options and its source.
Json selection_parameters(const SelectionOptions& options, const sources::DataSource& source);

/// A selection, without its secret: how the budget is divided, and the public description.
class Selection {
 public:
  /// Settles all that does not depend on the mechanism.
  Selection(const SelectionOptions& options, double level, const sources::DataSource& from,
            const CandidateFacts& candidates);

  const SelectionOptions asked;      ///< as given
  const double confidence;           ///< of intervals and claims
  const Epsilon selecting;           ///< the part of the budget that selects
  const sources::DataSource source;  ///< where the candidates come from
  Estimator estimator;               ///< remembers error bars from run to run
  Json parameters;                   ///< public description

  /// Makes sure, before anything is drawn, that measuring up to `most` winners will work, and
  /// describes how large numbers may be on the grids of both parts; `tick` is the selection's.
  void settle_grids(const Rational& tick, std::uint64_t most);
  /// Measures the winners, where that was asked for.
  std::optional<MeasureRelease> measure_all(const Candidates& candidates,
                                            const std::vector<Item>& winners,
                                            ExactNoise& noise) const;
  /// The head of the document, with the cost and the noise of both parts.
  [[nodiscard]] Outcome outcome(const std::string& mechanism, const Cost& selection,
                                const std::optional<MeasureRelease>& direct) const;
  /// The question that a selection from these candidates with this worst case answers. It selects
  /// `most` candidates at most; with `lists_all` the release names the others too.
  [[nodiscard]] Question question(const std::string& verb, const LabelledCandidates& labelled,
                                  const Cost& selection, std::uint64_t most, bool lists_all,
                                  std::function<Outcome(ExactNoise&)> draw) const;

 private:
  [[nodiscard]] Rational measuring() const { return asked.measure * asked.epsilon->value(); }
};

}  // namespace freegap::questions
