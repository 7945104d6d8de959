// The report: how rows are merged, judged and shown.
#include "verify/report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "verify/row_tasks.hpp"

namespace freegap::verify {
namespace {

Row row(const std::string& variant, const std::string& problem = "") {
  Row result;
  result.mechanism = "top-k";
  result.variant = variant;
  result.problem = problem;
  return result;
}

BadRow bad_row(bool caught) {
  BadRow result;
  result.name = "raw gaps <k = 1> & more";
  result.by_enumeration = caught;
  result.evidence = "excess \"2\"";
  return result;
}

Report sample() {
  Report report;
  report.rows = {row("noisy max, general, exponential"), row("classic")};
  report.rows[0].replays = 100'000;
  report.rows[0].alignment = 1;
  report.rows[0].exact = 0.98765;
  report.rows[1].exact = std::numeric_limits<double>::quiet_NaN();
  report.bad_rows = {bad_row(true)};
  report.seconds = 12.3;
  return report;
}

TEST(Report, PassesOnlyIfAllHoldsAndAllBadIsCaught) {
  Report report = sample();
  EXPECT_TRUE(report.passed());
  report.bad_rows.push_back(bad_row(false));
  EXPECT_FALSE(report.passed());
  report.bad_rows.pop_back();
  report.rows.push_back(row("other", "it does not hold"));
  EXPECT_FALSE(report.passed());
  EXPECT_FALSE(Report{}.passed()) << "nothing was checked";
}

TEST(Report, MergesRowsOfOneVariant) {
  Row one = row("a", "first");
  one.replays = 3;
  one.exact = 0.5;
  Row two = row("a", "second");
  two.replays = 4;
  two.exact = 0.75;
  two.black_box = 0.95;
  const std::vector<Row> rows = merged({one, row("b"), two});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].replays, 7U);
  EXPECT_EQ(rows[0].exact, 0.75);
  EXPECT_EQ(rows[0].black_box, 0.95);
  EXPECT_FALSE(rows[0].alignment);
  EXPECT_EQ(rows[0].problem, "first; second");
  EXPECT_EQ(rows[1].variant, "b");
}

TEST(Report, TableFitsInEightyColumnsAndShowsDashesForWhatIsMissing) {
  Report report = sample();
  report.rows.push_back(row("estimates first, monotone, exponential",
                            "a problem that takes very many words to tell, more than fit in a line "
                            "of the terminal that it is shown on"));
  const std::string table = as_table(report);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_EQ(table.find("nan"), std::string::npos);
  EXPECT_NE(table.find(" - "), std::string::npos);
  EXPECT_NE(table.find("0.9877"), std::string::npos);
  EXPECT_NE(table.find("FAILED: 2 of 3 rows hold, 1 of 1 bad variants were caught"),
            std::string::npos);
}

TEST(Report, JsonHasNullsForWhatIsMissing) {
  const auto json = nlohmann::json::parse(as_json(sample()));
  EXPECT_EQ(json.at("passed"), true);
  EXPECT_EQ(json.at("rows").at(0).at("alignment"), 1.0);
  EXPECT_TRUE(json.at("rows").at(0).at("black_box").is_null());
  EXPECT_TRUE(json.at("rows").at(1).at("exact").is_null());
  EXPECT_EQ(json.at("rows").at(1).at("holds"), true);
  EXPECT_EQ(json.at("bad_variants").at(0).at("caught"), true);
}

TEST(Report, PageStandsAloneAndIsEscaped) {
  const std::string page = as_html(sample());
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("nan<"), std::string::npos);
  EXPECT_NE(page.find("raw gaps &lt;k = 1&gt; &amp; more"), std::string::npos);
  EXPECT_NE(page.find("name=\"viewport\""), std::string::npos);
}

TEST(Suite, RunsTheChecksGiven) {
  std::vector<std::string> started;
  const std::vector<Check> checks = {
      {"one",
       [](const SuiteOptions&, Report& report) {
         report.rows = {row("a"), row("a")};
       }},
      {"two", [](const SuiteOptions&, Report& report) { report.bad_rows = {bad_row(false)}; }}};
  const Report report =
      run_suite({}, checks, [&](const std::string& name) { started.push_back(name); });
  EXPECT_EQ(report.rows.size(), 1U);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(started, (std::vector<std::string>{"one", "two"}));
}

TEST(Suite, HasAllChecks) {
  std::vector<std::string> names;
  for (const Check& check : all_checks()) {
    names.push_back(check.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"alignments", "enumeration", "black boxes", "bad variants"}));
}

TEST(Tasks, KeepTheirOrderOnManyThreadsAndTellProgress) {
  std::vector<RowTask> tasks;
  for (int i = 0; i < 100; ++i) {
    tasks.emplace_back([i] { return row(std::to_string(i)); });
  }
  SuiteOptions options;
  options.threads = 4;
  std::size_t last = 0;
  options.progress = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++last);
    EXPECT_EQ(all, 100U);
  };
  const std::vector<Row> rows = run_tasks(tasks, options);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(rows[static_cast<std::size_t>(i)].variant, std::to_string(i));
  }
  EXPECT_EQ(last, 100U);
}

TEST(Tasks, PassOnWhatOneThrows) {
  SuiteOptions options;
  options.threads = 3;
  const std::vector<RowTask> tasks(10, []() -> Row { throw std::runtime_error("broken"); });
  EXPECT_THROW(run_tasks(tasks, options), std::runtime_error);
}

}  // namespace
}  // namespace freegap::verify
