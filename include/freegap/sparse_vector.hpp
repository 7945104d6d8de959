#pragma once

/// @file
/// The sparse vector technique with free gaps, plain and adaptive: the paper's section on sparse
/// vector. Queries are answered one at a time, each above or below a public threshold; only answers
/// above it cost budget. The adaptive version tries cheap, noisy branches first. Guarantee: pure ε,
/// for every output at most `cost.spent`; docs/proofs/sparse_vector.md, checked by
/// tests/mechanisms/sparse_vector_privacy_test.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// In which order a list of queries is asked.
enum class Asking : std::uint8_t {
  shuffled,  ///< at random: the order of a list is often secret itself
  as_given   ///< as listed: the caller declares that order public
};

/// What a sparse vector is asked for.
struct SparseVectorOptions {
  std::uint64_t k = 1;  ///< answers above the threshold that the budget is made for, 1 <= k <= 2^40
  Epsilon epsilon;      ///< budget
  Rational threshold;   ///< public; rounded up to a tick
  Law noise = Law::exponential;  ///< law of all noise
  /// 1: plain. More: adaptive; branch number b of m is tried in turn and costs 1 / (m + 1 - b) of
  /// the full price of an answer. At most 16.
  std::size_t branches = 1;
  /// Share of the budget for the threshold, 0 < θ < 1; by default the best for gaps at full price.
  std::optional<Rational> theta = std::nullopt;
  /// How many standard deviations of its noise a reduced branch must be passed by, at least 0.
  Rational sigma = 2;
  StopRule stop_rule = StopRule::afford;  ///< when the budget is used up
  std::optional<std::uint64_t> stop_after =
      std::nullopt;  ///< also stop after so many answers above
  bool gaps = true;  ///< false for the classic mechanism
  std::optional<Rational> tick =
      std::nullopt;                  ///< a power of two; by default fine, or 1 for geometric
  Asking asking = Asking::shuffled;  ///< for a list of queries
};

/// Everything public about a sparse vector, settled before any noise is drawn.
struct SparseVectorPlan {
  /// A branch as drawn and as charged.
  struct Step {
    Rate rate;             ///< of the noise added to the query
    std::int64_t pass_at;  ///< smallest raw difference that passes: offset + cut
    std::int64_t offset;   ///< raw difference minus this is the gap
    std::uint64_t weight;  ///< price in units
  };

  Queries queries;            ///< what is asked
  Grid grid;                  ///< ticks
  SparseVectorRelease blank;  ///< a release without answers: all public parameters
  Rate threshold_rate;        ///< of the noise added to the threshold
  std::vector<Step> steps;    ///< the branches in the order they are tried
  std::uint64_t budget;       ///< units for answers; all accounting is in these integers
  Rational unit;              ///< ε of one unit
  std::optional<std::uint64_t> stop_after;  ///< answers above after which to stop
  bool gaps;                                ///< whether they are released
};

/// Checks the options and settles the plan. Throws InvalidParameter.
SparseVectorPlan plan_sparse_vector(const Queries& queries, const SparseVectorOptions& options,
                                    bool whole_answers);

/// A sparse vector that is fed queries one at a time; each may be chosen after seeing earlier
/// answers.
template <NoiseSource Source>
class SparseVector {
 public:
  /// Settles the plan; `noise` must outlive this object. `whole_answers` promises that all answers
  /// will be whole numbers, which geometric noise needs.
  SparseVector(const Queries& queries, const SparseVectorOptions& options, Source& noise,
               bool whole_answers = true)
      : SparseVector(plan_sparse_vector(queries, options, whole_answers), noise) {}
  /// Runs a settled plan.
  SparseVector(SparseVectorPlan plan, Source& noise)
      : plan_(std::move(plan)), release_(plan_.blank), noise_(&noise) {}

