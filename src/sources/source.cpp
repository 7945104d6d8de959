#include "sources/source.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "freegap/errors.hpp"
#include "sources/readers.hpp"

namespace freegap::sources {
namespace {

/// A name without the ending of a compressed file.
std::string_view without_packing(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.ends_with(ending)) {
      name.remove_suffix(ending.size());
      break;
    }
  }
  return name;
}

/// The format that a name's ending stands for, with or without that of a compressed file.
Format format_by_name(const std::string& path) {
  const std::string_view name = without_packing(path);
  if (name.ends_with(".dat")) {
    return Format::transactions;
  }
  if (name.ends_with(".csv")) {
    return Format::csv;
  }
  if (name.ends_with(".tsv")) {
    return Format::tsv;
  }
  throw InvalidParameter(shown_name(path),
                         "say how it is written with --input-format dat, csv or tsv (known from "
                         "the endings .dat, .csv and .tsv, also followed by .gz or .zst)");
}

void check_step(int step) {
  constexpr int limit = 512;
  if (step < -limit || step > limit) {
    throw InvalidParameter("step", "it must be between 2^-512 and 2^512");
  }
}

/// Refuses more than one engine, an engine without the name of its file, or beside a text file.
void check_engine(const Input& input) {
  if (!input.path.empty() || input.format) {
    throw InvalidParameter("input", "give either a file or a database, not both");
  }
  int engines = 0;
  const auto check = [&](const char* name, const std::optional<std::string>& file,
                         const char* remedy) {
    engines += file ? 1 : 0;
    if (file && file->empty()) {
      throw InvalidParameter(name, remedy);
    }
  };
  check("sqlite", input.sqlite, "name the file of the database");
  check("duckdb", input.duckdb, "name the file of the database");
  check("parquet", input.parquet, "name the file, or files by a pattern: 'sales/*.parquet'");
  if (engines > 1) {
    throw InvalidParameter("input", "give one of --sqlite, --duckdb and --parquet");
  }
  if (input.query.empty() && !input.parquet) {
    throw InvalidParameter("query", "say what to ask the database: give --query SQL");
  }
  if (!input.query.empty() && input.parquet) {
    throw InvalidParameter("query",
                           "--parquet reads whole files. To ask of them: --duckdb FILE --query "
                           "\"SELECT ... FROM 'sales.parquet'\"");
  }
}

void check_sense(const Input& input) {
  if (asks_engine(input)) {
    check_engine(input);
  } else if (!input.query.empty()) {
    throw InvalidParameter("query", "it needs a database: give --sqlite FILE, or --duckdb FILE");
  } else if (input.path.empty()) {
    throw InvalidParameter("input",
                           "give one file (\"-\" for standard input), --parquet FILE, or "
                           "--sqlite FILE --query SQL (or --duckdb)");
  }
  if (input.step) {
    check_step(*input.step);
  }
}

void check_separator(const Input& input, Records records) {
  if (input.separator && records != Records::transactions) {
    throw InvalidParameter("--separator",
                           "it is for transactions: lines that are lists of items. If this input "
                           "holds such, add --input-format dat; a table has its own separator");
  }
}

/// 2^power <= number: the numerator is at least 2^(bits - 1), the denominator below 2^bits.
int power_below(const Rational& number) {
  const auto bits = [](const mpz_class& whole) {
    return static_cast<int>(mpz_sizeinbase(whole.get_mpz_t(), 2));
  };
  return bits(number.numerator()) - 1 - bits(number.denominator());
}

/// The grid of a step, with the sensitivity rounded up to it.
RealGrid grid_of(const Rational& declared, int step) {
  check_step(step);
  const Rational size = Rational::power_of_two(step);
  return {.step = step, .sensitivity = Rational(mpq_class((declared / size).ceil())) * size};
}

