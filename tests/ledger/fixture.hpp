// Shared by the tests of the ledger: data sets, requests, and the contents of a ledger as text.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "freegap/rational.hpp"
#include "ledger/ledger.hpp"
#include "support/temporary_folder.hpp"

namespace freegap::testing {

/// The bytes of a file.
inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A data set.
inline ledger::Dataset clicks(const Rational& total = 1) {
  return {.name = "clicks", .total = total, .unit = "user", .neighbours = Neighbours::add_remove};
}

/// A data set with a δ.
inline ledger::Dataset clicks_with_delta(const Rational& delta) {
  ledger::Dataset dataset = clicks();
  dataset.delta = delta;
  return dataset;
}

/// A request on `clicks`.
inline ledger::Request request(const Rational& reserved, const Rational& delta = 0) {
  return {.dataset = "clicks",
          .unit = "user",
          .neighbours = Neighbours::add_remove,
          .who = "ada",
          .verb = "top",
          .parameters = R"({"k":10})",
          .reserved = reserved,
          .delta = delta};
}

/// All data sets, balances and entries of a ledger as text, to be compared and to be read in a
/// failed test.
inline std::string everything(const ledger::Ledger& ledger) {
  std::string text;
  for (const ledger::Dataset& dataset : ledger.datasets()) {
    const ledger::Balance balance = ledger.balance(dataset.name);
    text += dataset.name + "|" + dataset.total.str() + "|" + dataset.unit + "|" +
            name(dataset.neighbours) + "|" + balance.spent.str() + "|" + balance.reserved.str() +
            "|" + balance.remaining.str() + "|" + balance.delta.total.str() + "|" +
            balance.delta.spent.str() + "|" + balance.delta.reserved.str() + "|" +
            balance.delta.remaining.str() + "\n";
  }
  for (const ledger::Entry& entry : ledger.history()) {
    text += std::to_string(entry.number) + "|" + entry.dataset + "|" + std::to_string(entry.time) +
            "|" + entry.who + "|" + entry.verb + "|" + entry.parameters + "|" +
            entry.reserved.str() + "|" + entry.delta.str() + "|" +
            (entry.spent ? entry.spent->str() : "-") + "|" + entry.release.value_or("-") + "\n";
  }
  return text;
}

/// The message of the exception that an action throws. A failure if it throws none.
template <typename Exception, typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const Exception& problem) {
    return problem.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace freegap::testing
