#pragma once

/// @file
/// The sparse vector technique with free gaps, plain and adaptive: the paper's section on sparse
/// vector. Queries are answered one at a time, each above or below a public threshold; only answers
/// above it cost budget. The adaptive version tries cheap, noisy branches first. Guarantee: pure ε,
/// for every output at most `cost.spent`; docs/proofs/sparse_vector.md, checked by
/// tests/mechanisms/sparse_vector_privacy_test.cpp.
///
/// Queries far below the threshold are passed over without a draw for each; the distribution is
/// exactly that of drawing (the same page; tests/mechanisms/sparse_vector_distribution_test.cpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/detail/mechanisms/shuffle.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"
#include "freegap/distribution.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/item.hpp"
#include "freegap/noise.hpp"
#include "freegap/release/sparse_vector.hpp"

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
  Distribution noise = Distribution::exponential;  ///< distribution of all noise
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

/// What a sparse vector has answered and spent: a function of its answers above.
class SparseVectorAccount {
 public:
  /// Nothing so far.
  explicit SparseVectorAccount(SparseVectorPlan plan);

  /// What is followed.
  [[nodiscard]] const SparseVectorPlan& plan() const { return plan_; }
  /// How many branches, the first of all, are tried for the next query: those that can be paid for,
  /// and none when it is to stop.
  [[nodiscard]] std::size_t branches() const { return branches_; }
  /// Takes down that a query passes a branch, one of those that are tried.
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

/// The raw difference between a query and the noisy threshold by fresh noise of a branch, if it
/// passes.
template <NoiseSource Source>
std::optional<std::int64_t> draw_raw(const SparseVectorPlan::Step& step, Distribution distribution,
                                     std::int64_t ticks, std::int64_t threshold, Source& noise) {
  const std::int64_t raw =
      difference_ticks(ticks + draw(distribution, step.rate, noise), threshold);
  return raw >= step.pass_at ? std::optional(raw) : std::nullopt;
}

/// Where the branches of a sparse vector are passed, once the noisy threshold is known. Secret.
template <NoiseSource Source>
class Bars {
 public:
  /// The plan's steps and the noise must outlive this object.
  Bars(const SparseVectorPlan& plan, std::int64_t threshold, const SkipSizes& /*sizes*/,
       Source& noise)
      : distribution_(plan.blank.distribution),
        steps_(plan.steps),
        threshold_(threshold),
        noise_(&noise) {}

  /// Answers below this are far, and passed over: none, where noise is drawn for each query.
  [[nodiscard]] static std::int64_t far(std::size_t /*branches*/) { return INT64_MIN; }
  /// How many far queries are known to pass none of the first branches, if they come next.
  static std::uint64_t known_failures(std::size_t /*branches*/) { return 0; }
  /// Takes the trials of so many far queries.
  static void pass_far(std::size_t /*branches*/, std::uint64_t /*count*/) {}
  /// The raw difference of a query by the noise of a branch, if it passes.
  std::optional<std::int64_t> raw(std::size_t branch, std::int64_t ticks) {
    return draw_raw(steps_[branch], distribution_, ticks, threshold_, *noise_);
  }

 private:
  Distribution distribution_;
  std::span<const SparseVectorPlan::Step> steps_;
  std::int64_t threshold_;
  Source* noise_;
};

/// The same by trials. The bar of a branch is the threshold plus the smallest difference that
/// passes; a query at distance d below it passes with probability exp(-rate d), for two-sided noise
/// times 1 / (1 + exp(-rate)), and then lies above it by fresh one-sided noise. So queries of one
/// class are passed over up to the first whose trial for some branch succeeds.
template <SkippingSource Source>
class Bars<Source> {
 public:
  /// The plan's steps and the noise must outlive this object.
  Bars(const SparseVectorPlan& plan, std::int64_t threshold, const SkipSizes& sizes, Source& noise)
      : distribution_(plan.blank.distribution),
        threshold_(threshold),
        last_(sizes.last),
        noise_(&noise) {
    for (const SparseVectorPlan::Step& step : plan.steps) {
      bars_.push_back({&step, threshold + step.pass_at, {step.rate, sizes, noise}});
    }
  }

