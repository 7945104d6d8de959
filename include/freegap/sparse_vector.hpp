#pragma once

/// @file
/// The sparse vector technique (AboveThreshold) with free gaps, plain and adaptive: the paper's
/// section on sparse vector. Queries are answered one at a time, each above or below a public
/// threshold; only answers above it cost budget. The adaptive version tries cheap, noisy branches
/// first. Guarantee: pure ε, for every output at most `cost.spent`; docs/proofs/sparse_vector.md,
/// checked by tests/mechanisms/sparse_vector_privacy_test.cpp.
///
/// Queries far below the threshold are skipped without a draw for each. The output distribution is
/// exactly that of drawing (the same page; tests/mechanisms/sparse_vector_distribution_test.cpp).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/core/candidate_walk.hpp"
#include "freegap/detail/core/process.hpp"
#include "freegap/detail/mechanisms/above_scan.hpp"
#include "freegap/detail/mechanisms/above_universe.hpp"
#include "freegap/detail/mechanisms/sparse_vector_state.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/sparse_vector_plan.hpp"

namespace freegap {

/// A sparse vector that is fed queries one at a time; each may be chosen after seeing earlier
/// answers. A query far below the threshold costs little more than a comparison. It cannot be
/// copied: two copies would spend the budget of one noisy threshold twice. For the same reason it
/// does not answer in a child process that was forked while it was open; the parent goes on.
template <NoiseSource Source>
class SparseVector {
 public:
  /// Checks the options; `noise` must outlive this object. All answers will be whole numbers.
  SparseVector(const Queries& queries, const SparseVectorOptions& options, Source& noise)
      : SparseVector(queries, options, true, noise) {}
  /// The same. `whole_answers` promises that all answers will be whole numbers, which geometric
  /// noise needs.
  SparseVector(const Queries& queries, const SparseVectorOptions& options, bool whole_answers,
               Source& noise)
      : SparseVector(plan_sparse_vector(queries, options, whole_answers), noise) {}
  /// Runs a plan.
  SparseVector(SparseVectorPlan plan, Source& noise)
      : SparseVector(std::move(plan), detail::SparseVectorState<Source>::usual_sizes, noise) {}
  /// Runs a plan. `sizes` change the running time, not the distribution.
  SparseVector(SparseVectorPlan plan, const detail::SkipSizes& sizes, Source& noise)
      : state_(std::make_unique<detail::SparseVectorState<Source>>(std::move(plan), sizes, noise)) {
  }

  /// Whether it still answers. Follows from the answers so far, and from whether this is the
  /// process that made it.
  [[nodiscard]] bool open() const { return state_->account().branches() > 0 && process_.same(); }
  /// Answers one query. Throws Exhausted when no longer open, InvalidParameter when the answer is
  /// not finite, Forked in a child of the process that made it.
  SparseVectorAnswer ask(const Answer& answer, const Item& item) {
    process_.check();
    if (answer.whole() && state_->skips_whole(answer.whole_number(), asked_)) {
      ++asked_;
      return {item, false, 0, std::nullopt};
    }
    // Answer and item go by value, and `asked_` stays here, so that a loop of queries keeps all of
    // it in registers.
    const SparseVectorAnswer result =
        answer.whole() ? state_->check_and_ask(answer.whole_number(), item.id, item.member, asked_)
                       : state_->check_and_ask(answer, item.id, item.member, asked_);
    ++asked_;
    return result;
  }
  /// Answers one query, numbered by its place in the sequence.
  SparseVectorAnswer ask(const Answer& answer) {
    return ask(answer, Item{static_cast<std::int64_t>(asked_), 0});
  }
  /// Answers one query whose answer is already on the grid, within Grid::limit_ticks. Must be open.
  SparseVectorAnswer ask_ticks(std::int64_t ticks, const Item& item) {
    process_.check();
    if (state_->account().plan().constant_work) {
      ++asked_;
      return state_->ask_constant_work(ticks, item);
    }
    const SparseVectorAnswer result = state_->skips(ticks, asked_)
                                          ? SparseVectorAnswer{item, false, 0, std::nullopt}
                                          : state_->ask(ticks, item.id, item.member, asked_);
    ++asked_;
    return result;
  }

  /// Number of queries asked so far.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  /// All answers above so far, with their cost.
  const SparseVectorRelease& release() { return state_->account().release(asked_); }