  /// Whether it still answers. Follows from the answers so far.
  [[nodiscard]] bool open() const {
    return affordable(cheapest_allowed()) && !(plan_.stop_after && above_ >= *plan_.stop_after);
  }
  /// Answers one query. Throws Exhausted when no longer open, InvalidParameter when the answer is
  /// not finite.
  const SparseVectorAnswer& ask(const Answer& answer, const Item& item) {
    if (!open()) {
      throw Exhausted("sparse vector: its budget is used up, so it answers no more queries");
    }
    answer.check();
    return ask_ticks(plan_.grid.floor_ticks(answer), item);
  }
  /// Answers one query, numbered by its place in the sequence.
  const SparseVectorAnswer& ask(const Answer& answer) {
    return ask(answer, Item{static_cast<std::int64_t>(release_.answers.size()), 0});
  }
  /// Answers one query whose answer is already on the grid, within Grid::limit_ticks. Must be open.
  const SparseVectorAnswer& ask_ticks(std::int64_t ticks, const Item& item) {
    const Law law = plan_.blank.law;
    if (!threshold_) {
      threshold_ = plan_.blank.threshold.used_ticks + draw(law, plan_.threshold_rate, *noise_);
      settle();
    }
    SparseVectorAnswer answer{item, false, 0, std::nullopt};
    for (std::size_t b = 0; b < plan_.steps.size() && affordable(plan_.steps[b].weight); ++b) {
      const SparseVectorPlan::Step& step = plan_.steps[b];
      // Fresh noise for each branch: one draw must not serve two of them.
      const std::int64_t raw = difference_ticks(ticks + draw(law, step.rate, *noise_), *threshold_);
      if (raw >= step.pass_at) {
        answer.above = true;
        answer.branch = b + 1;
        if (plan_.gaps) {
          answer.gap_ticks = difference_ticks(raw, step.offset);
        }
        used_ += step.weight;
        ++above_;
        settle();
        break;
      }
    }
    release_.answers.push_back(answer);
    return release_.answers.back();
  }

  /// All answers so far, with their cost.
  [[nodiscard]] const SparseVectorRelease& release() const { return release_; }

 private:
  [[nodiscard]] bool affordable(std::uint64_t weight) const {
    return used_ + weight <= plan_.budget;
  }
  /// Steps are ordered by weight, cheapest first.
  [[nodiscard]] std::uint64_t cheapest_allowed() const {
    const bool paper = plan_.blank.stop_rule == StopRule::paper;
    return paper ? plan_.steps.back().weight : plan_.steps.front().weight;
  }

  /// The threshold is paid for with the first answer, even if nothing ever passes.
  void settle() {
    release_.cost.spent = plan_.blank.threshold_epsilon + Rational(used_) * plan_.unit;
  }

  SparseVectorPlan plan_;
  SparseVectorRelease release_;
  Source* noise_;
  std::optional<std::int64_t> threshold_;  // noisy; secret
  std::uint64_t used_ = 0;
  std::uint64_t above_ = 0;
};

/// Hands out 0 .. n-1 in uniformly random order, as far as asked for.
template <NoiseSource Source>
class Shuffle {
 public:
  /// Draws from `noise`, which must outlive this object.
  Shuffle(std::uint64_t n, Source& noise) : n_(n), noise_(&noise) {}

  /// The next number; at most n calls.
  std::uint64_t next() {
    const std::uint64_t other = next_ + noise_->below(n_ - next_);
    const std::uint64_t result = at(other);
    moved_[other] = at(next_);
    moved_.erase(next_++);
    return result;
  }

 private:
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const {
    const auto found = moved_.find(i);
    return found == moved_.end() ? i : found->second;
  }

  std::uint64_t n_;
  std::uint64_t next_ = 0;
  Source* noise_;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
};

/// Asks a dense list of queries, until it ends or the budget does.
template <NoiseSource Source>
SparseVectorRelease sparse_vector(const Candidates& candidates, const SparseVectorOptions& options,
                                  Source& noise) {
  if (!candidates.dense()) {
    throw InvalidParameter("candidates",
                           "sparse vector asks a dense list of queries, one answer each");
  }
  SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), options, candidates.whole());
  const Grid grid = plan.grid;
  SparseVector<Source> vector(std::move(plan), noise);
  Shuffle<Source> shuffle(candidates.size(), noise);
  for (std::uint64_t i = 0; i < candidates.size() && vector.open(); ++i) {
    const std::uint64_t query = options.asking == Asking::as_given ? i : shuffle.next();
    const Item item{static_cast<std::int64_t>(query), 0};
    vector.ask_ticks(candidates.ticks(item, grid), item);
  }
  return vector.release();
}

}  // namespace freegap
