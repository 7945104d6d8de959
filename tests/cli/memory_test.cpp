// Memory that runs out right after a stream has been charged: the message says that the charge
// stays.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "ledger/ledger.hpp"
#include "support/temporary_folder.hpp"

namespace {

long after_charge = 0;    // which allocation after the charge is to fail, counted from 0
long until_failure = -1;  // allocations that still succeed; below 0: all of them

}  // namespace

/// Stands in for the C library's: a stream calls it as soon as it has been charged.
extern "C" int sigaction(int /*signal*/, const struct sigaction* /*action*/,
                         struct sigaction* /*before*/) noexcept {
  until_failure = after_charge;
  return 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (until_failure >= 0 && until_failure-- == 0) {
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace freegap::cli {
namespace {

TEST(Memory, RunsOutAfterTheCharge) {
  const freegap::testing::TemporaryFolder folder;
  const std::string books = folder.file("books.db");
  ledger::Ledger::create(books, {"shop", Rational(10), "row"});
  const std::vector<const char*> words{
      "freegap", "above",    "-",           "--threshold", "2",
      "-k",      "1",        "--epsilon",   "1",           "--sensitivity",
      "1",       "--ledger", books.c_str(), "--dataset",   "shop"};
  for (after_charge = 0; after_charge < 3; ++after_charge) {
    std::istringstream in("monday,812\n");
    std::ostringstream out;
    std::ostringstream err;
    const Context context{in, out, err, false, false, {}};
    EXPECT_EQ(run(static_cast<int>(words.size()), words.data(), context), machine_fault);
    EXPECT_LT(until_failure, 0) << "nothing failed";
    const std::string entry = "entry " + std::to_string(after_charge + 1);
    EXPECT_NE(err.str().find(entry + " stays charged in full"), std::string::npos) << err.str();
    EXPECT_EQ(out.str(), "");
    EXPECT_EQ(ledger::Ledger(books).balance("shop").reserved, Rational(after_charge + 1));
  }
}

}  // namespace
}  // namespace freegap::cli
