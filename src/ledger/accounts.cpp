#include "ledger/accounts.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

/// After so many rows, or so many bytes of text, there is a checkpoint.
constexpr std::int64_t rows_between_checkpoints = 256;
constexpr std::size_t bytes_between_checkpoints = std::size_t{1} << 18U;

/// Throws Inconsistent with this message unless the rule holds.
void expect(bool holds, const char* otherwise) {
  if (!holds) {
    throw Inconsistent(otherwise);
  }
}

/// Checks that a row fills the columns of its kind and no others, besides sequence, kind, hash and
/// those that it may fill.
void expect_columns(const Row& row, std::initializer_list<std::string_view> names,
                    std::initializer_list<std::string_view> optional = {}) {
  const FieldViews values(row);
  const auto among = [](std::initializer_list<std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (std::size_t i = 2; i < hashed_columns.size(); ++i) {
    if (!among(optional, hashed_columns[i])) {
      expect(values[i].has_value() == among(names, hashed_columns[i]),
             "its columns are not those of its kind");
    }
  }
}

Rational number_in(const std::optional<std::string>& text) {
  std::optional<Rational> number = exact_number(*text);
  expect(number.has_value(), "a number is not written exactly");
  return *std::move(number);
}

Rational total_in(const std::string& text) {
  Rational total = number_in(text);
  expect(total.sign() > 0 && total <= Rational(Epsilon::largest), "the total is out of range");
  return total;
}

/// The δ of a row; 0 where it has none.
Rational delta_in(const std::optional<std::string>& text) {
  if (!text) {
    return 0;
  }
  Rational delta = number_in(text);
  expect(delta.sign() > 0 && delta < Rational(1), "its delta is out of range");
  return delta;
}

/// The account of a data set.
Account account_of(const Rational& total, const Rational& delta) {
  return Account(Epsilon(total), delta.sign() > 0 ? std::optional(Delta(delta)) : std::nullopt);
}

Neighbours neighbours_in(const std::string& text) {
  const bool replace = text == name(Neighbours::replace);
  expect(replace || text == name(Neighbours::add_remove), "its neighbours are unknown");
  return replace ? Neighbours::replace : Neighbours::add_remove;
}

std::int64_t integer_in(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  expect(error == std::errc() && rest == end, "the checkpoint is not well-formed");
  return number;
}

/// A line of a checkpoint. Labels have no control characters, so a tab separates them.
void add_line(std::string& text, const std::vector<std::string>& fields) {
  for (const std::string& field : fields) {
    text += field + "\t";
  }
  text.back() = '\n';
}

/// The pieces of a text before each separator. What follows the last separator is ignored.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t end = 0; (end = text.find(separator)) != std::string_view::npos;) {
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return pieces;
}

/// A field of a line; nothing where the line is shorter.
std::optional<std::string> field_at(const std::vector<std::string>& fields, std::size_t position) {
  return position < fields.size() ? std::optional(fields[position]) : std::nullopt;
}

/// The bytes of those texts of a row that may be long.
std::size_t text_bytes(const Row& row) {
  std::size_t bytes = 0;
  for (const auto* text : {&row.release, &row.parameters, &row.details}) {
    bytes += *text ? (*text)->size() : 0;
  }
  return bytes;
}

}  // namespace

Accounts::Accounts(const Row& checkpoint, const std::string& previous_hash)
    : rows_(checkpoint.sequence), last_hash_(checkpoint.hash) {
  expect(checkpoint.kind == kind_checkpoint, "it is not a checkpoint");
  expect_columns(checkpoint, {"details"});
  expect(checkpoint.hash == hash_of(previous_hash, checkpoint), "its hash is wrong");
  for (const std::string& line : split(*checkpoint.details, '\n')) {
    take_line(split(line + "\t", '\t'));
  }
  expect(text() == *checkpoint.details, "the checkpoint is not well-formed");
}

Row Accounts::next(Row row) const {
  row.sequence = rows_ + 1;
  row.hash = hash_of(last_hash_, row);
  return row;
}

void Accounts::add(const Row& row) {
  expect(row.sequence == rows_ + 1, "its number does not follow");
  expect(row.hash == hash_of(last_hash_, row), "its hash is wrong");
  using Adding = void (Accounts::*)(const Row&);
  static const std::map<std::string_view, Adding> kinds{
      {kind_dataset, &Accounts::add_dataset}, {kind_reserve, &Accounts::add_reserve},
      {kind_settle, &Accounts::add_settle},   {kind_close, &Accounts::add_close},
      {kind_rename, &Accounts::add_rename},   {kind_copy, &Accounts::add_copy},
      {kind_open, &Accounts::add_open},       {kind_checkpoint, &Accounts::add_checkpoint}};
  const auto kind = kinds.find(row.kind);
  expect(kind != kinds.end(), "its kind is unknown");
  (this->*kind->second)(row);
  rows_ = row.sequence;
  last_hash_ = row.hash;
  if (row.kind != kind_checkpoint) {
    ++rows_since_checkpoint_;
    bytes_since_checkpoint_ += text_bytes(row);
  }
}