  /// The last class.
  [[nodiscard]] std::size_t last() const { return last_; }
  /// Answers below this are of class c or beyond, for each of the first branches.
  [[nodiscard]] std::int64_t below_class(std::size_t c, std::size_t branches) const {
    std::int64_t highest = INT64_MAX;
    for (std::size_t b = 0; b < branches; ++b) {
      const auto reach = static_cast<std::int64_t>(bars_[b].trials.reach(c));
      highest = std::min(highest, bars_[b].ticks - reach + 1);
    }
    return highest;
  }
  /// The last class that answers up to this one are of or beyond, for each of the first branches;
  /// none if they may be above a bar.
  [[nodiscard]] std::optional<std::size_t> class_of(std::int64_t ticks,
                                                    std::size_t branches) const {
    std::size_t c = last_;
    for (std::size_t b = 0; b < branches; ++b) {
      if (bars_[b].ticks < ticks) {
        return std::nullopt;
      }
      c = std::min(c, bars_[b].class_of(ticks));
    }
    return c;
  }
  /// How many queries of class c come next, `count` at most, that pass none of the first branches.
  /// Their trials are taken; the query after them must take its own of the same class.
  std::uint64_t pass(std::size_t c, std::size_t branches, std::uint64_t count) {
    count = std::min(count, known_failures(c, branches));
    take(c, branches, count);
    return count;
  }

  /// Answers below this are far, and passed over.
  [[nodiscard]] std::int64_t far(std::size_t branches) const {
    return below_class(last_, branches);
  }
  /// How many far queries are known to pass none of the first branches, if they come next.
  std::uint64_t known_failures(std::size_t branches) { return known_failures(last_, branches); }
  /// Takes the trials of so many far queries.
  void pass_far(std::size_t branches, std::uint64_t count) { take(last_, branches, count); }

  /// The raw difference of a query by the noise of a branch, if it passes.
  std::optional<std::int64_t> raw(std::size_t branch, std::int64_t ticks) {
    const Bar& bar = bars_[branch];
    return bar.ticks < ticks ? draw_raw(*bar.step, distribution_, ticks, threshold_, *noise_)
                             : raw(branch, ticks, bar.class_of(ticks));
  }
  /// The same by a trial of class c, which the query is of or beyond.
  std::optional<std::int64_t> raw(std::size_t branch, std::int64_t ticks, std::size_t c) {
    Bar& bar = bars_[branch];
    if (bar.trials.failures(c, 1) == 1) {
      return std::nullopt;
    }
    const std::int64_t reached =
        ticks + static_cast<std::int64_t>(bar.trials.reach(c)) + noise_->geometric(bar.step->rate);
    if (reached < bar.ticks || (two_sided(distribution_) && !noise_->above_zero(bar.step->rate))) {
      return std::nullopt;
    }
    return reached - threshold_;
  }

 private:
  struct Bar {
    const SparseVectorPlan::Step* step;
    std::int64_t ticks;
    SkipSampler<Source> trials;
    /// Of an answer that is not above the bar.
    [[nodiscard]] std::size_t class_of(std::int64_t answer) const {
      // The difference may not fit a signed number.
      return trials.class_of(static_cast<std::uint64_t>(ticks) -
                             static_cast<std::uint64_t>(answer));
    }
  };

  [[nodiscard]] std::uint64_t known_failures(std::size_t c, std::size_t branches) {
    std::uint64_t known = UINT64_MAX;
    for (std::size_t b = 0; b < branches; ++b) {
      known = std::min(known, bars_[b].trials.known_failures(c));
    }
    return known;
  }
  void take(std::size_t c, std::size_t branches, std::uint64_t failures) {
    for (std::size_t b = 0; b < branches; ++b) {
      bars_[b].trials.failures(c, failures);
    }
  }

