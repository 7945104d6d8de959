// A disk that fails at one call after the other while the program makes a release: a release is
// shown only if it was settled, the exit status says whether it was shown, and the message says
// what is charged.
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "freegap/errors.hpp"
#include "freegap/noise.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/ledger.hpp"
#include "questions/ledger_entry.hpp"
#include "report/release_page.hpp"
#include "support/temporary_folder.hpp"

namespace freegap::testing {
namespace {

using cli::Context;
using ledger::Entry;
using ledger::Ledger;

/// What a call of the program did.
struct Call {
  int status = -1;
  std::string out;
  std::string err;
};

class Settlement : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = folder_.write("shop.dat", "1 2 3\n2 3\n3\n");
    const disk::WithoutSyncing quickly;
    Ledger::create(books_, {.name = "shop", .total = Rational(10), .unit = "transaction"});
    sound_ = bytes_of(books_);
  }

  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  Call release_with(const disk::Plan& plan) {
    return call_with(
        plan, {"top", data_, "-k", "2", "--epsilon", "1/10", "--measure", "0", "--ledger", books_,
               "--dataset", "shop", "--universe", "0..9", "--format", "json"});
  }

  Call call_with(const disk::Plan& plan, const std::vector<std::string>& call_words) {
    std::vector<const char*> words{"freegap"};
    for (const std::string& word : call_words) {
      words.push_back(word.c_str());
    }
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    disk::arm(plan);
    Call call;
    call.status = cli::run(static_cast<int>(words.size()), words.data(),
                           Context{in, out, err, false, false, {}});
    calls_ = disk::disarm();
    call.out = out.str();
    call.err = err.str();
    return call;
  }

  /// The ledger as it was at first.
  void restore() {
    for (const std::string& name : folder_.files()) {
      if (name != "shop.dat") {
        std::filesystem::remove(folder_.file(name));
      }
    }
    overwrite(books_, sound_);
  }

  /// What the message must say, given what is in the ledger.
  static std::string expected(const std::vector<Entry>& entries) {
    if (entries.empty()) {
      return "";
    }
    return entries.front().spent ? "entry 1 was settled nevertheless" : "charged in full";
  }

  TemporaryFolder folder_;
  std::string books_ = folder_.file("books.db");
  std::string data_;
  std::string sound_;
  int calls_ = 0;
};

TEST_F(Settlement, ReleaseIsShownOnlyIfItWasSettled) {
  int unfinished = 0;
  int absent = 0;
  int settled = 0;
  for (const disk::Fault fault : {disk::Fault::error, disk::Fault::error_on}) {
    for (disk::Plan plan{.fault = fault, .at = 1, .error = EIO};; ++plan.at) {
      restore();
      const Call call = release_with(plan);
      const std::string place = "call " + std::to_string(plan.at) + ": " + call.err + call.out;
      const std::vector<Entry> entries = Ledger(books_).history();
      if (call.status == cli::done) {
        ASSERT_EQ(entries.size(), 1U) << place;
        ASSERT_TRUE(entries.front().spent.has_value()) << place;
        EXPECT_NE(call.out.find("winners"), std::string::npos) << place;
      } else {
        EXPECT_EQ(call.status, cli::machine_fault) << place;
        EXPECT_EQ(call.out, "") << place;
        EXPECT_NE(call.err.find(expected(entries)), std::string::npos) << place;
        EXPECT_EQ(entries.empty() && call.err.find("in full") != std::string::npos, false) << place;
        ++(entries.empty() ? absent : entries.front().spent ? settled : unfinished);
      }
      if (calls_ < plan.at) {
        EXPECT_EQ(call.status, cli::done) << place;
        break;
      }
    }
  }
  EXPECT_GT(absent, 0);
  EXPECT_GT(unfinished, 0);
  EXPECT_GT(settled, 0);
}