void Accounts::add_dataset(const Row& row) {
  expect_columns(row, {"dataset", "total", "unit", "neighbours"}, {"details", "delta"});
  expect(is_label(*row.dataset) && is_label(*row.unit) && is_label(row.details.value_or("-")),
         "a label is not well-formed");
  const Rational total = total_in(*row.total);
  const Rational delta = delta_in(row.delta);
  const Neighbours neighbours = neighbours_in(*row.neighbours);
  expect(!has(*row.dataset), "the data set exists already");
  accounts_.emplace(*row.dataset, account_of(total, delta));
  datasets_.push_back({.name = *row.dataset,
                       .total = total,
                       .unit = *row.unit,
                       .neighbours = neighbours,
                       .column = row.details,
                       .delta = delta});
}

void Accounts::add_reserve(const Row& row) {
  expect_columns(row, {"dataset", "entry", "time", "who", "verb", "parameters", "reserved"},
                 {"details", "delta"});
  expect(is_label(*row.who) && is_label(*row.verb), "a label is not well-formed");
  expect(is_document(*row.parameters) && is_document(row.details.value_or("")),
         "the parameters are not well-formed");
  expect(*row.time >= 0, "the time is before 1970");
  expect(*row.entry == entries_ + 1, "the number of its entry does not follow");
  expect(accounts_.contains(*row.dataset), "there is no such data set");
  expect(!find(*row.dataset).closed, "the data set is closed");
  Account& account = accounts_.at(*row.dataset);
  const Rational reserved = number_in(row.reserved);
  expect(reserved.sign() > 0, "nothing is reserved");
  const Rational delta = delta_in(row.delta);
  expect(account.affords(reserved), "it exceeds the total");
  expect(account.affords(reserved, delta), "its delta exceeds the total");
  account.reserve(reserved, delta);
  entries_ = *row.entry;
  unfinished_.emplace(entries_, Unfinished{*row.dataset, reserved, delta});
}

void Accounts::add_settle(const Row& row) {
  expect_columns(row, {"entry", "spent", "release"});
  expect(is_document(*row.release), "the release is not well-formed");
  expect(*row.entry >= 1 && *row.entry <= entries_, "there is no such entry");
  const auto entry = unfinished_.find(*row.entry);
  expect(entry != unfinished_.end(), "the entry was settled before");
  const Rational spent = number_in(row.spent);
  const Unfinished& charged = entry->second;
  expect(spent <= charged.reserved, "more was spent than was reserved");
  expect(charged.delta.sign() == 0 || spent == charged.reserved,
         "less was spent than was reserved, and it has a delta");
  accounts_.at(charged.dataset).settle(charged.reserved, spent, charged.delta);
  unfinished_.erase(entry);
}

void Accounts::add_close(const Row& row) {
  expect_columns(row, {"dataset", "time", "who"}, {"details"});
  expect(is_label(*row.who), "a label is not well-formed");
  expect(is_document(row.details.value_or("")), "the name of the copy is not well-formed");
  expect(*row.time >= 0, "the time is before 1970");
  expect(accounts_.contains(*row.dataset), "there is no such data set");
  Dataset& dataset = find(*row.dataset);
  expect(!dataset.closed || dataset.waiting, "the data set was closed before");
  dataset.closed = true;
  dataset.waiting = false;
}

void Accounts::add_copy(const Row& row) {
  expect_columns(row, {"time", "who", "details"});
  expect(is_label(*row.who), "a label is not well-formed");
  expect(is_document(*row.details), "the name of the copy is not well-formed");
  expect(*row.time >= 0, "the time is before 1970");
  expect(!waiting(), "the ledger is a copy that is not open yet");
  for (Dataset& dataset : datasets_) {
    dataset.waiting = !dataset.closed;
    dataset.closed = true;
  }
}

void Accounts::add_open(const Row& row) {
  expect_columns(row, {"time", "who"});
  expect(is_label(*row.who), "a label is not well-formed");
  expect(*row.time >= 0, "the time is before 1970");
  expect(waiting(), "the ledger is no copy that is to be opened");
  for (Dataset& dataset : datasets_) {
    dataset.closed = dataset.closed && !dataset.waiting;
    dataset.waiting = false;
  }
}

bool Accounts::waiting() const {
  return std::any_of(datasets_.begin(), datasets_.end(),
                     [](const Dataset& dataset) { return dataset.waiting; });
}

void Accounts::add_rename(const Row& row) {
  expect_columns(row, {"dataset", "time", "who", "details"});
  expect(is_label(*row.who) && is_label(*row.details), "a label is not well-formed");
  expect(*row.time >= 0, "the time is before 1970");
  expect(accounts_.contains(*row.dataset), "there is no such data set");
  expect(!has(*row.details), "the new name was used before");
  find(*row.dataset).name = *row.details;
  auto account = accounts_.extract(*row.dataset);
  account.key() = *row.details;
  accounts_.insert(std::move(account));
  former_names_.emplace(*row.dataset, *row.dataset);
  for (auto& [former, current] : former_names_) {
    current = current == *row.dataset ? *row.details : current;
  }
  for (auto& [number, entry] : unfinished_) {
    entry.dataset = entry.dataset == *row.dataset ? *row.details : entry.dataset;
  }
}

