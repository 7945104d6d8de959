#pragma once

/// @file
/// The inside of a sparse vector: what it has answered and spent, and the state between two queries
/// that are asked online. Secret, except the account, which is public.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "freegap/detail/core/floor_ticks.hpp"
#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/constant_work_branches.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/sparse_vector.hpp"
#include "freegap/sparse_vector_plan.hpp"

namespace freegap::detail {

/// What a sparse vector has answered and spent: a function of its answers above.
class SparseVectorAccount {
 public:
  /// Starts with the whole budget.
  explicit SparseVectorAccount(SparseVectorPlan plan);

  /// The plan.
  [[nodiscard]] const SparseVectorPlan& plan() const { return plan_; }
  /// Number of branches that are tried for the next query: the first ones, as far as they can be
  /// paid for; none when it has stopped.
  [[nodiscard]] std::size_t branches() const { return branches_; }
  /// Records that a query passes a branch, one of those that are tried.
  SparseVectorAnswer pass(const Item& item, std::size_t branch, std::int64_t raw);
  /// All answers above so far, and their cost once a query was asked.
  const SparseVectorRelease& release(const std::optional<std::uint64_t>& asked);

 private:
  [[nodiscard]] bool affordable(std::uint64_t weight) const {
    return used_ + weight <= plan_.budget;
  }
  void count_branches();

  SparseVectorPlan plan_;
  SparseVectorRelease release_;
  std::uint64_t used_ = 0;
  std::size_t branches_ = 0;
};

/// A branch with its noise. Its threshold is the noisy threshold plus the smallest difference that
/// passes, and does not change.
template <NoiseSource Source>
struct NoisyBranch {
  Wiped<Position> threshold;    ///< noisy answers from here on pass
  SkipSampler<Source> sampler;  ///< its noise
};

/// The noisy threshold, in ticks.
template <NoiseSource Source>
std::int64_t draw_threshold(const SparseVectorPlan& plan, Source& noise) {
  return plan.blank.threshold.used_ticks +
         draw(plan.blank.distribution, plan.threshold_rate, noise);
}

/// A sparse vector between two queries.
///
/// The running time of a far query is a comparison: the trials of far queries are counted, and
/// taken when the next other query comes (docs/proofs/sparse_vector.md, "Runs of failures").
template <NoiseSource Source>
class SparseVectorState {
 public:
  /// A trial of a far query succeeds once in about two thousand.
  static constexpr SkipSizes usual_sizes{std::uint64_t{1} << 16U, 11};

  /// `noise` must outlive this object.
  SparseVectorState(SparseVectorPlan plan, const SkipSizes& sizes, Source& noise)
      : account_(std::move(plan)), sizes_(sizes), noise_(&noise) {}

  /// What was answered and spent.
  [[nodiscard]] SparseVectorAccount& account() { return account_; }
  /// What was answered and spent.
  [[nodiscard]] const SparseVectorAccount& account() const { return account_; }

