#include "freegap/sparse_vector.hpp"

#include <algorithm>
#include <utility>

namespace freegap::detail {

SparseVectorAccount::SparseVectorAccount(SparseVectorPlan plan)
    : plan_(std::move(plan)), release_(plan_.blank) {
  count_branches();
}

// Steps are ordered by weight, cheapest first.
void SparseVectorAccount::count_branches() {
  const bool paper = plan_.blank.stop_rule == StopRule::paper;
  const bool stops = (paper && !affordable(plan_.steps.back().weight)) ||
                     (release_.stop_after && release_.answers.size() >= *release_.stop_after);
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

void list_below(std::size_t asked, SparseVectorRelease& release) {
  std::vector<SparseVectorAnswer> above = std::exchange(release.answers, {});
  auto next = above.begin();
  for (std::size_t i = 0; i < asked; ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const bool passed = next != above.end() && next->item.id == place;
    release.answers.push_back(passed ? *next++
                                     : SparseVectorAnswer{{place, 0}, false, 0, std::nullopt});
  }
}

// The sample is spread evenly over the list, so that a list in order is judged well. An entry
// stands for as many candidates as it says: neighbours with equal answers are one entry.
bool worth_scanning(const Candidates& candidates, const SparseVectorPlan& plan, Asking asking) {
  if (asking == Asking::as_given) {
    return true;
  }
  std::uint64_t all = 0;
  std::uint64_t above = 0;
  for (const ValueCount& value : CandidateAccess(candidates).sample(plan.grid)) {
    all += value.size;
    above += value.ticks >= plan.blank.threshold.used_ticks ? value.size : 0;
  }
  return above <= all / 8;
}

}  // namespace freegap::detail

namespace freegap {

template SparseVectorRelease sparse_vector(const Candidates&, const SparseVectorOptions&,
                                           SecureNoise&);
template SparseVectorRelease sparse_vector(const Candidates&, const SparseVectorOptions&,
                                           ExactNoise&);
template SparseVectorRelease sparse_vector_above(const Candidates&, const SparseVectorOptions&,
                                                 SecureNoise&);
template SparseVectorRelease sparse_vector_above(const Candidates&, const SparseVectorOptions&,
                                                 ExactNoise&);

}  // namespace freegap
