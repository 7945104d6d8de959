#include "ledger/postgres_connection.hpp"

#include <poll.h>

#include <array>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/ledger.hpp"
#include "ledger/libpq.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

/// The first line of a message of libpq.
std::string first_line(const char* message) {
  const std::string_view text = message == nullptr ? "" : message;
  return std::string(text.substr(0, text.find('\n')));
}

/// Refuses a URL that libpq cannot read, and one with a password: others could read it in the list
/// of processes, in a shell's history or in a message. No message repeats such a URL.
void check_url(const std::string& url) {
  char* problem = nullptr;
  PQconninfoOption* const options = libpq().conninfo_parse(url.c_str(), &problem);
  libpq().freemem(problem);
  if (options == nullptr) {
    throw Refused(
        "the URL of the ledger cannot be read; write postgresql://USER@HOST/DATABASE. Nothing was "
        "spent");
  }
  bool has_password = false;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    const std::string_view keyword = option->keyword;
    has_password = has_password ||
                   ((keyword == "password" || keyword == "sslpassword") && option->val != nullptr);
  }
  libpq().conninfo_free(options);
  if (has_password) {
    throw Refused(
        "the URL of the ledger has a password, which others could read; nothing was spent. Leave "
        "it out, and keep it in ~/.pgpass, in a service file, or in the environment (PGPASSWORD)");
  }
}

/// Messages of the server about what it did are of no use here.
void ignore_notice(void* /*unused*/, const PGresult* /*unused*/) {}

/// Which of an error's fields: the code of five characters.
std::string code_of(const PostgresResult& result) {
  const char* const code =
      result.get() == nullptr ? nullptr : libpq().error_field(result.get(), PG_DIAG_SQLSTATE);
  return code == nullptr ? "" : code;
}

}  // namespace

bool is_url(std::string_view name) {
  return name.starts_with("postgresql://") || name.starts_with("postgres://");
}

void PostgresResult::Clear::operator()(PGresult* result) const { libpq().clear(result); }

int PostgresResult::rows() const { return libpq().rows(get()); }

