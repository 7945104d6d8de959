// Parquet files and queries of a DuckDB database. DuckDB is a package of Python here, and the
// package freegap knows how to count with it, so Python is asked for a table: of items with their
// counts, or of ready-made numbers (docs/decisions/0026-duckdb-through-python.md). The table is
// read to its end, and its writer's success is checked, before anything is made of it.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "freegap/errors.hpp"
#include "sources/child.hpp"
#include "sources/readers.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

/// The interpreter: FREEGAP_PYTHON, or else python3.
std::string interpreter() {
  const char* named = std::getenv("FREEGAP_PYTHON");  // NOLINT(concurrency-mt-unsafe)
  return named != nullptr && *named != '\0' ? named : "python3";
}

std::vector<std::string> command(const Input& input) {
  // -P: a file of the current folder must not pass for a package.
  std::vector<std::string> words{interpreter(), "-P", "-m", "freegap._for_program"};
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value) {
      words.push_back(std::string(option) + "=" + *value);
    }
  };
  add("--parquet", input.parquet);
  add("--duckdb", input.duckdb);
  if (input.duckdb) {
    add("--query", input.query);
  }
  if (records_of(input) == Records::rows) {
    add("--item", input.item);
    add("--unit", input.unit.value_or("row"));
    if (input.max_items) {
      add("--max-items", std::to_string(*input.max_items));
    }
    if (input.max_items && input.insecure_seed) {
      add("--insecure-key", ItemRanks(*Cut::bits(input.insecure_seed)).key());
    }
  }
  if (input.skip_bad_records) {
    words.emplace_back("--skip-bad-records");
  }
  words.push_back("--parent=" + std::to_string(::getpid()));
  return words;
}

/// How the table is read: counts that are ready-made by now, or numbers as the caller declared.
Input written(const Input& input) {
  if (records_of(input) != Records::rows) {
    return input;
  }
  Input counted;
  counted.item = "item";
  counted.value = "count";
  return counted;
}

constexpr const char* install =
    "Python counts here, by the package freegap with DuckDB: install it (pip install \".[duckdb]\" "
    "in the folder of freegap's sources), and if it is not in the python3 of your PATH, name its "
    "Python in FREEGAP_PYTHON";

/// Throws unless the table is whole. `where` begins the message.
void check_ending(const Ending& ending, const std::string& where) {
  if (!ending.exited) {
    throw MachineFault("the Python process that counts was ended, perhaps for lack of memory");
  }
  constexpr int bad_input = 2;
  constexpr int machine_fault = 3;
  const std::string message(trimmed(ending.message.substr(0, ending.message.find('\n'))));
  switch (ending.status) {
    case 0:
      return;
    case bad_input:
      throw InvalidParameter(where, message);
    case machine_fault:
      throw MachineFault(message);
    default:  // what Python itself says may repeat what stands in the data
      throw InvalidParameter(where, install);
  }
}

/// The same, where reading the table has failed already: what the writer says explains more.
Values read_whole(Child& child, const Input& input, Problems& problems, const std::string& where) {
  try {
    return read_table(child, ',', written(input), problems, where, {.rows = true});
  } catch (const InvalidParameter&) {
    std::vector<char> rest(std::size_t{1} << 16U);
    while (child.read(rest) > 0) {
    }
    check_ending(child.wait(), where);
    throw;
  }
}

}  // namespace

Values read_duckdb(const Input& input, Problems& problems, const std::string& where) {
  Child child(command(input), where);
  Values values = read_whole(child, input, problems, where);
  check_ending(child.wait(), where);
  if (records_of(input) == Records::rows) {
    values.unit = input.unit.value_or("row");
    values.number_column.clear();
  }
  return values;
}

}  // namespace freegap::sources
