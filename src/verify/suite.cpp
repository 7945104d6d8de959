#include "verify/suite.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "verify/mechanism_table.hpp"
#include "verify/row_tasks.hpp"

namespace freegap::verify {
namespace {

void take_larger(std::optional<double>& figure, const std::optional<double>& other) {
  if (other && (!figure || *other > *figure)) {
    figure = other;
  }
}

/// Larger enumerations go with many replays.
std::vector<MechanismChecks> mechanisms(const SuiteOptions& options) {
  return all_mechanisms(options.replays > 1'000'000);
}

/// A check that finds rows.
Check rows_by(const std::string& name, std::vector<Row> (*find)(const SuiteOptions&)) {
  return {name, [find](const SuiteOptions& options, Report& report) {
            std::vector<Row> rows = find(options);
            std::move(rows.begin(), rows.end(), std::back_inserter(report.rows));
          }};
}

}  // namespace

std::vector<MechanismChecks> all_mechanisms(bool longer) {
  std::vector<MechanismChecks> result;
#define FREEGAP_ADD_CHECKS(name) result.push_back(name##_checks(longer));
  FREEGAP_VERIFIED_MECHANISMS(FREEGAP_ADD_CHECKS)
#undef FREEGAP_ADD_CHECKS
  return result;
}

bool Report::passed() const {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.problem.empty();
  }) && std::all_of(bad_rows.begin(), bad_rows.end(), [](const BadRow& row) {
    return row.caught();
  });
}

std::vector<Row> merged(const std::vector<Row>& rows) {
  std::vector<Row> result;
  for (const Row& row : rows) {
    const auto same = std::find_if(result.begin(), result.end(), [&](const Row& other) {
      return other.mechanism == row.mechanism && other.variant == row.variant;
    });
    if (same == result.end()) {
      result.push_back(row);
      continue;
    }
    same->replays += row.replays;
    take_larger(same->alignment, row.alignment);
    take_larger(same->exact, row.exact);
    take_larger(same->black_box, row.black_box);
    same->same_distribution = same->same_distribution || row.same_distribution;
    same->problem += (same->problem.empty() || row.problem.empty() ? "" : "; ");
    same->problem += row.problem;
  }
  return result;
}

std::vector<Row> check_alignments(const SuiteOptions& options) {
  std::vector<RowTask> tasks;
  for (const MechanismChecks& mechanism : mechanisms(options)) {
    for (const AlignmentCheck& check : mechanism.alignments) {
      // A seed per row: rows do not depend on each other or on the number of threads.
      const std::uint64_t seed = options.seed * 1000 + tasks.size();
      tasks.emplace_back([=, replays = options.replays] { return check(replays, seed); });
    }
  }
  return run_tasks(tasks, options);
}

std::vector<Row> check_enumerations(const SuiteOptions& options) {
  std::vector<RowTask> tasks;
  for (MechanismChecks& mechanism : mechanisms(options)) {
    std::move(mechanism.enumerations.begin(), mechanism.enumerations.end(),
              std::back_inserter(tasks));
  }
  return run_tasks(tasks, options);
}

std::vector<Row> check_black_boxes(const SuiteOptions& options) {
  std::vector<BlackBox> boxes;
  for (MechanismChecks& mechanism : mechanisms(options)) {
    std::move(mechanism.black_boxes.begin(), mechanism.black_boxes.end(),
              std::back_inserter(boxes));
  }
  const double error = 1e-6 / static_cast<double>(boxes.size());
  std::vector<RowTask> tasks;
  for (const BlackBox& box : boxes) {
    const std::uint64_t seed = options.seed * 1000 + 500 + tasks.size();
    tasks.emplace_back([=] { return row_of(box, options, seed, error); });
  }
  return run_tasks(tasks, options);
}

std::vector<BadRow> check_bad_variants(const SuiteOptions& options) {
  std::vector<BadRow> rows;
  for (const MechanismChecks& mechanism : mechanisms(options)) {
    for (const BadVariantCheck& check : mechanism.bad_variants) {
      rows.push_back(check(options));
    }
  }
  return rows;
}

std::vector<Check> all_checks() {
  return {rows_by("alignments", check_alignments),
          rows_by("enumeration", check_enumerations),
          rows_by("black boxes", check_black_boxes),
          {"bad variants", [](const SuiteOptions& options, Report& report) {
             report.bad_rows = check_bad_variants(options);
           }}};
}

Report run_suite(const SuiteOptions& options, const std::vector<Check>& checks,
                 const std::function<void(const std::string&)>& starting) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  for (const Check& check : checks) {
    if (starting) {
      starting(check.name);
    }
    check.add_to(options, report);
  }
  report.rows = merged(report.rows);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  report.seconds = taken.count();
  return report;
}

}  // namespace freegap::verify
