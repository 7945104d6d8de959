#include "ledger/store.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "ledger/file_store.hpp"
#include "ledger/new_file.hpp"
#include "ledger/path.hpp"
#include "ledger/postgres_store.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {

void Store::refuse(const std::string& what) const {
  check_readable();
  throw Damaged(damaged(name(), what));
}

Accounts Store::load(Depth depth, const TakeRow& each) {
  const bool whole = check_tables(depth);
  Accounts accounts = whole ? Accounts() : at_last_checkpoint();
  read_rows(accounts.rows(), [&](const Row& row) {
    try {
      accounts.add(row);
    } catch (const Inconsistent& problem) {
      refuse("row " + std::to_string(accounts.rows() + 1) + ": " + problem.what());
    }
    if (each) {
      each(row);
    }
  });
  check_head(accounts);
  return accounts;
}

Accounts Store::at_last_checkpoint() {
  const std::int64_t position = last_checkpoint();
  if (position < 2) {
    return {};
  }
  // Of the row before, the hash alone: its release may be large.
  const std::optional<std::string> before = hash_of_row(position - 1);
  const std::optional<Row> checkpoint = row(position);
  if (!before || !checkpoint) {
    refuse("row " + std::to_string(before ? position : position - 1) + " is missing");
  }
  try {
    return {*checkpoint, *before};
  } catch (const Inconsistent& problem) {
    refuse("row " + std::to_string(position) + ": " + problem.what());
  }
}

void Store::check_head(const Accounts& accounts) {
  const Head found = head();
  if (found.rows != accounts.rows() || found.hash != accounts.last_hash()) {
    refuse("its head records " + std::to_string(found.rows) +
           " rows and a last hash; the ledger has " + std::to_string(accounts.rows()) +
           " rows, or another last hash");
  }
  if (accounts.rows() == 0) {
    refuse("it has no rows");
  }
}

std::unique_ptr<Store> open_store(const std::string& name, WhileWaiting while_waiting) {
  if (is_url(name)) {
    return std::make_unique<PostgresStore>(name, std::move(while_waiting));
  }
  return std::make_unique<FileStore>(name, std::move(while_waiting));
}

bool make_store(const std::string& name, const EachRow& rows) {
  if (is_url(name)) {
    return PostgresStore::make(name, rows);
  }
  check_path(name);
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) {
    return false;
  }
  if (const std::optional<std::string> stray = stray_companion(name)) {
    if (std::filesystem::exists(name, ignored)) {
      return false;  // another process has made the ledger, and writes to it
    }
    throw Refused("no ledger was made: " + quoted(*stray) +
                  " is left from another file of that name, and SQLite would merge it into the "
                  "new ledger. Move it away, or choose another name");
  }
  return make_file(name, FileStore::bytes_of(rows));
}

}  // namespace freegap::ledger