/// The usual step for a sensitivity: at least 2^16 steps to it.
int usual_step(const Rational& declared) {
  if (declared.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
  return power_below(declared) - 16;
}

Format format_of(const Input& input) {
  return input.format ? *input.format : format_by_name(input.path);
}

/// The name under which items that look wrongly separated are refused. None where the separator was
/// declared, nor where no message may depend on a record.
std::optional<std::string> check_of(const Input& input, const std::string& name) {
  return input.separator || input.skip_bad_records ? std::nullopt : std::optional(name);
}

Values read_file(const Input& input, Problems& problems, Cut* cut) {
  const std::string name = shown_name(input.path);
  if (records_of(input) == Records::transactions) {
    // The first bytes belong to a record, so they must not decide how the others are read.
    const bool packed = input.packed || without_packing(input.path) != input.path;
    const std::unique_ptr<Bytes> bytes =
        packed ? surely_decompressed(open_file(input.path), name) : open_file(input.path);
    return input.separator.value_or(' ') == ' '
               ? read_transactions(*bytes, problems, {}, check_of(input, name), cut)
               : read_separated(*bytes, *input.separator, problems, {}, cut);
  }
  const char separator = format_of(input) == Format::csv ? ',' : '\t';
  const std::unique_ptr<Bytes> bytes = decompressed(open_file(input.path), name);
  return read_table(*bytes, separator, input, problems, name, {}, cut);
}

Values read_with(const Input& input, Problems& problems) {
  check_sense(input);
  check_bound(input, records_of(input));
  if (input.duckdb || input.parquet) {
    const std::string& where = input.parquet ? *input.parquet : *input.duckdb;
    problems.stand_in(where, "row");
    return read_duckdb(input, problems, where);
  }
  const std::unique_ptr<BitStream> bits =
      input.max_items ? Cut::bits(input.insecure_seed) : nullptr;
  std::optional<Cut> cut;
  if (bits) {
    cut.emplace(*input.max_items, *bits);
  }
  Cut* const cutting = cut ? &*cut : nullptr;
  if (input.sqlite) {
    problems.stand_in("query", "row");
    return read_database(input, problems, cutting);
  }
  problems.stand_in(shown_name(input.path), "line");
  return read_file(input, problems, cutting);
}

}  // namespace

bool asks_engine(const Input& input) { return input.sqlite || input.duckdb || input.parquet; }

Records records_of(const Input& input) {
  check_sense(input);
  Records records = Records::transactions;
  if (asks_engine(input) || format_of(input) != Format::transactions) {
    records = input.item && !input.value ? Records::rows : Records::numbers;
  } else if (input.item || input.value || input.unit.value_or("transaction") != "transaction") {
    throw InvalidParameter(shown_name(input.path),
                           "transactions have no columns: leave out --item, --value and --unit "
                           "(the unit is the transaction)");
  }
  check_separator(input, records);
  return records;
}

RealGrid RealGrid::of(const Rational& declared) { return grid_of(declared, usual_step(declared)); }

RealGrid RealGrid::of(const Rational& declared, const Range& range) {
  const Rational most = std::max(range.high, Rational(0) - range.low);
  int step = usual_step(declared);
  const int coarsest = step + 16;  // not above the sensitivity
  while (step <= coarsest && Rational::power_of_two(step + 53) < most) {
    ++step;
  }
  if (step > coarsest) {
    throw InvalidParameter("--range",
                           "it is too wide for this sensitivity: its ends may be at most 2^52 "
                           "sensitivities from 0. Declare a narrower range, or measure in a "
                           "coarser unit with a larger --sensitivity");
  }
  return grid_of(declared, step);
}

void check_bound(const Input& input, Records records) {
  const bool counted = records == Records::transactions || records == Records::rows;
  if (input.max_items && !counted) {
    throw InvalidParameter(
        "--max-items",
        records == Records::stream
            ? "a stream has no units that could be cut"
            : "ready-made numbers cannot be cut any more. Cut each unit down before you count, and "
              "say so with --bounded-by M; or let freegap count: --item COLUMN --unit COLUMN");
  }
  if (input.bounded_by && records != Records::numbers) {
    throw InvalidParameter("--bounded-by",
                           counted ? "it is for ready-made numbers. What freegap counts it also "
                                     "cuts: --max-items M"
                                   : "it is for ready-made numbers, and a stream is not measured");
  }
  if (input.max_items == 0 || input.bounded_by == 0) {
    throw InvalidParameter(input.max_items ? "--max-items" : "--bounded-by",
                           "it must be at least 1");
  }
}

std::optional<std::uint64_t> bound_of(const Input& input, Records records) {
  check_bound(input, records);
  const bool whole_rows = records == Records::rows && input.unit.value_or("row") == "row";
  return input.max_items && whole_rows ? 1 : input.max_items ? input.max_items : input.bounded_by;
}

Values read(const Input& input) {
  Problems problems = input.skip_bad_records ? Problems::dropped() : Problems::refused();
  return read_with(input, problems);
}

Values check(const Input& input, std::size_t most) {
  Problems problems = Problems::noted(most);
  Values values = read_with(input, problems);
  values.bad = problems.take();
  return values;
}

void check_header(const Input& input) {
  std::error_code none;
  if (asks_engine(input) || input.path == "-" ||
      !std::filesystem::is_regular_file(input.path, none)) {
    return;
  }
  const std::unique_ptr<Bytes> bytes = decompressed(open_file(input.path), input.path);
  read_schema(*bytes, format_of(input) == Format::csv ? ',' : '\t', input, input.path);
}

std::vector<std::string> read_list(const std::string& path) {
  const std::string name = shown_name(path);
  const std::unique_ptr<Bytes> bytes = decompressed(open_file(path), name);
  return read_items(*bytes, name);
}

}  // namespace freegap::sources
