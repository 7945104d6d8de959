// Files that are truncated at every byte, and files with a flipped bit. The ledger refuses them, or
// its contents are unchanged to the last release. For comparison: a reader that does not check the
// hashes reads wrong values after some of the same flips.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

#include "freegap/errors.hpp"
#include "ledger/faulty_disk.hpp"
#include "ledger/fixture.hpp"
#include "ledger/ledger.hpp"
#include "ledger/text.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using ledger::Ledger;
using ledger::Refused;

class LedgerDamage : public ::testing::Test {
 protected:
  /// Three data sets, settled and unfinished entries, and small and large releases: so the file has
  /// a tree of several pages, and overflow pages.
  void SetUp() override {
    const disk::WithoutSyncing quickly;
    Ledger::create(path_, clicks(2));
    Ledger::create(path_, {.name = "sales", .total = "0.3"_rational, .unit = "customer"});
    Ledger::create(
        path_, {.name = "taxes", .total = 7, .unit = "person", .neighbours = Neighbours::replace});
    Ledger ledger(path_);
    for (int i = 1; i <= 12; ++i) {
      const std::int64_t number = ledger.reserve(request(Rational(1, 10)));
      if (i % 5 != 0) {
        ledger.settle(number, Rational(i, 200),
                      R"({"winners":")" + std::string(i == 7 ? 6000 : 40, 'w') + R"("})");
      }
    }
    original_ = contents(path_);
    expected_ = everything(ledger);
    charged_ = ledger.balance("clicks").total - ledger.balance("clicks").remaining;
    ASSERT_GE(original_.size(), 6U * 4096U);
  }

  /// Whether the damaged file is refused. Anything but a refusal or unchanged contents is a
  /// failure.
  [[nodiscard]] bool refused(const std::string& damage) const {
    try {
      if (const Ledger ledger(path_); everything(ledger) != expected_) {
        ADD_FAILURE() << damage << ": other contents\n" << everything(ledger);
      }
    } catch (const Refused&) {
      return true;
    } catch (const MachineFault& fault) {
      ADD_FAILURE() << damage << ": " << fault.what();
    }
    return false;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("budget.db");
  std::string original_;
  std::string expected_;
  Rational charged_;
};

TEST_F(LedgerDamage, TruncationAtEveryByteIsRefused) {
  std::size_t count = 0;
  for (std::size_t size = original_.size(); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    count += refused("cut to " + std::to_string(size)) ? 1U : 0U;
  }
  std::printf("truncation: %zu of %zu files refused\n", count, original_.size());
  EXPECT_EQ(count, original_.size());
  EXPECT_EQ(folder_.files().size(), 1U);
}

TEST_F(LedgerDamage, BytesAtTheEndAreRefused) {
  for (const std::size_t more : {1U, 100U, 4095U, 4096U, 8192U}) {
    overwrite(path_, original_ + std::string(more, '\0'));
    EXPECT_TRUE(refused("longer by " + std::to_string(more)));
  }
}

/// A single bit of a file, flipped in place.
void flip(const std::string& path, std::size_t bit) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(file, 0);
  const auto at = static_cast<off_t>(bit / 8);
  unsigned char byte = 0;
  ASSERT_EQ(::pread(file, &byte, 1, at), 1);
  byte = static_cast<unsigned char>(byte ^ (1U << bit % 8));
  ASSERT_EQ(::pwrite(file, &byte, 1, at), 1);
  ::close(file);
}

/// What a reader sees that trusts SQLite and checks nothing: how much of `clicks` is charged, and
/// all releases. Nothing if SQLite itself reports an error.
struct Trusting {
  Rational charged;
  std::string releases;
};
std::optional<Trusting> trusting_reader(const std::string& path) {
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_prepare_v2(handle,
                     "SELECT ifnull((SELECT s.spent FROM event s WHERE s.kind = 'settle' AND "
                     "s.entry = r.entry), r.reserved), (SELECT s.release FROM event s WHERE s.kind "
                     "= 'settle' AND s.entry = r.entry) FROM event r WHERE r.kind = 'reserve' AND "
                     "r.dataset = 'clicks'",
                     -1, &statement, nullptr);
  std::optional<Trusting> seen = Trusting{};
  int code = SQLITE_ERROR;
  while (statement != nullptr && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    const auto* number = static_cast<const char*>(sqlite3_column_blob(statement, 0));
    const auto digits = static_cast<std::size_t>(sqlite3_column_bytes(statement, 0));
    const auto* release = static_cast<const char*>(sqlite3_column_blob(statement, 1));
    const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement, 1));
    seen->charged =
        seen->charged + ledger::exact_number(std::string(number, digits)).value_or(Rational(0));
    seen->releases += release == nullptr ? "-" : std::string(release, length);
  }
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return code == SQLITE_DONE ? seen : std::nullopt;
}

