// What the tests of the ledger share: a folder of their own, requests, and a way to compare books.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "freegap/rational.hpp"
#include "ledger/ledger.hpp"

namespace freegap::testing {

/// A folder that is removed in the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "freegap_ledger_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no folder for the test");
    }
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The path of a file in it.
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// The names of all files in it.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + path);
  }
}

inline ledger::Dataset clicks(const Rational& total = 1) {
  return {.name = "clicks", .total = total, .unit = "user", .neighbours = Neighbours::add_remove};
}

/// A request on `clicks`.
inline ledger::Request request(const Rational& reserved) {
  return {.dataset = "clicks",
          .unit = "user",
          .neighbours = Neighbours::add_remove,
          .who = "ada",
          .verb = "top",
          .parameters = R"({"k":10})",
          .reserved = reserved};
}

/// Everything that a ledger says, as text, for comparing and for reading in a failed test.
inline std::string everything(const ledger::Ledger& ledger) {
  std::string text;
  for (const ledger::Dataset& dataset : ledger.datasets()) {
    const ledger::Balance balance = ledger.balance(dataset.name);
    text += dataset.name + "|" + dataset.total.str() + "|" + dataset.unit + "|" +
            (dataset.neighbours == Neighbours::replace ? "replace" : "add-remove") + "|" +
            balance.spent.str() + "|" + balance.reserved.str() + "|" + balance.remaining.str() +
            "\n";
  }
  for (const ledger::Entry& entry : ledger.history()) {
    text += std::to_string(entry.number) + "|" + entry.dataset + "|" + std::to_string(entry.time) +
            "|" + entry.who + "|" + entry.verb + "|" + entry.parameters + "|" +
            entry.reserved.str() + "|" + (entry.spent ? entry.spent->str() : "-") + "|" +
            entry.release.value_or("-") + "\n";
  }
  return text;
}

/// What an action throws, as text; empty if it throws nothing.
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
