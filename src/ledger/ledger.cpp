#include "ledger/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/books.hpp"
#include "ledger/new_file.hpp"
#include "ledger/row.hpp"
#include "ledger/storage.hpp"
#include "ledger/text.hpp"

namespace freegap::ledger {
namespace {

void check_label(const char* argument, const std::string& text) {
  if (!is_label(text)) {
    throw InvalidParameter(argument, "it must have 1 to " + std::to_string(longest_label) +
                                         " bytes of UTF-8 without control characters");
  }
}

void check_document(const char* argument, const std::string& text) {
  if (!is_document(text)) {
    throw InvalidParameter(argument, "it must be UTF-8 without NUL");
  }
}

void check(const Dataset& dataset) {
  check_label("data set", dataset.name);
  check_label("unit", dataset.unit);
  static_cast<void>(Epsilon(dataset.total));
}

void check(const Request& request) {
  check_label("data set", request.dataset);
  check_label("unit", request.unit);
  check_label("who", request.who);
  check_label("verb", request.verb);
  check_document("parameters", request.parameters);
  if (request.reserved.sign() <= 0) {
    throw InvalidParameter("reserved", "it must be above 0");
  }
}

const Dataset& find(const Books& books, const std::string& name) {
  const auto found = std::find_if(books.datasets().begin(), books.datasets().end(),
                                  [&](const Dataset& dataset) { return dataset.name == name; });
  if (found == books.datasets().end()) {
    throw Refused("the ledger has no data set " + quoted(name) +
                  "; nothing was spent. Make it with: freegap budget create");
  }
  return *found;
}

const Entry& find(const Books& books, std::int64_t number) {
  if (number < 1 || number > std::ssize(books.entries())) {
    throw Refused("the ledger has no entry " + std::to_string(number));
  }
  return books.entries()[static_cast<std::size_t>(number - 1)];
}

/// What a unit and its neighbours are called in a message.
std::string protection(const std::string& unit, Neighbours neighbours) {
  return "unit " + quoted(unit) + ", neighbours " + text_of(neighbours);
}

void check_affordable(const Books& books, const Request& request) {
  const Dataset& dataset = find(books, request.dataset);
  const std::string who = "data set " + quoted(dataset.name) + ": ";
  if (request.unit != dataset.unit || request.neighbours != dataset.neighbours) {
    throw Refused(who + "its budget protects " + protection(dataset.unit, dataset.neighbours) +
                  "; asked for " + protection(request.unit, request.neighbours) +
                  ". Epsilons of different units or neighbours do not add up; nothing was spent");
  }
  const Balance balance = books.balance(dataset.name);
  if (request.reserved > balance.remaining) {
    throw Refused(who + "asked for " + shown(request.reserved) + ", left " +
                  shown(balance.remaining) + " of " + shown(balance.total) + "; nothing was spent");
  }
}

std::int64_t now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970).count();
  return std::max<std::int64_t>(seconds, 0);
}

}  // namespace

/// The open file, and the books as they were last read from it.
struct Ledger::State {
  explicit State(const std::string& path) : storage(path) { refresh(); }

  /// The books as they stand now; read again only when the file has changed.
  const Books& refresh() {
    const Transaction transaction(storage.connection(), Transaction::Kind::read);
    storage.check_place();
    const std::int64_t version = storage.version();
    if (version != books_version) {
      books = storage.load();
      books_version = version;
    }
    return books;
  }

  /// Adds the row that `decide` makes of the books, with every other writer shut out from the
  /// reading to the writing. What throws leaves the file as it was.
  template <typename Decide>
  void write(Decide decide) {
    books_version.reset();  // until it is known that the file has what the books have
    Transaction transaction(storage.connection(), Transaction::Kind::write);
    storage.check_place();
    const std::int64_t version = storage.version();
    books = storage.load();
    const Row row = books.next(decide(std::as_const(books)));
    books.add(row);  // a row that could not be read again is never written
    storage.append(row);
    transaction.commit();
    books_version = version;
  }

  Storage storage;
  Books books;
  std::optional<std::int64_t> books_version;
};

void Ledger::create(const std::string& path, const Dataset& dataset) {
  check(dataset);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) &&
      make_file(path, Storage::new_ledger(Books().next(dataset_row(dataset))))) {
    return;
  }
  State(path).write([&](const Books& books) {
    if (books.has(dataset.name)) {
      throw Refused("the ledger has a data set " + quoted(dataset.name) +
                    " already; its total, unit and neighbours are fixed");
    }
    return dataset_row(dataset);
  });
}

Ledger::Ledger(const std::string& path) : state_(std::make_unique<State>(path)) {}

Ledger::~Ledger() = default;

std::vector<Dataset> Ledger::datasets() const { return state_->refresh().datasets(); }

Dataset Ledger::dataset(const std::string& name) const { return find(state_->refresh(), name); }

Balance Ledger::balance(const std::string& name) const {
  const Books& books = state_->refresh();
  return books.balance(find(books, name).name);
}

std::vector<Entry> Ledger::history(const std::string& name) const {
  const Books& books = state_->refresh();
  if (name.empty()) {
    return books.entries();
  }
  static_cast<void>(find(books, name));
  std::vector<Entry> chosen;
  std::copy_if(books.entries().begin(), books.entries().end(), std::back_inserter(chosen),
               [&](const Entry& entry) { return entry.dataset == name; });
  return chosen;
}

Entry Ledger::entry(std::int64_t number) const { return find(state_->refresh(), number); }

std::int64_t Ledger::reserve(const Request& request) {
  check(request);
  std::int64_t number = 0;
  state_->write([&](const Books& books) {
    check_affordable(books, request);
    number = std::ssize(books.entries()) + 1;
    return reserve_row(number, now(), request);
  });
  return number;
}

void Ledger::settle(std::int64_t number, const Rational& spent, const std::string& release) {
  check_document("release", release);
  state_->write([&](const Books& books) {
    const Entry& entry = find(books, number);
    if (entry.spent) {
      throw Refused("entry " + std::to_string(number) + " is settled already");
    }
    if (spent.sign() < 0 || spent > entry.reserved) {
      throw InvalidParameter("spent", "it must be between 0 and what was reserved, " +
                                          shown(entry.reserved) + "; it is " + shown(spent));
    }
    return settle_row(number, spent, release);
  });
}

}  // namespace freegap::ledger
