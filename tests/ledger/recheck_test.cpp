// The script of docs/ledger.md, which checks a ledger without freegap: it accepts a sound ledger,
// and refuses one that was changed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"

namespace freegap::testing {
namespace {

using ledger::Ledger;

struct Result {
  int status = -1;
  std::string output;
};

Result run(const std::string& command) {
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  Result result;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    result.output += static_cast<char>(c);
  }
  result.status = WEXITSTATUS(::pclose(pipe));
  return result;
}

std::string script_of_the_documentation() {
  const std::string page = contents(FREEGAP_SOURCE_DIR "/docs/ledger.md");
  const std::string opening = "```sh\n";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.substr(begin, page.find("```\n", begin) - begin);
}

TEST(LedgerRecheck, DocumentedScriptAgrees) {
  if (run("sqlite3 --version && sha256sum --version").status != 0) {
    GTEST_SKIP() << "needs the sqlite3 shell and sha256sum";
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("budget.db");
  const std::string script = folder.file("recheck.sh");
  overwrite(script, script_of_the_documentation());
  Ledger::create(path, clicks());
  Ledger::create(path, {.name = "Zürich, 'quoted'", .total = "0.3"_rational, .unit = "a|b"});
  Ledger ledger(path);
  ledger.settle(ledger.reserve(request("0.5"_rational)), 0, "");
  ledger.settle(ledger.reserve(request("0.5"_rational)), "0.25"_rational,
                "{\"text\":\n\"é, %s \\\\ $x `y` 点\"\t}\n\n");
  ledger.reserve(request("0.1"_rational));
  const std::string check = "sh '" + script + "' '" + path + "'";
  const Result good = run(check);
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_EQ(good.output.substr(0, 12), "7 rows, head") << good.output;

  const std::string whole = contents(path);
  for (const auto& [change, expected] :
       {std::pair{"UPDATE event SET reserved = '1/20' WHERE sequence = 7", "row 7 is not"},
        std::pair{"UPDATE event SET total = '2' WHERE sequence = 1", "row 1 is not"},
        std::pair{"UPDATE event SET release = NULL WHERE sequence = 4", "row 4 is not"},
        std::pair{"DELETE FROM event WHERE sequence = 7", "the last rows are missing"}}) {
    ASSERT_EQ(run("sqlite3 '" + path + "' \"" + change + "\"").status, 0);
    const Result bad = run(check);
    EXPECT_EQ(bad.status, 1);
    EXPECT_EQ(bad.output.substr(0, std::string(expected).size()), expected);
    overwrite(path, whole);
  }
}

}  // namespace
}  // namespace freegap::testing