/// A ledger may be older than the rule that rows and transactions are named by no column. Then no
/// release states a unit that was not counted.
TEST(OlderLedger, ColumnThatNamesNoUnitIsNotTakenForOne) {
  const TemporaryFolder folder;
  const std::string rows = folder.write("rows.csv", "customer_id,product\nann,tea\nann,tea\n");
  const std::string books = folder.file("books.db");
  Ledger::create(books, {"false", Rational(10), "customer", Neighbours::add_remove, "row"});
  Ledger::create(books,
                 {"shared", Rational(10), "transaction", Neighbours::add_remove, "customer_id"});
  for (const auto& [dataset, unit] :
       {std::pair{"false", "row"}, std::pair{"shared", "customer_id"}}) {
    const std::vector<const char*> words{
        "freegap",   "top", rows.c_str(), "--item",      "product",
        "--unit",    unit,  "-k",         "1",           "--items-are-public",
        "--epsilon", "1",   "--ledger",   books.c_str(), "--dataset",
        dataset};
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(cli::run(static_cast<int>(words.size()), words.data(),
                       Context{in, out, err, false, false, {}}),
              cli::bad_input)
        << out.str();
    EXPECT_NE(err.str().find("do not add up; nothing was spent"), std::string::npos) << err.str();
  }
  EXPECT_TRUE(Ledger(books).history().empty());
}

/// A change of the ledger besides releases, and whether it was made.
struct Change {
  std::vector<std::string> words;
  std::function<bool(const Ledger&)> made;
};

TEST_F(Settlement, FailedChangeOfTheLedgerSaysWhatHolds) {
  const std::string fresh = folder_.file("fresh.db");
  const std::vector<Change> changes{
      {{"budget", "create", "--ledger", fresh, "--dataset", "new", "--epsilon", "1", "--unit",
        "row"},
       [&](const Ledger&) { return std::filesystem::exists(fresh); }},
      {{"budget", "create", "--ledger", books_, "--dataset", "new", "--epsilon", "1", "--unit",
        "row"},
       [](const Ledger& ledger) { return ledger.datasets().size() == 2; }},
      {{"budget", "close", "--ledger", books_, "--dataset", "shop"},
       [](const Ledger& ledger) { return ledger.datasets().front().closed; }},
      {{"budget", "rename", "--ledger", books_, "--dataset", "shop", "--name", "market"},
       [](const Ledger& ledger) { return ledger.datasets().front().name == "market"; }}};
  for (const Change& change : changes) {
    int nothing = 0;
    int nevertheless = 0;
    for (disk::Plan plan{.fault = disk::Fault::error, .at = 1, .error = EIO};; ++plan.at) {
      restore();
      const Call call = call_with(plan, change.words);
      const std::string place =
          change.words.at(1) + ", call " + std::to_string(plan.at) + ": " + call.err;
      const bool made = change.made(Ledger(books_));
      const bool says_nothing = call.err.find("nothing was changed") != std::string::npos;
      const bool says_made = call.err.find("the change was made nevertheless") != std::string::npos;
      EXPECT_EQ(says_made, made && call.status != cli::done) << place;
      EXPECT_EQ(says_nothing, !made) << place;
      nothing += says_nothing ? 1 : 0;
      nevertheless += says_made ? 1 : 0;
      if (calls_ < plan.at) {
        EXPECT_EQ(call.status, cli::done) << place;
        EXPECT_TRUE(made) << place;
        break;
      }
      EXPECT_NE(call.status, cli::bad_input) << place;
    }
    EXPECT_GT(nothing, 0);
    EXPECT_GT(nevertheless, 0);
  }
}

/// A release with a δ, as the mechanism hands it to the books.
class DeltaEntry : public ::testing::Test {
 protected:
  void SetUp() override {
    Ledger::create(
        books_, {.name = "terms", .total = Rational(3), .unit = "user", .delta = "1e-8"_rational});
  }