void Accounts::add_checkpoint(const Row& row) {
  expect_columns(row, {"details"});
  expect(*row.details == text(), "the checkpoint does not agree with the rows before it");
  rows_since_checkpoint_ = 0;
  bytes_since_checkpoint_ = 0;
}

bool Accounts::has(const std::string& name) const {
  return accounts_.contains(name) || former_names_.contains(name);
}

std::string Accounts::renamed_to(const std::string& name) const {
  const auto found = former_names_.find(name);
  return found == former_names_.end() ? std::string() : found->second;
}

Dataset& Accounts::find(const std::string& name) {
  return *std::find_if(datasets_.begin(), datasets_.end(),
                       [&](const Dataset& dataset) { return dataset.name == name; });
}

Balance Accounts::balance(const std::string& name) const { return accounts_.at(name).balance(); }

bool Accounts::checkpoint_due() const {
  return rows_since_checkpoint_ >= rows_between_checkpoints ||
         bytes_since_checkpoint_ >= bytes_between_checkpoints;
}

bool Accounts::needs_a_checkpoint(const Row& row) {
  return text_bytes(row) >= bytes_between_checkpoints;
}

std::string Accounts::text() const {
  std::string text;
  add_line(text, {"entries", std::to_string(entries_)});
  for (const Dataset& dataset : datasets_) {
    const Balance balance = accounts_.at(dataset.name).balance();
    std::vector<std::string> fields{"dataset",
                                    dataset.name,
                                    balance.total.str(),
                                    balance.spent.str(),
                                    balance.reserved.str(),
                                    dataset.unit,
                                    name(dataset.neighbours),
                                    dataset.column.value_or(""),
                                    dataset.waiting  ? "waiting"
                                    : dataset.closed ? "closed"
                                                     : "open"};
    if (dataset.delta.sign() > 0) {  // others are written as in format 2
      fields.insert(fields.end(), {balance.delta.total.str(), balance.delta.spent.str(),
                                   balance.delta.reserved.str()});
    }
    add_line(text, fields);
  }
  for (const auto& [former, current] : former_names_) {
    add_line(text, {"former", former, current});
  }
  for (const auto& [number, entry] : unfinished_) {
    std::vector<std::string> fields{"unfinished", std::to_string(number), entry.dataset,
                                    entry.reserved.str()};
    if (entry.delta.sign() > 0) {
      fields.push_back(entry.delta.str());
    }
    add_line(text, fields);
  }
  return text;
}

void Accounts::take_line(const std::vector<std::string>& fields) {
  const std::string& kind = fields.front();
  if (kind == "entries" && fields.size() == 2) {
    entries_ = integer_in(fields[1]);
  } else if (kind == "dataset" && (fields.size() == 9 || fields.size() == 12)) {
    take_dataset(fields);
  } else if (kind == "former" && fields.size() == 3) {
    former_names_.emplace(fields[1], fields[2]);
  } else if (kind == "unfinished" && (fields.size() == 4 || fields.size() == 5) &&
             accounts_.contains(fields[2])) {
    unfinished_.emplace(integer_in(fields[1]),
                        Unfinished{fields[2], number_in(fields[3]), delta_in(field_at(fields, 4))});
  } else {
    throw Inconsistent("the checkpoint is not well-formed");
  }
}

void Accounts::take_dataset(const std::vector<std::string>& fields) {
  const Rational total = total_in(fields[2]);
  const Rational spent = number_in(fields[3]);
  const Rational reserved = number_in(fields[4]);
  const Rational delta = delta_in(field_at(fields, 9));
  const Rational delta_spent = number_in(field_at(fields, 10).value_or("0"));
  const Rational delta_reserved = number_in(field_at(fields, 11).value_or("0"));
  Account account = account_of(total, delta);
  expect(account.affords(spent + reserved), "it exceeds the total");
  expect(account.affords(spent + reserved, delta_spent + delta_reserved),
         "its delta exceeds the total");
  // Whoever spends or reserves a δ spends or reserves an ε with it.
  expect(spent.sign() > 0 || delta_spent.sign() == 0, "the checkpoint is not well-formed");
  expect(reserved.sign() > 0 || delta_reserved.sign() == 0, "the checkpoint is not well-formed");
  if (spent.sign() > 0) {
    account.reserve(spent, delta_spent);
    account.settle(spent, spent, delta_spent);
  }
  if (reserved.sign() > 0) {
    account.reserve(reserved, delta_reserved);
  }
  accounts_.emplace(fields[1], account);
  datasets_.push_back({.name = fields[1],
                       .total = total,
                       .unit = fields[5],
                       .neighbours = neighbours_in(fields[6]),
                       .column = fields[7].empty() ? std::nullopt : std::optional(fields[7]),
                       .delta = delta,
                       .closed = fields[8] != "open",
                       .waiting = fields[8] == "waiting"});
}

}  // namespace freegap::ledger