TEST_F(LedgerDamage, FlippedBitsAreRefusedOrHarmless) {
  const Trusting truth = trusting_reader(path_).value();
  ASSERT_EQ(truth.charged, charged_);
  // A sample of bits, spread over the file. They need not be unpredictable, and a fixed seed makes
  // a failure repeatable.
  std::mt19937_64 random(20'240'607);
  std::uniform_int_distribution<std::size_t> any_bit(0, original_.size() * 8 - 1);
  const std::size_t flips = scaled(10'000, 500);
  std::size_t count = 0;
  const disk::WithoutSyncing quickly;
  int undercharged = 0;
  int rewritten = 0;
  for (std::size_t i = 0; i < flips; ++i) {
    const std::size_t bit = any_bit(random);
    flip(path_, bit);
    if (refused("bit " + std::to_string(bit))) {
      ++count;
      if (const std::optional<Trusting> seen = trusting_reader(path_)) {
        undercharged += seen->charged < truth.charged ? 1 : 0;
        rewritten += seen->releases != truth.releases ? 1 : 0;
      }
      flip(path_, bit);
    } else if (i % 16 == 0) {  // the bit has no meaning: then the ledger must work with it
      Ledger(path_).reserve(request(Rational(1, 10)));
      EXPECT_EQ(Ledger(path_).balance("clicks").remaining,
                Rational(2) - charged_ - Rational(1, 10));
      overwrite(path_, original_);
    } else {
      flip(path_, bit);
    }
  }
  std::printf(
      "flipped bits: %zu of %zu files refused, the others say what they said; a reader who checks "
      "no hashes would have undercharged %d times and taken a changed release %d times\n",
      count, flips, undercharged, rewritten);
  EXPECT_EQ(contents(path_), original_);
  EXPECT_GT(count, flips / 4);
  EXPECT_GT(undercharged, 0);
  EXPECT_GT(rewritten, 0);
}

TEST_F(LedgerDamage, LostAndSwappedPagesAreRefused) {
  const std::size_t page = 4096;
  const std::size_t pages = original_.size() / page;
  std::size_t tried = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < pages; ++i) {
    std::string zeroed = original_;
    zeroed.replace(i * page, page, page, '\0');
    overwrite(path_, zeroed);
    count += refused("page " + std::to_string(i) + " lost") ? 1U : 0U;
    ++tried;
    for (std::size_t j = 0; j < pages; ++j) {
      if (i != j) {
        std::string copied = original_;
        copied.replace(i * page, page, original_, j * page, page);
        overwrite(path_, copied);
        count += refused("page " + std::to_string(j) + " twice") ? 1U : 0U;
        ++tried;
      }
    }
  }
  EXPECT_EQ(count, tried);
}

TEST_F(LedgerDamage, OlderPagesAreRefused) {
  // Some pages as they were before the last entry, others as they are now.
  Ledger(path_).reserve(request(Rational(1, 10)));
  const std::string later = contents(path_);
  const std::size_t page = 4096;
  ASSERT_EQ(later.size(), original_.size());
  const std::size_t pages = later.size() / page;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < pages; ++i) {
    std::string mixed = later;
    mixed.replace(i * page, page, original_, i * page, page);
    overwrite(path_, mixed);
    if (mixed != later && i != 0) {  // the first differs in a counter alone
      ++changed;
      EXPECT_THROW(const Ledger ledger(path_), Refused) << "page " << i;
    }
  }
  EXPECT_GE(changed, 2U);
}

}  // namespace
}  // namespace freegap::testing
