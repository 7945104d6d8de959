#include "ledger/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/accounts.hpp"
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

const Dataset& find(const Accounts& accounts, const std::string& name) {
  const auto found = std::find_if(accounts.datasets().begin(), accounts.datasets().end(),
                                  [&](const Dataset& dataset) { return dataset.name == name; });
  if (found == accounts.datasets().end()) {
    throw Refused("the ledger has no data set " + quoted(name) +
                  "; nothing was spent. Make it with: freegap budget create");
  }
  return *found;
}

const Entry& find(const Accounts& accounts, std::int64_t number) {
  if (number < 1 || number > std::ssize(accounts.entries())) {
    throw Refused("the ledger has no entry " + std::to_string(number));
  }
  return accounts.entries()[static_cast<std::size_t>(number - 1)];
}

/// Unit and neighbours, for a message.
std::string protection(const std::string& unit, Neighbours neighbours) {
  return "unit " + quoted(unit) + ", neighbours " + name(neighbours);
}

void check_affordable(const Accounts& accounts, const Request& request) {
  const Dataset& dataset = find(accounts, request.dataset);
  const std::string who = "data set " + quoted(dataset.name) + ": ";
  if (request.unit != dataset.unit || request.neighbours != dataset.neighbours) {
    throw Refused(who + "its budget protects " + protection(dataset.unit, dataset.neighbours) +
                  "; asked for " + protection(request.unit, request.neighbours) +
                  ". Epsilons of different units or neighbours do not add up; nothing was spent");
  }
  const Balance balance = accounts.balance(dataset.name);
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

/// The open file, and the accounts as last read from it.
struct Ledger::State {
  explicit State(const std::string& path) : storage(path) { refresh(); }

  /// The current accounts. The file is read again only if it has changed.
  const Accounts& refresh() {
    const Transaction transaction(storage.connection(), Transaction::Kind::read);
    storage.check_not_moved();
    const std::int64_t version = storage.version();
    if (version != accounts_version) {
      accounts = storage.load();
      accounts_version = version;
    }
    return accounts;
  }

  /// Adds the row that `decide` returns for the current accounts. Reading, deciding and writing are
  /// one transaction, which excludes other writers: two processes cannot both spend the same
  /// budget. If anything throws, the file stays as it was.
  template <typename Decide>
  void write(Decide decide) {
    accounts_version.reset();  // unknown until the commit: a failure forces the next read
    Transaction transaction(storage.connection(), Transaction::Kind::write);
    storage.check_not_moved();
    const std::int64_t version = storage.version();
    accounts = storage.load();
    const Row row = accounts.next(decide(std::as_const(accounts)));
    accounts.add(row);  // throws on a row that could not be read again, before it is written
    storage.append(row);
    transaction.commit();
    accounts_version = version;
  }

  Storage storage;
  Accounts accounts;
  std::optional<std::int64_t> accounts_version;
};

void Ledger::create(const std::string& path, const Dataset& dataset) {
  check(dataset);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) &&
      make_file(path, Storage::new_ledger(Accounts().next(dataset_row(dataset))))) {
    return;
  }
  State(path).write([&](const Accounts& accounts) {
    if (accounts.has(dataset.name)) {
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
  const Accounts& accounts = state_->refresh();
  return accounts.balance(find(accounts, name).name);
}

std::vector<Entry> Ledger::history(const std::string& name) const {
  const Accounts& accounts = state_->refresh();
  if (name.empty()) {
    return accounts.entries();
  }
  static_cast<void>(find(accounts, name));
  std::vector<Entry> chosen;
  std::copy_if(accounts.entries().begin(), accounts.entries().end(), std::back_inserter(chosen),
               [&](const Entry& entry) { return entry.dataset == name; });
  return chosen;
}

Entry Ledger::entry(std::int64_t number) const { return find(state_->refresh(), number); }

std::int64_t Ledger::reserve(const Request& request) {
  check(request);
  std::int64_t number = 0;
  state_->write([&](const Accounts& accounts) {
    check_affordable(accounts, request);
    number = std::ssize(accounts.entries()) + 1;
    return reserve_row(number, now(), request);
  });
  return number;
}

void Ledger::settle(std::int64_t number, const Rational& spent, const std::string& release) {
  check_document("release", release);
  state_->write([&](const Accounts& accounts) {
    const Entry& entry = find(accounts, number);
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