  Distribution distribution_;
  std::int64_t threshold_;
  std::size_t last_;
  Source* noise_;
  std::vector<Bar> bars_;
};

/// The noisy threshold's bars. The threshold's noise is drawn here, once.
template <NoiseSource Source>
Bars<Source> draw_bars(const SparseVectorPlan& plan, const SkipSizes& sizes, Source& noise) {
  const std::int64_t threshold =
      plan.blank.threshold.used_ticks + draw(plan.blank.distribution, plan.threshold_rate, noise);
  return {plan, threshold, sizes, noise};
}

/// The part of a sparse vector that looks at queries one by one, and knows ahead which of them it
/// need not look at. Secret.
template <NoiseSource Source>
class QueryDesk {
 public:
  /// `noise` must outlive this object.
  QueryDesk(SparseVectorPlan plan, const SkipSizes& sizes, Source& noise)
      : account_(std::move(plan)), sizes_(sizes), noise_(&noise) {}

  /// What was answered and spent.
  [[nodiscard]] SparseVectorAccount& account() { return account_; }
  /// The same.
  [[nodiscard]] const SparseVectorAccount& account() const { return account_; }

  /// Whether a query, after `asked` others, is far below and known to pass nothing.
  [[nodiscard]] bool passes_over(std::int64_t ticks, std::uint64_t asked) const {
    return ticks < far_ && asked < far_until_;
  }
  /// The same for a whole number that is not on the grid.
  [[nodiscard]] bool passes_over_whole(std::int64_t whole, std::uint64_t asked) const {
    return whole < far_whole_ && asked < far_until_;
  }
  /// Answers any other query.
  [[gnu::noinline]] SparseVectorAnswer look(std::int64_t ticks, std::int64_t id,
                                            std::uint64_t member, std::uint64_t asked) {
    SparseVectorAnswer answer{{id, member}, false, 0, std::nullopt};
    if (!bars_) {
      bars_.emplace(draw_bars(account_.plan(), sizes_, *noise_));
      find_far();
    }
    const std::size_t branches = account_.branches();
    // Only now are their trials taken: which trial a query gets must not depend on how it ends.
    bars_->pass_far(branches, asked - far_since_);
    far_since_ = asked;
    if (ticks < far_) {
      far_until_ = asked + bars_->known_failures(branches);
      if (asked < far_until_) {
        return answer;
      }
    }
    for (std::size_t b = 0; b < branches && !answer.above; ++b) {
      // Fresh noise for each branch: one draw must not serve two of them.
      if (const std::optional<std::int64_t> raw = bars_->raw(b, ticks)) {
        answer = account_.pass(answer.item, b, *raw);
        find_far();
      }
    }
    far_since_ = far_until_ = asked + 1;
    return answer;
  }
  /// The same, before it is checked and on the grid. Throws Exhausted at the end, InvalidParameter
  /// when the answer is not finite.
  [[gnu::noinline]] SparseVectorAnswer check_and_look(Answer answer, std::int64_t id,
                                                      std::uint64_t member, std::uint64_t asked) {
    if (account_.branches() == 0) {
      throw Exhausted("sparse vector: its budget is used up, so it answers no more queries");
    }
    answer.check();
    const std::int64_t ticks = account_.plan().grid.floor_ticks(answer);
    return passes_over(ticks, asked) ? SparseVectorAnswer{{id, member}, false, 0, std::nullopt}
                                     : look(ticks, id, member, asked);
  }

 private:
  /// Where far begins depends on the branches that are tried.
  void find_far() {
    far_ = bars_->far(account_.branches());
    far_whole_ = account_.plan().grid.least_whole(far_);
  }

  SparseVectorAccount account_;
  SkipSizes sizes_;
  Source* noise_;
  std::optional<Bars<Source>> bars_;    // once a query was asked
  std::int64_t far_ = INT64_MIN;        // answers below this many ticks are far
  std::int64_t far_whole_ = INT64_MIN;  // and so are whole numbers below this
  std::uint64_t far_since_ = 0;         // after so many, all queries were far and passed over,
  std::uint64_t far_until_ = 0;         // and will be while fewer were asked than this
};

/// A sparse vector that is fed queries one at a time; each may be chosen after seeing earlier
/// answers. A query far below the threshold costs little more than a comparison. It cannot be
/// copied: two that went on from one noisy threshold would spend its budget twice.
template <NoiseSource Source>
class SparseVector {
 public:
  /// Far is where a trial succeeds once in about two thousand.
  static constexpr SkipSizes usual_sizes{std::uint64_t{1} << 16U, 11};