  /// A question that costs 1/2 and a δ, and is said to have spent so much.
  static questions::Question question(const Rational& delta, const Rational& spent) {
    return {.verb = "top",
            .source = sources::DataSource(Queries{.kind = Kind::counts}, "user", true, false),
            .reserved = Rational(1, 2),
            .delta = delta,
            .parameters = {{"k", 1}},
            .draw = [=](ExactNoise& /*noise*/) {
              questions::Json document{{"mechanism", "top_k_above"},
                                       {"parameters", {{"k", 1}, {"confidence", 0.95}}},
                                       {"epsilon", {{"reserved", "1/2"}, {"spent", spent.str()}}},
                                       {"threshold", {{"used", 240}}},
                                       {"winners", questions::Json::array()}};
              if (delta.sign() > 0) {
                document["delta"] = delta.str();
              }
              return questions::Outcome{.document = document, .spent = spent};
            }};
  }

  TemporaryFolder folder_;
  std::string books_ = folder_.file("books.db");
  questions::LedgerOptions options_{books_, "terms", "", false};
  SecureNoise noise_;
};

TEST_F(DeltaEntry, IsChargedBeforeItIsDrawnAndSaysWhatIsLeft) {
  const questions::Question asked = question("1e-9"_rational, Rational(1, 2));
  questions::LedgerEntry entry(options_, asked);
  EXPECT_EQ(Ledger(books_).balance("terms").delta.reserved, "1e-9"_rational);
  questions::Outcome outcome = questions::settled(asked, entry, noise_);
  EXPECT_EQ(Ledger(books_).balance("terms").delta.spent, "1e-9"_rational);
  EXPECT_EQ(Ledger(books_).entry(1).delta, "1e-9"_rational);
  entry.stamp(outcome.document);
  EXPECT_EQ(questions::line_of(outcome.document["ledger"]),
            R"({"entry":1,"remaining":"5/2","delta_remaining":"9/1000000000"})");
  const std::string page = report::release_page(outcome.document, entry.balance());
  for (const char* card : {"<dt>δ spent</dt><dd>1e-09</dd>", "<dt>δ left</dt><dd>9e-09</dd>",
                           "<dt>δ in all</dt><dd>1e-08</dd>", "<dt>ε left</dt><dd>5/2</dd>"}) {
    EXPECT_NE(page.find(card), std::string::npos) << card;
  }
}

TEST_F(DeltaEntry, OfPureEpsilonSaysNothingOfDelta) {
  const questions::Question asked = question(0, Rational(1, 4));
  questions::LedgerEntry entry(options_, asked);
  questions::Outcome outcome = questions::settled(asked, entry, noise_);
  entry.stamp(outcome.document);
  EXPECT_EQ(questions::line_of(outcome.document["ledger"]), R"({"entry":1,"remaining":"11/4"})");
  EXPECT_EQ(report::release_page(outcome.document, entry.balance()).find("δ"), std::string::npos);
}

TEST_F(DeltaEntry, ThatWouldGiveBackStaysChargedAndIsNotShown) {
  const questions::Question asked = question("1e-9"_rational, Rational(1, 4));
  questions::LedgerEntry entry(options_, asked);
  EXPECT_THROW(questions::settled(asked, entry, noise_), MachineFault);
  const ledger::Balance balance = Ledger(books_).balance("terms");
  EXPECT_EQ(balance.reserved, Rational(1, 2));
  EXPECT_EQ(balance.delta.reserved, "1e-9"_rational);
}

TEST_F(DeltaEntry, BeyondWhatIsLeftIsRefusedAndNothingIsSpent) {
  const questions::Question asked = question("1e-7"_rational, Rational(1, 2));
  EXPECT_THROW(questions::LedgerEntry(options_, asked), ledger::Exceeded);
  EXPECT_TRUE(Ledger(books_).history().empty());
}

}  // namespace
}  // namespace freegap::testing