std::optional<std::string> PostgresResult::value(int row, int column) const {
  if (libpq().is_null(get(), row, column) != 0) {
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(libpq().length(get(), row, column));
  return std::string(libpq().value(get(), row, column), length);
}

std::int64_t PostgresResult::integer(int row, int column) const {
  return std::stoll(value(row, column).value());
}

void PostgresConnection::Finish::operator()(PGconn* connection) const {
  libpq().finish(connection);
}

PostgresConnection::PostgresConnection(std::string url, WhileWaiting while_waiting)
    : url_(std::move(url)), while_waiting_(std::move(while_waiting)) {
  check_url(url_);
  connect();
}

void PostgresConnection::connect() {
  // What stands before the URL is a default that the URL may override; what follows it holds. A cut
  // network ends in an error within a minute.
  constexpr std::array<const char*, 8> keywords{
      "connect_timeout", "tcp_user_timeout", "keepalives_idle",  "keepalives_interval",
      "dbname",          "client_encoding",  "application_name", nullptr};
  const std::array<const char*, 8> values{"10",         "60000", "20",      "10",
                                          url_.c_str(), "UTF8",  "freegap", nullptr};
  connection_.reset();
  connection_.reset(libpq().connect(keywords.data(), values.data(), 1));
  if (connection_ == nullptr || is_lost()) {
    throw MachineFault("ledger " + quoted(url_) + ": " +
                       first_line(connection_ == nullptr
                                      ? "out of memory"
                                      : libpq().error_message(connection_.get())));
  }
  libpq().set_notice_receiver(connection_.get(), &ignore_notice, nullptr);
  for (const char* statement :
       {"SET search_path = pg_catalog",
        "SET synchronous_commit = on",  // what is committed survives a crash of the server
        "SET lock_timeout = '10min'",
        "SET idle_in_transaction_session_timeout = '60s'",  // of a client that died in between
        "SET statement_timeout = 0"}) {
    run(statement);
  }
  check_server();
}

void PostgresConnection::check_server() {
  const auto setting = [&](const std::string& name) { return run("SHOW " + name).value(0, 0); };
  for (const char* name : {"fsync", "full_page_writes"}) {
    if (setting(name) != "on") {
      throw Refused("ledger " + quoted(url_) + ": the server runs with " + name +
                    " = off, so that a crash could lose what was charged; nothing more was spent. "
                    "Set it to on");
    }
  }
  if (setting("server_encoding") != "UTF8") {
    throw Refused("ledger " + quoted(url_) +
                  ": the encoding of the database is not UTF8; nothing was spent. Create one with "
                  "ENCODING 'UTF8'");
  }
}

bool PostgresConnection::is_lost() const {
  return libpq().status(connection_.get()) != CONNECTION_OK;
}

PostgresResult PostgresConnection::run(const std::string& sql,
                                       const std::vector<Parameter>& parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  PostgresResult result(libpq().exec(connection_.get(), sql.c_str(),
                                     static_cast<int>(values.size()), nullptr, values.data(),
                                     nullptr, nullptr, 0));
  check(result);
  return result;
}

void PostgresConnection::check(const PostgresResult& result) const {
  const ExecStatusType status =
      result.get() == nullptr ? PGRES_FATAL_ERROR : libpq().result_status(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    fail(result);
  }
}

// Waits for its turn on the server, rather than asking again and again, so that writers are served
// in the order in which they came.
void PostgresConnection::lock(const std::string& sql) {
  if (libpq().send(connection_.get(), sql.c_str()) == 0) {
    fail(PostgresResult(nullptr));
  }
  try {
    wait_for_answer();
  } catch (...) {
    give_up();
    throw;
  }
  const PostgresResult result(libpq().next_result(connection_.get()));
  while (PostgresResult(libpq().next_result(connection_.get())).get() != nullptr) {
  }
  check(result);
}

void PostgresConnection::wait_for_answer() {
  constexpr int milliseconds = 50;
  while (libpq().is_busy(connection_.get()) != 0) {
    pollfd server{libpq().socket(connection_.get()), POLLIN, 0};
    if (::poll(&server, 1, milliseconds) > 0) {
      if (libpq().consume_input(connection_.get()) == 0) {
        return;  // the connection is lost, and the result says so
      }
    } else if (while_waiting_) {
      while_waiting_();
    }
  }
}

void PostgresConnection::give_up() noexcept {
  if (PGcancel* const cancel = libpq().get_cancel(connection_.get())) {
    std::array<char, 256> problem{};  // if it fails, the server ends the statement at its own time
    libpq().cancel(cancel, problem.data(), static_cast<int>(problem.size()));
    libpq().free_cancel(cancel);
  }
  connection_.reset();
}

void PostgresConnection::begin(const std::string& sql) {
  if (!is_lost()) {
    try {
      run(sql);
      return;
    } catch (const MachineFault&) {
      if (!is_lost()) {
        throw;
      }
    }
  }
  connect();
  run(sql);
}

void PostgresConnection::commit() {
  const PostgresResult result = run("COMMIT");
  // The server answers a COMMIT with ROLLBACK where a statement before it had failed.
  if (std::string_view(libpq().command_status(result.get())) != "COMMIT") {
    throw MachineFault("ledger " + quoted(url_) + ": the server did not commit");
  }
}

void PostgresConnection::roll_back() noexcept {
  if (connection_ == nullptr || is_lost() ||
      libpq().transaction_status(connection_.get()) == PQTRANS_IDLE) {
    return;
  }
  libpq().clear(
      libpq().exec(connection_.get(), "ROLLBACK", 0, nullptr, nullptr, nullptr, nullptr, 0));
}

void PostgresConnection::fail(const PostgresResult& result) const {
  const std::string code = code_of(result);
  const std::string ledger = "ledger " + quoted(url_) + ": ";
  const std::string message = first_line(libpq().error_message(connection_.get()));
  if (code == "42501") {  // insufficient privilege, also of a row that a policy forbids
    throw Refused(
        ledger +
        "this user may not do that; nothing more was spent. The owner of the ledger grants "
        "rights, see \"A ledger for a team\" in docs/ledger.md (" +
        message + ")");
  }
  if (code == "25006" || code == "0A000") {  // a transaction that reads only; a standby
    throw Refused(ledger +
                  "the server takes no changes: it is a standby, or set to read only; nothing more "
                  "was spent. Name the server that takes them");
  }
  if (code == "42P01" || code == "3F000") {  // no such table, no such schema
    throw Refused("there is no ledger " + quoted(url_) +
                  "; make one with: freegap budget create --ledger URL --dataset NAME --epsilon E "
                  "--unit UNIT");
  }
  if (code == "55P03") {  // the lock was not to be had
    throw MachineFault(ledger + "it could not be locked for ten minutes: others write to it");
  }
  throw MachineFault(ledger + message);
}

}  // namespace freegap::ledger
