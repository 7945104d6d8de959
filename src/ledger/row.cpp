#include "ledger/row.hpp"

#include <utility>

#include "ledger/digest.hpp"

namespace freegap::ledger {
namespace {

std::optional<std::string> decimal(std::optional<std::int64_t> number) {
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

std::optional<std::int64_t> number(const std::optional<std::string>& text) {
  return text ? std::optional<std::int64_t>(std::stoll(*text)) : std::nullopt;
}

/// The exact text of a number; NULL for 0.
std::optional<std::string> positive(const Rational& number) {
  return number == Rational(0) ? std::nullopt : std::optional(number.str());
}

}  // namespace

bool is_integer_column(std::size_t column) {
  const std::string_view name = hashed_columns.at(column);
  return name == "sequence" || name == "entry" || name == "time";
}

FieldViews::FieldViews(const Row& row)
    : sequence_(std::to_string(row.sequence)),
      entry_(decimal(row.entry)),
      time_(decimal(row.time)) {
  values_ = {sequence_, row.kind,    row.dataset, row.total, row.unit,       row.neighbours,
             entry_,    time_,       row.who,     row.verb,  row.parameters, row.reserved,
             row.spent, row.release, row.details, row.delta};
}

std::array<std::optional<std::string>, hashed_columns.size()> fields(const Row& row) {
  const FieldViews views(row);
  std::array<std::optional<std::string>, hashed_columns.size()> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values.at(i) = views[i];
  }
  return values;
}

Row row_of(std::array<std::optional<std::string>, hashed_columns.size()> values) {
  auto& v = values;
  return {.sequence = number(v[0]).value_or(0),
          .kind = std::move(v[1]).value_or(""),
          .dataset = std::move(v[2]),
          .total = std::move(v[3]),
          .unit = std::move(v[4]),
          .neighbours = std::move(v[5]),
          .entry = number(v[6]),
          .time = number(v[7]),
          .who = std::move(v[8]),
          .verb = std::move(v[9]),
          .parameters = std::move(v[10]),
          .reserved = std::move(v[11]),
          .spent = std::move(v[12]),
          .release = std::move(v[13]),
          .details = std::move(v[14]),
          .delta = std::move(v[15]),
          .hash = {}};
}

const std::string& initial_hash() {
  static const std::string zeros(Digest::hex_length, '0');
  return zeros;
}

std::string hash_of(const std::string& previous, const Row& row) {
  Digest digest;
  digest.add(previous);
  const FieldViews values(row);
  const std::size_t count = row.delta     ? hashed_columns.size()
                            : row.details ? hashed_columns_of_format_2
                                          : hashed_columns_of_format_1;
  for (std::size_t i = 0; i < count; ++i) {
    if (const std::optional<std::string_view>& field = values[i]) {
      digest.add(std::to_string(field->size()));
      digest.add(":");
      digest.add(*field);
      digest.add(",");
    } else {
      digest.add("-,");
    }
  }
  return digest.hex();
}

Row dataset_row(const Dataset& dataset) {
  Row row;
  row.kind = kind_dataset;
  row.dataset = dataset.name;
  row.total = dataset.total.str();
  row.unit = dataset.unit;
  row.neighbours = name(dataset.neighbours);
  row.details = dataset.column;
  row.delta = positive(dataset.delta);
  return row;
}

Row reserve_row(std::int64_t entry, std::int64_t time, const Request& request) {
  Row row;
  row.kind = kind_reserve;
  row.dataset = request.dataset;
  row.entry = entry;
  row.time = time;
  row.who = request.who;
  row.verb = request.verb;
  row.parameters = request.parameters;
  row.reserved = request.reserved.str();
  if (!request.asked.empty()) {
    row.details = request.asked;
  }
  row.delta = positive(request.delta);
  return row;
}

Row settle_row(std::int64_t entry, const Rational& spent, std::string release) {
  Row row;
  row.kind = kind_settle;
  row.entry = entry;
  row.spent = spent.str();
  row.release = std::move(release);
  return row;
}

Row close_row(std::int64_t time, const std::string& dataset, const std::string& who) {
  Row row;
  row.kind = kind_close;
  row.dataset = dataset;
  row.time = time;
  row.who = who;
  return row;
}

Row rename_row(std::int64_t time, const std::string& dataset, const std::string& name,
               const std::string& who) {
  Row row = close_row(time, dataset, who);
  row.kind = kind_rename;
  row.details = name;
  return row;
}

Row copy_row(std::int64_t time, const std::string& name, const std::string& who) {
  Row row = open_row(time, who);
  row.kind = kind_copy;
  row.details = name;
  return row;
}

Row open_row(std::int64_t time, const std::string& who) {
  Row row;
  row.kind = kind_open;
  row.time = time;
  row.who = who;
  return row;
}

Row checkpoint_row(const std::string& accounts) {
  Row row;
  row.kind = kind_checkpoint;
  row.details = accounts;
  return row;
}

}  // namespace freegap::ledger
