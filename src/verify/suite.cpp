#include "suite.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "bad_variants.hpp"
#include "black_box.hpp"
#include "exact.hpp"
#include "variants.hpp"

namespace freegap::verify {
namespace {

void take_larger(std::optional<double>& figure, const std::optional<double>& other) {
  if (other && (!figure || *other > *figure)) {
    figure = other;
  }
}

/// A check that finds rows.
Check rows_by(const std::string& name, std::vector<Row> (*find)(const SuiteOptions&)) {
  return {name, [find](const SuiteOptions& options, Report& report) {
            std::vector<Row> rows = find(options);
            std::move(rows.begin(), rows.end(), std::back_inserter(report.rows));
          }};
}

}  // namespace

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

std::vector<Check> all_checks() {
  return {rows_by("alignments", check_alignments),
          rows_by("enumeration", check_exact),
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
