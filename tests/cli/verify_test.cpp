// The verb `verify`, with checks that take no time: exit status, formats, messages.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "freegap/errors.hpp"
#include "freegap/version.hpp"

namespace freegap::cli {
namespace {

/// What a run of the program left behind.
struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome call(std::vector<const char*> arguments, const std::vector<verify::Check>& checks,
             bool terminal = false) {
  arguments.insert(arguments.begin(), "freegap");
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in;
  const Context context{in, out, err, terminal, false, checks};
  const int status = run(static_cast<int>(arguments.size()), arguments.data(), context);
  return {status, out.str(), err.str()};
}

/// Finds one row that holds, and a bad variant that was caught or not.
std::vector<verify::Check> checks(bool caught) {
  return {{"rows",
           [](const verify::SuiteOptions& options, verify::Report& report) {
             verify::Row row;
             row.mechanism = "top-k";
             row.variant = "noisy max";
             row.replays = options.replays;
             report.rows.push_back(row);
             options.progress(1, 2);
           }},
          {"bad variants", [caught](const verify::SuiteOptions&, verify::Report& report) {
             verify::BadRow row;
             row.name = "raw gaps";
             row.by_alignment = caught;
             report.bad_rows.push_back(row);
           }}};
}

TEST(Verify, ExitsWithZeroWhereAllHolds) {
  const Outcome outcome = call({"verify", "--quick"}, checks(true));
  EXPECT_EQ(outcome.status, done);
  EXPECT_NE(outcome.out.find("PASSED"), std::string::npos);
  EXPECT_NE(outcome.out.find("100000"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

TEST(Verify, ExitsWithOneWhereABadVariantIsNotCaught) {
  const Outcome outcome = call({"verify"}, checks(false));
  EXPECT_EQ(outcome.status, verification_failed);
  EXPECT_NE(outcome.out.find("NOT CAUGHT"), std::string::npos);
  EXPECT_NE(outcome.out.find("FAILED"), std::string::npos);
  EXPECT_NE(outcome.err, "");
}

TEST(Verify, ExitsWithOneWhereNothingWasChecked) {
  EXPECT_EQ(call({"verify"}, {}).status, verification_failed);
}

TEST(Verify, ExitsWithTwoOnBadOptions) {
  const std::vector<std::vector<const char*>> all = {
      {},
      {"verify", "--no-such-option"},
      {"no-such-verb"},
      {"verify", "--replays", "0"},
      {"verify", "--replays", "-5"},
      {"verify", "--replays", "many"},
      {"verify", "--threads", "0"},
      {"verify", "--seed", "-1"},
      {"verify", "--format", "xml"},
      {"verify", "--quick", "--replays", "5"},
      {"verify", "--html", "/no/such/folder/report.html"}};
  for (const auto& arguments : all) {
    const Outcome outcome = call(arguments, checks(true));
    EXPECT_EQ(outcome.status, bad_input) << (arguments.empty() ? "" : arguments.back());
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err, "");
  }
}

TEST(Verify, ExitsWithThreeOnAFaultOfTheMachine) {
  const std::vector<verify::Check> faulty = {
      {"entropy",
       [](const verify::SuiteOptions&, verify::Report&) { throw MachineFault("no entropy"); }}};
  const Outcome outcome = call({"verify"}, faulty);
  EXPECT_EQ(outcome.status, machine_fault);
  EXPECT_NE(outcome.err.find("no entropy"), std::string::npos);
  const std::vector<verify::Check> hungry = {
      {"memory", [](const verify::SuiteOptions&, verify::Report&) { throw std::bad_alloc(); }}};
  EXPECT_EQ(call({"verify"}, hungry).status, machine_fault);
  // An output that takes nothing, whatever the verdict.
  std::istringstream in;
  std::ostream out(nullptr);
  std::ostringstream err;
  for (const bool caught : {true, false}) {
    const std::vector<const char*> arguments{"freegap", "verify"};
    EXPECT_EQ(run(2, arguments.data(), {in, out, err, false, false, checks(caught)}),
              machine_fault);
  }
}

TEST(Verify, WritesJson) {
  const Outcome outcome = call({"verify", "--replays", "7", "--format", "json"}, checks(true));
  EXPECT_EQ(outcome.status, done);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("passed"), true);
  EXPECT_EQ(json.at("rows").at(0).at("replays"), 7);
}

TEST(Verify, WritesAPage) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "freegap_verify_test.html";
  EXPECT_EQ(call({"verify", "--html", path.c_str()}, checks(true)).status, done);
  std::ifstream file(path);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("<html"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(Verify, ShowsProgressOnATerminalOnly) {
  EXPECT_NE(call({"verify"}, checks(true), true).err.find("#"), std::string::npos);
  EXPECT_EQ(call({"verify"}, checks(true), false).err, "");
}

TEST(Program, ExplainsItself) {
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{"--help"}, {"verify", "--help"}}) {
    const Outcome outcome = call(arguments, {});
    EXPECT_EQ(outcome.status, done);
    EXPECT_NE(outcome.out.find("Example"), std::string::npos);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Program, TellsItsVersionAndItsBuild) {
  const Outcome outcome = call({"--version"}, {});
  EXPECT_EQ(outcome.status, done);
  EXPECT_EQ(outcome.out.rfind(std::string("freegap ") + version + " (", 0), 0U) << outcome.out;
  EXPECT_NE(outcome.out.find(", commit "), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace freegap::cli
