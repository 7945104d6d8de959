#include "exact.hpp"

#include <algorithm>

#include "tasks.hpp"

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

double share_of_full_price(const Worst& worst) {
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
    row.problem = "enumeration: more is lost than the release admits to, by " +
                  std::to_string(worst.excess) + " units: " + worst.where;
  } else if (share_of_full_price(worst) < check.at_least) {
    row.problem = "enumeration: a worst case that is known to exist was not found, only " +
                  std::to_string(share_of_full_price(worst)) + " of it";
  }
  return row;
}

std::vector<Row> check_exact(const SuiteOptions& options) {
  const bool longer = options.replays > 1'000'000;
  std::vector<RowTask> tasks;
  for (const auto losses :
       {top_k_losses, sparse_vector_losses, hybrid_losses, measure_losses, exponential_losses}) {
    for (const LossCheck& check : losses(longer)) {
      tasks.emplace_back([check] { return row_of(check); });
    }
  }
  std::vector<Row> rows = run_tasks(tasks, options);
  for (Row& row : check_top_m(longer)) {
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace freegap::verify
