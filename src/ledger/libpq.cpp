#include "ledger/libpq.hpp"

#include <dlfcn.h>

#include "ledger/ledger.hpp"

namespace freegap::ledger {
namespace {

/// The library's name, by its binary interface, which has been the same since PostgreSQL 8.
constexpr const char* library_name = "libpq.so.5";

[[noreturn]] void missing() {
  throw Refused(
      "a ledger on PostgreSQL needs its client library, libpq, which is not installed; nothing was "
      "spent. On Debian: apt install libpq5");
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  // POSIX promises that a pointer of dlsym can be taken for one to a function.
  function = reinterpret_cast<Function>(dlsym(library, name));  // NOLINT(*-reinterpret-cast)
  if (function == nullptr) {
    missing();
  }
}

Libpq load() {
  void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);  // stays until the end
  if (library == nullptr) {
    missing();
  }
  Libpq functions{};
  find(library, "PQconninfoParse", functions.conninfo_parse);
  find(library, "PQconninfoFree", functions.conninfo_free);
  find(library, "PQfreemem", functions.freemem);
  find(library, "PQconnectdbParams", functions.connect);
  find(library, "PQfinish", functions.finish);
  find(library, "PQstatus", functions.status);
  find(library, "PQerrorMessage", functions.error_message);
  find(library, "PQtransactionStatus", functions.transaction_status);
  find(library, "PQsetNoticeReceiver", functions.set_notice_receiver);
  find(library, "PQexecParams", functions.exec);
  find(library, "PQsendQuery", functions.send);
  find(library, "PQsocket", functions.socket);
  find(library, "PQconsumeInput", functions.consume_input);
  find(library, "PQisBusy", functions.is_busy);
  find(library, "PQgetResult", functions.next_result);
  find(library, "PQgetCancel", functions.get_cancel);
  find(library, "PQcancel", functions.cancel);
  find(library, "PQfreeCancel", functions.free_cancel);
  find(library, "PQclear", functions.clear);
  find(library, "PQresultStatus", functions.result_status);
  find(library, "PQresultErrorField", functions.error_field);
  find(library, "PQcmdStatus", functions.command_status);
  find(library, "PQntuples", functions.rows);
  find(library, "PQgetisnull", functions.is_null);
  find(library, "PQgetvalue", functions.value);
  find(library, "PQgetlength", functions.length);
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = load();
  return functions;
}

}  // namespace freegap::ledger