  /// Settles the plan; `noise` must outlive this object. `whole_answers` promises that all answers
  /// will be whole numbers, which geometric noise needs.
  SparseVector(const Queries& queries, const SparseVectorOptions& options, Source& noise,
               bool whole_answers = true)
      : SparseVector(plan_sparse_vector(queries, options, whole_answers), noise) {}
  /// Runs a settled plan.
  SparseVector(SparseVectorPlan plan, Source& noise, const SkipSizes& sizes = usual_sizes)
      : desk_(std::make_unique<QueryDesk<Source>>(std::move(plan), sizes, noise)) {}

  /// Whether it still answers. Follows from the answers so far.
  [[nodiscard]] bool open() const { return desk_->account().branches() > 0; }
  /// Answers one query. Throws Exhausted when no longer open, InvalidParameter when the answer is
  /// not finite.
  SparseVectorAnswer ask(const Answer& answer, const Item& item) {
    if (answer.whole() && desk_->passes_over_whole(answer.whole_number(), asked_)) {
      ++asked_;
      return {item, false, 0, std::nullopt};
    }
    // Answer and item go by value, and how many were asked stays here: so a loop of queries can
    // keep all of it in registers.
    const SparseVectorAnswer result =
        answer.whole() ? desk_->check_and_look(answer.whole_number(), item.id, item.member, asked_)
                       : desk_->check_and_look(answer, item.id, item.member, asked_);
    ++asked_;
    return result;
  }
  /// Answers one query, numbered by its place in the sequence.
  SparseVectorAnswer ask(const Answer& answer) {
    return ask(answer, Item{static_cast<std::int64_t>(asked_), 0});
  }
  /// Answers one query whose answer is already on the grid, within Grid::limit_ticks. Must be open.
  SparseVectorAnswer ask_ticks(std::int64_t ticks, const Item& item) {
    const SparseVectorAnswer result = desk_->passes_over(ticks, asked_)
                                          ? SparseVectorAnswer{item, false, 0, std::nullopt}
                                          : desk_->look(ticks, item.id, item.member, asked_);
    ++asked_;
    return result;
  }

  /// How many queries were asked so far.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  /// All answers above so far, with their cost.
  const SparseVectorRelease& release() { return desk_->account().release(asked_); }

 private:
  std::unique_ptr<QueryDesk<Source>> desk_;
  std::uint64_t asked_ = 0;
};

/// Refuses candidates that are not a plain list of queries.
void check_queries(const Candidates& candidates);

/// Asks a dense list of queries, until it ends or the budget does, and shows each answer to
/// `visit`.
template <NoiseSource Source, class Visit>
SparseVectorRelease ask_list(const Candidates& candidates, SparseVectorPlan plan, Asking asking,
                             Source& noise, const Visit& visit) {
  const Answers list = candidates.listed();
  SparseVector<Source> vector(std::move(plan), noise);
  Shuffle<Source> shuffle(asking == Asking::as_given ? 0 : list.size(), noise);
  for (std::size_t i = 0; i < list.size() && vector.open(); ++i) {
    const std::size_t query = asking == Asking::as_given ? i : shuffle.next();
    visit(vector.ask(list[query], Item{static_cast<std::int64_t>(query), 0}));
  }
  return vector.release();
}

/// Asks a dense list of queries, until it ends or the budget does. All answers are listed.
template <NoiseSource Source>
SparseVectorRelease sparse_vector(const Candidates& candidates, const SparseVectorOptions& options,
                                  Source& noise) {
  check_queries(candidates);
  std::vector<SparseVectorAnswer> answers;
  SparseVectorRelease release = ask_list(
      candidates, plan_sparse_vector(candidates.queries(), options, candidates.whole()),
      options.asking, noise, [&](const SparseVectorAnswer& answer) { answers.push_back(answer); });
  release.answers = std::move(answers);
  return release;
}

}  // namespace freegap