 private:
  std::unique_ptr<detail::SparseVectorState<Source>> state_;
  std::uint64_t asked_ = 0;
  detail::Process process_;
};

/// Asks a dense list of queries one after another, until it ends or the budget does, and passes
/// each answer to `visit`.
template <NoiseSource Source, class Visit>
SparseVectorRelease ask_one_by_one(const Candidates& candidates, SparseVectorPlan plan,
                                   Asking asking, const Visit& visit, Source& noise) {
  const Answers list = detail::CandidateAccess(candidates).listed();
  SparseVector<Source> vector(std::move(plan), noise);
  detail::Shuffle<Source> shuffle(asking == Asking::as_given ? 0 : list.size(), noise);
  for (std::size_t i = 0; i < list.size() && vector.open(); ++i) {
    const std::size_t query = asking == Asking::as_given ? i : shuffle.next();
    visit(vector.ask(list[query], Item{static_cast<std::int64_t>(query), 0}));
  }
  return vector.release();
}

/// Asks a list with constant work: noise for every branch of every query asked. Where the release
/// says how many were asked, it ends there; else all are, and those after the end pass nothing.
template <NoiseSource Source>
SparseVectorRelease ask_with_constant_work(const Candidates& candidates, SparseVectorPlan plan,
                                           Asking asking, detail::Listing listing, Source& noise) {
  const auto n = static_cast<std::size_t>(candidates.size());
  const bool hidden_end = asking == Asking::shuffled && listing == detail::Listing::above_only;
  std::vector<std::int64_t> ticks(n);
  const Grid grid = plan.grid;
  detail::CandidateAccess::Walk walk(detail::CandidateAccess(candidates), grid);
  walk.next(ticks);
  detail::SparseVectorState<Source> state(std::move(plan),
                                          detail::SparseVectorState<Source>::usual_sizes, noise);
  detail::Shuffle<Source> shuffle(asking == Asking::as_given ? 0 : n, noise);
  std::vector<SparseVectorAnswer> answers;
  std::size_t asked = 0;
  for (; asked < n && (hidden_end || state.account().branches() > 0); ++asked) {
    const std::size_t query = asking == Asking::as_given ? asked : shuffle.next();
    const SparseVectorAnswer answer = state.ask_constant_work(ticks[query], walk.item(query));
    if (listing == detail::Listing::all_answers) {
      answers.push_back(answer);
    }
  }
  SparseVectorRelease release =
      state.account().release(hidden_end ? std::nullopt : std::optional<std::uint64_t>(asked));
  if (listing == detail::Listing::all_answers) {
    release.answers = std::move(answers);
  }
  return release;
}

/// Asks a dense list of queries, until it ends or the budget does. Lists all answers in the order
/// asked.
template <SkippingSource Source>
SparseVectorRelease sparse_vector(const Candidates& candidates, const SparseVectorOptions& options,
                                  Source& noise) {
  check_queries(candidates);
  SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), options, candidates.whole());
  if (plan.constant_work) {
    return ask_with_constant_work(candidates, std::move(plan), options.asking,
                                  detail::Listing::all_answers, noise);
  }
  if (!detail::worth_scanning(candidates, plan, options.asking)) {
    std::vector<SparseVectorAnswer> answers;
    SparseVectorRelease release = ask_one_by_one(
        candidates, std::move(plan), options.asking,
        [&](const SparseVectorAnswer& answer) { answers.push_back(answer); }, noise);
    release.answers = std::move(answers);
    return release;
  }
  detail::ScanCounters counters;
  return detail::scan_list(candidates, std::move(plan), options.asking,
                           detail::Listing::all_answers,
                           detail::AboveSizes::for_list(candidates.size()), noise, counters);
}

/// The same, but lists the answers above alone, at little more than the time it takes to read the
/// list. Asked in random order, it does not say how many queries were asked. The candidates may
/// also be a universe, whose ids are asked in random order; its size does not matter.
template <SkippingSource Source>
SparseVectorRelease sparse_vector_above(const Candidates& candidates,
                                        const SparseVectorOptions& options, Source& noise) {
  check_queries_above(candidates, options);
  SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), options, candidates.whole());
  if (plan.constant_work) {
    return ask_with_constant_work(candidates, std::move(plan), options.asking,
                                  detail::Listing::above_only, noise);
  }
  if (detail::CandidateAccess(candidates).universe()) {
    const std::size_t listed = detail::CandidateAccess(candidates).listed().size();
    detail::ScanCounters counters;
    return detail::scan_universe(candidates, std::move(plan), detail::AboveSizes::for_list(listed),
                                 noise, counters);
  }
  if (!detail::worth_scanning(candidates, plan, options.asking)) {
    SparseVectorRelease release = ask_one_by_one(
        candidates, std::move(plan), options.asking, [](const SparseVectorAnswer& /*answer*/) {},
        noise);
    release.asked.reset();
    return release;
  }
  detail::ScanCounters counters;
  return detail::scan_list(candidates, std::move(plan), options.asking, detail::Listing::above_only,
                           detail::AboveSizes::for_list(candidates.size()), noise, counters);
}

/// @cond
// Compiled once, in the library, for its own sources of noise.
extern template SparseVectorRelease sparse_vector(const Candidates&, const SparseVectorOptions&,
                                                  SecureNoise&);
extern template SparseVectorRelease sparse_vector(const Candidates&, const SparseVectorOptions&,
                                                  ExactNoise&);
extern template SparseVectorRelease sparse_vector_above(const Candidates&,
                                                        const SparseVectorOptions&, SecureNoise&);
extern template SparseVectorRelease sparse_vector_above(const Candidates&,
                                                        const SparseVectorOptions&, ExactNoise&);
/// @endcond

}  // namespace freegap
