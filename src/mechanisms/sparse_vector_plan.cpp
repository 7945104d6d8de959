#include "freegap/sparse_vector_plan.hpp"

#include <numeric>
#include <utility>

#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/errors.hpp"
#include "mechanisms/options.hpp"

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
  blank.stop_after = options.stop_after;
  blank.cost = {options.epsilon.value(), 0};

  const std::uint64_t price = full_price(options.branches);
  SparseVectorPlan plan{queries,
                        grid,
                        blank,
                        Rate(grid.tick() / blank.threshold_scale),
                        {},
                        options.k * price,
                        budget.answer_epsilon / Rational(price),
                        options.gaps,
                        options.constant_work};
  for (std::uint64_t r = options.branches; r >= 1; --r) {
    const Branch branch =
        detail::make_branch(queries, grid, distribution, budget.answer_epsilon / Rational(r),
                            blank.threshold_scale, r == 1 ? Rational(0) : options.sigma);
    plan.blank.branches.push_back(branch);
    plan.steps.push_back({detail::TickNoise(distribution, grid.tick() / branch.scale, 1),
                          branch.offset_ticks + branch.cut_ticks, branch.offset_ticks, price / r});
  }
  return plan;
}

void check_queries(const Candidates& candidates) {
  detail::check_listed(candidates);
  if (!candidates.dense()) {
    throw InvalidParameter("candidates",
                           "sparse vector asks a dense list of queries, one answer each");
  }
}

void check_queries_above(const Candidates& candidates, const SparseVectorOptions& options) {
  if (!detail::CandidateAccess(candidates).universe()) {
    check_queries(candidates);
    return;
  }
  if (options.asking != Asking::shuffled) {
    throw InvalidParameter("asking", "the ids of a universe are asked in random order");
  }
  detail::check_constant_work(options.constant_work, candidates, detail::most_written_out);
}

}  // namespace freegap
