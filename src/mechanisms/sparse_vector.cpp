#include "freegap/sparse_vector.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "freegap/sparse_vector_above.hpp"
#include "options.hpp"

namespace freegap {
namespace {

constexpr std::uint64_t largest_k = std::uint64_t{1} << 40U;
constexpr std::size_t most_branches = 16;

void check(const SparseVectorOptions& options) {
  if (options.k == 0 || options.k > largest_k) {
    throw InvalidParameter("k", "it must be from 1 to 2^40");
  }
  if (options.branches == 0 || options.branches > most_branches) {
    throw InvalidParameter("branches", "there must be from 1 (plain) to 16");
  }
  if (options.sigma.sign() < 0 || options.sigma > Rational(1000)) {
    throw InvalidParameter("sigma", "it must be from 0 to 1000 standard deviations");
  }
  if (options.stop_after && *options.stop_after == 0) {
    throw InvalidParameter("stop_after", "it must be at least 1");
  }
}

/// A whole number that all of 1 ... m divide: the full price of an answer in units.
std::uint64_t full_price(std::size_t m) {
  std::uint64_t price = 1;
  for (std::uint64_t r = 2; r <= m; ++r) {
    price = std::lcm(price, r);
  }
  return price;
}

}  // namespace

SparseVectorPlan plan_sparse_vector(const Queries& queries, const SparseVectorOptions& options,
                                    bool whole_answers) {
  check(options);
  const Distribution distribution = options.noise;
  const detail::ThresholdBudget budget =
      detail::divide_budget(queries, options.epsilon, options.k, distribution, options.theta,
                            detail::tick_for(distribution, options.tick, whole_answers));
  const Grid& grid = budget.grid;

  SparseVectorRelease blank;
  blank.queries = queries;
  blank.distribution = distribution;
  blank.tick = grid.tick();
  blank.theta = budget.theta;
  blank.threshold = detail::threshold_on(grid, options.threshold);
  blank.threshold_epsilon = budget.threshold_epsilon;
  blank.threshold_scale = grid.sensitivity() / budget.threshold_epsilon;
  blank.stop_rule = options.stop_rule;
  blank.cost = {options.epsilon.value(), 0};

  const std::uint64_t price = full_price(options.branches);
  SparseVectorPlan plan{queries,
                        grid,
                        blank,
                        Rate(grid.tick() / blank.threshold_scale),
                        {},
                        options.k * price,
                        budget.answer_epsilon / Rational(price),
                        options.stop_after,
                        options.gaps};
  for (std::uint64_t r = options.branches; r >= 1; --r) {
    const Branch branch =
        detail::make_branch(queries, grid, distribution, budget.answer_epsilon / Rational(r),
                            blank.threshold_scale, r == 1 ? Rational(0) : options.sigma);
    plan.blank.branches.push_back(branch);
    plan.steps.push_back({Rate(grid.tick() / branch.scale), branch.offset_ticks + branch.cut_ticks,
                          branch.offset_ticks, price / r});
  }
  return plan;
}

SparseVectorAccount::SparseVectorAccount(SparseVectorPlan plan)
    : plan_(std::move(plan)), release_(plan_.blank) {
  count_branches();
}

// Steps are ordered by weight, cheapest first.
void SparseVectorAccount::count_branches() {
  const bool paper = plan_.blank.stop_rule == StopRule::paper;
  const bool stops = (paper && !affordable(plan_.steps.back().weight)) ||
                     (plan_.stop_after && release_.answers.size() >= *plan_.stop_after);
  branches_ = stops ? 0 : plan_.steps.size();
  while (branches_ > 0 && !affordable(plan_.steps[branches_ - 1].weight)) {
    --branches_;
  }
}

SparseVectorAnswer SparseVectorAccount::pass(const Item& item, std::size_t branch,
                                             std::int64_t raw) {
  const SparseVectorPlan::Step& step = plan_.steps[branch];
  SparseVectorAnswer answer{item, true, branch + 1, std::nullopt};
  if (plan_.gaps) {
    answer.gap_ticks = difference_ticks(raw, step.offset);
  }
  release_.answers.push_back(answer);
  used_ += step.weight;
  count_branches();
  return answer;
}

// The threshold is paid for with the first query, even if nothing ever passes.
const SparseVectorRelease& SparseVectorAccount::release(const std::optional<std::uint64_t>& asked) {
  release_.asked = asked;
  if (asked != 0U) {
    release_.cost.spent = plan_.blank.threshold_epsilon + Rational(used_) * plan_.unit;
  }
  return release_;
}

void check_queries(const Candidates& candidates) {
  if (!candidates.dense()) {
    throw InvalidParameter("candidates",
                           "sparse vector asks a dense list of queries, one answer each");
  }
}

// Sampled are evenly spread ones, so that a list in order is judged well.
bool crowded_above(const Candidates& candidates, const SparseVectorPlan& plan) {
  const std::vector<Candidates::Pile> sample = candidates.sample(plan.grid);
  const auto above = std::count_if(sample.begin(), sample.end(), [&](const Candidates::Pile& pile) {
    return pile.ticks >= plan.blank.threshold.used_ticks;
  });
  return 8 * static_cast<std::size_t>(above) > sample.size();
}

}  // namespace freegap