  /// Whether a query, after `asked` others, is far below and known to pass nothing.
  [[nodiscard]] bool skips(std::int64_t ticks, std::uint64_t asked) const {
    return ticks < far_ && asked < far_until_;
  }
  /// The same for a whole number that is not on the grid.
  [[nodiscard]] bool skips_whole(std::int64_t whole, std::uint64_t asked) const {
    return whole < far_whole_ && asked < far_until_;
  }
  /// Answers any other query.
  [[gnu::noinline]] SparseVectorAnswer ask(std::int64_t ticks, std::int64_t id,
                                           std::uint64_t member, std::uint64_t asked) {
    SparseVectorAnswer answer{{id, member}, false, 0, std::nullopt};
    if (branches_.empty()) {
      draw_branches();
    }
    const std::size_t count = account_.branches();
    // Only now are their trials taken: which trial a query gets must not depend on how it ends.
    take_far(count, asked - far_since_);
    far_since_ = asked;
    if (ticks < far_) {
      far_until_ = asked + known_far_failures(count);
      if (asked < far_until_) {
        return answer;
      }
    }
    for (std::size_t b = 0; b < count && !answer.above; ++b) {
      // Fresh noise for each branch: one draw must not serve two of them.
      NoisyBranch<Source>& branch = branches_[b];
      if (const auto noisy = branch.sampler.reach(Position{ticks}, branch.threshold)) {
        answer = account_.pass(answer.item, b,
                               difference_ticks(static_cast<std::int64_t>(*noisy), threshold_));
        find_far();
      }
    }
    far_since_ = far_until_ = asked + 1;
    return answer;
  }
  /// Answers a query with noise for every branch, whatever its answer. Also where nothing can be
  /// paid for any more: then nothing passes, by the same work.
  [[gnu::noinline]] SparseVectorAnswer ask_constant_work(std::int64_t ticks, const Item& item) {
    if (!all_branches_) {
      threshold_ = draw_threshold(account_.plan(), *noise_);
      all_branches_.emplace(account_.plan(), threshold_, *noise_);
    }
    const PassedBranches passed = all_branches_->ask(ticks, account_.branches());
    if (passed.branch == account_.plan().steps.size()) {
      return {item, false, 0, std::nullopt};
    }
    return account_.pass(item, passed.branch,
                         difference_ticks(static_cast<std::int64_t>(passed.noisy), threshold_));
  }
  /// The same for an answer that is not checked and not on the grid. Throws Exhausted at the end,
  /// InvalidParameter when the answer is not finite.
  [[gnu::noinline]] SparseVectorAnswer check_and_ask(Answer answer, std::int64_t id,
                                                     std::uint64_t member, std::uint64_t asked) {
    if (account_.branches() == 0) {
      throw Exhausted("sparse vector: its budget is used up, so it answers no more queries");
    }
    answer.check();
    if (account_.plan().constant_work) {
      return ask_constant_work(floor_ticks_in_vectors(answer, account_.plan().grid), {id, member});
    }
    const std::int64_t ticks = account_.plan().grid.floor_ticks(answer);
    return skips(ticks, asked) ? SparseVectorAnswer{{id, member}, false, 0, std::nullopt}
                               : ask(ticks, id, member, asked);
  }

 private:
  /// Draws the noise of the threshold, once.
  void draw_branches() {
    std::vector<NoisyBranch<Source>> branches;
    threshold_ = draw_threshold(account_.plan(), *noise_);
    for (const SparseVectorPlan::Step& step : account_.plan().steps) {
      branches.push_back(
          {Position{std::int64_t{threshold_}} + step.pass_at, {step.noise, sizes_, *noise_}});
    }
    branches_ = std::move(branches);
    find_far();
  }
  /// Which queries are far depends on the branches that are tried: far from all of them.
  void find_far() {
    Position far = std::numeric_limits<std::int64_t>::max();
    for (std::size_t b = 0; b < account_.branches(); ++b) {
      const NoisyBranch<Source>& branch = branches_[b];
      far = std::min(far, branch.sampler.far_below(branch.threshold));
    }
    far_ = static_cast<std::int64_t>(far);
    far_whole_ = account_.plan().grid.least_whole(far_);
  }
  [[nodiscard]] std::uint64_t known_far_failures(std::size_t branches) {
    std::uint64_t known = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t b = 0; b < branches; ++b) {
      known = std::min(known, branches_[b].sampler.known_far_failures());
    }
    return known;
  }
  void take_far(std::size_t branches, std::uint64_t count) {
    for (std::size_t b = 0; b < branches; ++b) {
      branches_[b].sampler.take_far(count);
    }
  }

  SparseVectorAccount account_;
  SkipSizes sizes_;
  Source* noise_;
  Wiped<std::int64_t> threshold_;                                // noisy, once a query was asked
  std::vector<NoisyBranch<Source>> branches_;                    // the same
  std::optional<ConstantWorkBranches<Source>> all_branches_;     // the same, for constant work
  std::int64_t far_ = std::numeric_limits<std::int64_t>::min();  // fewer ticks are far
  std::int64_t far_whole_ = std::numeric_limits<std::int64_t>::min();  // smaller whole numbers are
  std::uint64_t far_since_ = 0;  // number of the first query skipped since the last other one
  std::uint64_t far_until_ = 0;  // far queries before this number are known to pass nothing
};

}  // namespace freegap::detail
