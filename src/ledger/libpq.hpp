#pragma once

/// @file
/// PostgreSQL's client library, libpq, loaded when a ledger's URL is first opened. So neither the
/// program nor the Python package needs it for a ledger in a file.

#include <libpq-fe.h>

namespace freegap::ledger {

/// The functions of libpq that the ledger calls.
struct Libpq {
  decltype(&PQconninfoParse) conninfo_parse;
  decltype(&PQconninfoFree) conninfo_free;
  decltype(&PQfreemem) freemem;
  decltype(&PQconnectdbParams) connect;
  decltype(&PQfinish) finish;
  decltype(&PQstatus) status;
  decltype(&PQerrorMessage) error_message;
  decltype(&PQtransactionStatus) transaction_status;
  decltype(&PQsetNoticeReceiver) set_notice_receiver;
  decltype(&PQexecParams) exec;
  decltype(&PQsendQuery) send;
  decltype(&PQsocket) socket;
  decltype(&PQconsumeInput) consume_input;
  decltype(&PQisBusy) is_busy;
  decltype(&PQgetResult) next_result;
  decltype(&PQgetCancel) get_cancel;
  decltype(&PQcancel) cancel;
  decltype(&PQfreeCancel) free_cancel;
  decltype(&PQclear) clear;
  decltype(&PQresultStatus) result_status;
  decltype(&PQresultErrorField) error_field;
  decltype(&PQcmdStatus) command_status;
  decltype(&PQntuples) rows;
  decltype(&PQgetisnull) is_null;
  decltype(&PQgetvalue) value;
  decltype(&PQgetlength) length;
};

/// The library. Throws Refused if it is not installed.
[[nodiscard]] const Libpq& libpq();

}  // namespace freegap::ledger
