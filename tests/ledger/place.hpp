// Where the tests keep their ledgers: files in a temporary folder; or, where FREEGAP_TEST_POSTGRES
// has the URL of a server up to the name of a database ("postgresql://owner@/%s?host=…"), databases
// of that server. tests/cli/team_ledger_test.py runs tests in this way.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "freegap/errors.hpp"
#include "ledger/postgres_connection.hpp"
#include "support/temporary_folder.hpp"

namespace freegap::testing {

/// Whether the ledgers of this run are databases.
inline bool on_postgres() { return std::getenv("FREEGAP_TEST_POSTGRES") != nullptr; }

/// A place for ledgers.
class Place {
 public:
  /// The name of a ledger, which does not exist yet: a path or a URL.
  [[nodiscard]] std::string ledger(const std::string& name) {
    if (!on_postgres()) {
      return folder_.file(name);
    }
    const std::string database = name.substr(0, name.find('.'));
    forget(database);
    admin().run("CREATE DATABASE \"" + database + "\" TEMPLATE template0");
    return url(database);
  }
  /// Removes a ledger with all that belongs to it, so that its name is free again.
  void remove(const std::string& name) {
    if (on_postgres()) {
      static_cast<void>(ledger(name));
      return;
    }
    std::filesystem::remove(folder_.file(name));
    std::filesystem::remove(folder_.file(name) + "-journal");  // which a kill may have left
  }
  [[nodiscard]] TemporaryFolder& folder() { return folder_; }

 private:
  static std::string url(const std::string& database) {
    std::string text = std::getenv("FREEGAP_TEST_POSTGRES");
    return text.replace(text.find("%s"), 2, database);
  }
  static ledger::PostgresConnection admin() { return ledger::PostgresConnection(url("postgres")); }
  static void forget(const std::string& database) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    for (;;) {
      try {
        admin().run("DROP DATABASE IF EXISTS \"" + database + "\" WITH (FORCE)");
        return;
      } catch (const MachineFault&) {  // the server has not noticed yet that a client was killed
        if (std::chrono::steady_clock::now() > until) {
          throw;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }

  TemporaryFolder folder_;
};

}  // namespace freegap::testing
