#include "verify/loss_rows.hpp"

#include <algorithm>

namespace freegap::verify {

double share_of(const Worst& worst) {
  double share = 0;
  for (const auto& [spent, loss] : worst.loss_by_spent) {
    if (spent > 0) {
      share = std::max(share, loss / static_cast<double>(spent));
    }
  }
  return share;
}

double share_of_largest_cost(const Worst& worst) {
  if (worst.loss_by_spent.empty() || worst.loss_by_spent.rbegin()->first == 0) {
    return 0;
  }
  const auto& [spent, loss] = *worst.loss_by_spent.rbegin();
  return loss / static_cast<double>(spent);
}

Row row_of(const LossCheck& check) {
  const Worst worst = check.worst();
  Row row;
  row.mechanism = check.mechanism;
  row.variant = check.variant;
  row.exact = share_of(worst);
  if (worst.outcomes == 0) {
    row.problem = "the enumeration compared nothing";
  } else if (worst.excess > slack) {
    row.problem = "enumeration: the loss exceeds the stated cost by " +
                  std::to_string(worst.excess) + " units: " + worst.where;
  } else if (share_of_largest_cost(worst) < check.at_least) {
    row.problem = "enumeration: a worst case that is known to exist was not found, only " +
                  std::to_string(share_of_largest_cost(worst)) + " of it";
  }
  return row;
}

std::vector<RowTask> tasks_of(const std::vector<LossCheck>& checks) {
  std::vector<RowTask> tasks;
  tasks.reserve(checks.size());
  for (const LossCheck& check : checks) {
    tasks.emplace_back([check] { return row_of(check); });
  }
  return tasks;
}

}  // namespace freegap::verify
