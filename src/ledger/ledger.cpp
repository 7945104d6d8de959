#include "ledger/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/accounts.hpp"
#include "ledger/held_space.hpp"
#include "ledger/history.hpp"
#include "ledger/row.hpp"
#include "ledger/store.hpp"
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

/// A δ is 0, or one that a release can have.
void check_delta(const Rational& delta) {
  if (delta.sign() != 0) {
    static_cast<void>(Delta(delta));
  }
}

void check_dataset(const Dataset& dataset) {
  check_label("data set", dataset.name);
  check_label("unit", dataset.unit);
  if (dataset.column) {
    check_label("column", *dataset.column);
  }
  static_cast<void>(Epsilon(dataset.total));
  check_delta(dataset.delta);
}

void check_request(const Request& request) {
  check_label("data set", request.dataset);
  check_label("unit", request.unit);
  check_label("who", request.who);
  check_label("verb", request.verb);
  check_document("parameters", request.parameters);
  check_document("asked", request.asked);
  if (request.reserved.sign() <= 0) {
    throw InvalidParameter("reserved", "it must be above 0");
  }
  check_delta(request.delta);
}

const Dataset& find(const Accounts& accounts, const std::string& name) {
  if (const std::string now = accounts.renamed_to(name); !now.empty()) {
    throw Refused("data set " + quoted(name) + " was renamed to " + quoted(now) +
                  "; nothing was spent. Use that name");
  }
  const auto found = std::find_if(accounts.datasets().begin(), accounts.datasets().end(),
                                  [&](const Dataset& dataset) { return dataset.name == name; });
  if (found == accounts.datasets().end()) {
    throw Refused("the ledger has no data set " + quoted(name) +
                  "; nothing was spent. Make it with: freegap budget create");
  }
  return *found;
}

void check_exists(std::int64_t number, std::int64_t entries) {
  if (number < 1 || number > entries) {
    throw Refused("the ledger has no entry " + std::to_string(number));
  }
}

/// Unit and neighbours, for a message.
std::string protection(const std::string& unit, Neighbours neighbours) {
  return "unit " + quoted(unit) + ", neighbours " + name(neighbours);
}

void check_storable(const Request& request) {
  if (request.largest_release > longest_release) {
    throw Refused("the release could take " + std::to_string(request.largest_release) +
                  " bytes, and a ledger stores up to " + std::to_string(longest_release) +
                  "; nothing was spent. Ask for less at a time");
  }
}

void check_affordable(const Accounts& accounts, const Request& request) {
  const Dataset& dataset = find(accounts, request.dataset);
  const std::string who = "data set " + quoted(dataset.name) + ": ";
  if (request.unit != dataset.unit || request.neighbours != dataset.neighbours) {
    throw Refused(who + "its budget protects " + protection(dataset.unit, dataset.neighbours) +
                  "; asked for " + protection(request.unit, request.neighbours) +
                  ". Epsilons of different units or neighbours do not add up; nothing was spent");
  }
  if (dataset.waiting) {
    throw Refused(who +
                  "it is closed, since the ledger is a copy that was not finished; nothing was "
                  "spent. Finish it with the call that began it: freegap budget copy");
  }
  if (dataset.closed) {
    throw Refused(who + "it is closed; nothing was spent");
  }
  const Balance balance = accounts.balance(dataset.name);
  if (request.reserved > balance.remaining) {
    throw Exceeded(who + "asked for " + shown(request.reserved) + ", left " +
                       shown(balance.remaining) + " of " + shown(balance.total) +
                       "; nothing was spent",
                   request.reserved, balance.remaining, balance.total, PrivacyParameter::epsilon);
  }
  const DeltaBalance& delta = balance.delta;
  if (request.delta > delta.remaining) {
    throw Exceeded(who + "asked for delta " + shown(request.delta) + ", left " +
                       shown(delta.remaining) + " of " + shown(delta.total) +
                       "; nothing was spent" +
                       (delta.total.sign() == 0 ? ". A data set gets a delta when it is made: "
                                                  "freegap budget create --delta"
                                                : ""),
                   request.delta, delta.remaining, delta.total, PrivacyParameter::delta);
  }
}

std::int64_t now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970).count();
  return std::max<std::int64_t>(seconds, 0);
}

/// Rows that close all data sets that are open or could be opened. `why` is the place where they
/// are copied to, if that is the reason.
std::vector<Row> closing_rows(const Accounts& accounts, const std::string& who,
                              const std::optional<std::string>& why = std::nullopt) {
  std::vector<Row> rows;
  for (const Dataset& dataset : accounts.datasets()) {
    if (!dataset.closed || dataset.waiting) {
      rows.push_back(close_row(now(), dataset.name, who));
      rows.back().details = why;
    }
  }
  return rows;
}

/// Where an original was copied to: the hash of the row that marks the copy, which is in no other
/// ledger, and the name of the copy.
std::string place_of(const Row& mark) { return mark.hash + " " + *mark.details; }

/// The name of the copy in such a place.
std::string name_in(const std::string& place) { return place.substr(place.find(' ') + 1); }

/// Makes a ledger of the first rows of a store, which are checked, and of some more. Returns its
/// head.
Head copy_rows(Store& from, std::int64_t rows, const std::string& to,
               const std::vector<Row>& more) {
  Accounts made;
  const bool is_new = make_store(to, [&](const TakeRow& take) {
    static_cast<void>(from.load(Depth::whole, [&](const Row& row) {
      if (row.sequence <= rows) {
        made.add(row);
        take(row);
      }
    }));
    for (const Row& row : more) {
      const Row next = made.next(row);
      made.add(next);
      take(next);
    }
  });
  if (!is_new) {
    throw Refused("there is a ledger or a file " + quoted(to) +
                  " already; nothing was copied. Name a new one");
  }
  return {made.rows(), made.last_hash()};
}

/// The row that marks a ledger as a copy that is not open yet. Nothing where there is no such
/// ledger.
std::optional<Row> mark_of_copy(const std::string& name) {
  std::optional<Row> mark;
  try {
    const std::unique_ptr<Store> store = open_store(name);
    const Transaction transaction(*store, Access::read);
    const Accounts accounts = store->load(Depth::whole, [&](const Row& row) {
      if (row.kind == kind_copy) {
        mark = row;
      }
    });
    return accounts.waiting() ? mark : std::nullopt;
  } catch (const Refused&) {  // whoever makes a ledger there says what is wrong
    return std::nullopt;
  }
}

}  // namespace

/// The open store, and the accounts as last read from it.
struct Ledger::State {
  explicit State(const std::string& name, WhileWaiting while_waiting = {})
      : store(open_store(name, std::move(while_waiting))) {
    refresh();
  }

  /// The current accounts. They are read again unless the store says that nothing has changed.
  const Accounts& refresh() {
    const Transaction transaction(*store, Access::read);
    const std::optional<std::int64_t> version = store->version();
    if (!version || version != accounts_version) {
      accounts = store->load();
      accounts_version = version;
    }
    return accounts;
  }

  /// Adds the rows that `decide` returns for the current accounts. Reading, deciding and writing
  /// are one transaction, which excludes other writers: two processes cannot both spend the same
  /// budget. If anything throws, the ledger stays as it was.
  /// `before_commit` is called when the rows are added and can only be committed.
  template <typename Decide>
  void write(Decide decide, const std::function<void()>& before_commit = {}) {
    accounts_version.reset();  // unknown until the commit: a failure forces the next read
    Transaction transaction(*store, Access::write);
    const std::optional<std::int64_t> version = store->version();
    accounts = store->load();
    std::vector<Row> rows = decide(std::as_const(accounts));
    store->upgrade();
    for (Row& row : rows) {
      add(std::move(row));
    }
    if (before_commit) {
      before_commit();
    }
    try {
      transaction.commit();
    } catch (const MachineFault& fault) {
      transaction.roll_back();
      throw CommitFault(fault.what(), fate());
    }
    accounts_version = version;
  }

  /// Adds a row, and a checkpoint if one is due.
  void add(Row row) {
    const bool is_long = Accounts::needs_a_checkpoint(row);
    append(std::move(row));
    if (accounts.checkpoint_due()) {
      append(checkpoint_row(accounts.text()));
      if (is_long) {  // opening also reads the row before the last checkpoint
        append(checkpoint_row(accounts.text()));
      }
    }
  }

  void append(Row row) {
    const Row next = accounts.next(std::move(row));
    accounts.add(next);  // throws on a row that could not be read again, before it is written
    store->append(next);
  }

  /// Whether the accounts, which failed to be committed, are in the ledger. Other processes may
  /// have added rows since. (The same request of the same user in the same second makes the same
  /// row.)
  [[nodiscard]] CommitFault::Fate fate() const {
    try {
      const Transaction transaction(*store, store->after_failed_commit());
      const bool written = store->hash_of_row(accounts.rows()) == accounts.last_hash();
      return written ? CommitFault::Fate::written : CommitFault::Fate::not_written;
    } catch (const std::exception&) {
      return CommitFault::Fate::unknown;
    }
  }

  /// Makes a copy, unless one waits there already, and closes the data sets. Returns the row that
  /// marks the copy, which then is to be opened. The closing is committed after the copy, which
  /// cannot be spent from yet; but it is written before, so that whoever may not close makes no
  /// copy.
  Row close_for_copy(const std::string& to, const std::string& who) {
    const std::optional<Row> begun = mark_of_copy(to);
    Row mark;
    write(
        [&](const Accounts& current) {
          const std::vector<std::string> copied_to = places();
          if (begun && std::ranges::count(copied_to, place_of(*begun)) > 0) {
            mark = *begun;  // all but the opening was done
            return std::vector<Row>();
          }
          check_movable(current, copied_to);
          mark = current.next(begun ? *begun : copy_row(now(), to, who));
          if (begun && mark.hash != begun->hash) {
            throw Refused(quoted(to) + " is a copy that was not finished, and the ledger " +
                          quoted(store->name()) +
                          " has changed since, or is another one; nothing was copied. Nothing can "
                          "be spent from that copy: remove it, or name a new one");
          }
          return closing_rows(current, who, place_of(mark));
        },
        [&] {
          if (!begun) {
            copy_rows(*store, mark.sequence - 1, to, {mark});
          }
        });
    return mark;
  }

  /// Opens the data sets of a copy whose original is closed. Returns its head.
  static Head open_copy(const std::string& name, const Row& mark, const std::string& who) {
    State copy(name);
    copy.write([&](const Accounts& current) {
      if (!current.waiting() || copy.store->hash_of_row(mark.sequence) != mark.hash) {
        throw Refused("ledger " + quoted(name) +
                      " was opened or replaced by another process while it was copied");
      }
      return std::vector{open_row(now(), who)};
    });
    return {copy.accounts.rows(), copy.accounts.last_hash()};
  }

  /// The places that data sets were copied to, see `place_of`.
  [[nodiscard]] std::vector<std::string> places() const {
    std::vector<std::string> found;
    static_cast<void>(store->load(Depth::whole, [&](const Row& row) {
      if (row.kind == kind_close && row.details) {
        found.push_back(*row.details);
      }
    }));
    return found;
  }

  /// Refuses to move a ledger from which nothing can be spent.
  void check_movable(const Accounts& current, const std::vector<std::string>& copied_to) const {
    const std::string ledger = "ledger " + quoted(store->name());
    if (current.waiting()) {
      throw Refused(ledger +
                    " is a copy that was not finished; nothing was copied. Finish it with the call "
                    "that began it: freegap budget copy");
    }
    if (closing_rows(current, "-").empty()) {
      throw Refused("all data sets of " + ledger + " are closed already; nothing was copied. " +
                    (copied_to.empty() ? "For an archive, copy it with --closed"
                                       : "It was copied to " + quoted(name_in(copied_to.back())) +
                                             ": releases go on there"));
    }
  }

  /// All entries, after a check of the whole ledger.
  [[nodiscard]] History history() const {
    const Transaction transaction(*store, Access::read);
    History history;
    static_cast<void>(store->load(Depth::whole, [&](const Row& row) { history.add(row); }));
    return history;
  }

  /// Holds disk space for the release of an entry, where the ledger is on a disk of this machine.
  void hold(std::int64_t number, std::uint64_t release_bytes) {
    if (store->is_file()) {
      held.try_emplace(number, store->name()).first->second.hold(release_bytes);
    }
  }

  std::unique_ptr<Store> store;
  std::map<std::int64_t, HeldSpace> held;  // by the entries that are to be settled
  Accounts accounts;
  std::optional<std::int64_t> accounts_version;
};

void Ledger::create(const std::string& path, const Dataset& dataset, WhileWaiting while_waiting) {
  check_dataset(dataset);
  if (make_store(path, [&](const TakeRow& take) { take(Accounts().next(dataset_row(dataset))); })) {
    return;
  }
  State(path, std::move(while_waiting)).write([&](const Accounts& accounts) {
    if (accounts.has(dataset.name)) {
      throw Refused("the ledger has " +
                    std::string(accounts.renamed_to(dataset.name).empty() ? "" : "had ") +
                    "a data set " + quoted(dataset.name) +
                    " already; its total, unit and neighbours are fixed");
    }
    return std::vector{dataset_row(dataset)};
  });
}

Ledger::Ledger(const std::string& path, WhileWaiting while_waiting)
    : state_(std::make_unique<State>(path, std::move(while_waiting))) {}

Ledger::~Ledger() = default;

void Ledger::set_while_waiting(WhileWaiting while_waiting) {
  state_->store->set_while_waiting(std::move(while_waiting));
}

void Ledger::hold(std::int64_t number, std::uint64_t release_bytes) {
  if (release_bytes > longest_release) {
    throw MachineFault("a release of more than " + std::to_string(longest_release) +
                       " bytes cannot be stored");
  }
  state_->hold(number, release_bytes);
}

std::vector<Dataset> Ledger::datasets() const { return state_->refresh().datasets(); }

Dataset Ledger::dataset(const std::string& name) const { return find(state_->refresh(), name); }

Balance Ledger::balance(const std::string& name) const {
  const Accounts& accounts = state_->refresh();
  return accounts.balance(find(accounts, name).name);
}

std::vector<Entry> Ledger::history(const std::string& name) const {
  if (!name.empty()) {
    static_cast<void>(find(state_->refresh(), name));
  }
  std::vector<Entry> chosen = state_->history().take();
  if (!name.empty()) {
    std::erase_if(chosen, [&](const Entry& entry) { return entry.dataset != name; });
  }
  return chosen;
}

Entry Ledger::entry(std::int64_t number) const {
  std::vector<Entry> entries = state_->history().take();
  check_exists(number, std::ssize(entries));
  return std::move(entries[static_cast<std::size_t>(number - 1)]);
}

Head Ledger::head() const {
  const Accounts& accounts = state_->refresh();
  return {accounts.rows(), accounts.last_hash()};
}

Head Ledger::check(const std::optional<Head>& earlier) const {
  const Transaction transaction(*state_->store, Access::read);
  bool continues = false;
  const Accounts accounts = state_->store->load(Depth::whole, [&](const Row& row) {
    const bool there = earlier && (earlier->rows == 0 || earlier->rows == row.sequence);
    continues = continues || (there && earlier->hash == row.hash);
  });
  if (earlier && !continues) {
    const std::string place =
        earlier->rows == 0 ? "no row" : "row " + std::to_string(earlier->rows);
    throw Damaged("ledger " + quoted(state_->store->name()) +
                  " does not continue from the head that was kept: " + place +
                  (earlier->rows == 0 ? " has its hash" : " has another hash, or is missing") +
                  ". It was put back to an older copy, or rewritten");
  }
  return {accounts.rows(), accounts.last_hash()};
}

void Ledger::close(const std::string& name, const std::string& who) {
  check_label("who", who);
  state_->write([&](const Accounts& accounts) {
    if (const Dataset& dataset = find(accounts, name); dataset.closed && !dataset.waiting) {
      throw Refused("data set " + quoted(name) + " is closed already");
    }
    return std::vector{close_row(now(), name, who)};
  });
}

void Ledger::rename(const std::string& name, const std::string& new_name, const std::string& who) {
  check_label("new name", new_name);
  check_label("who", who);
  state_->write([&](const Accounts& accounts) {
    static_cast<void>(find(accounts, name));
    if (accounts.has(new_name)) {
      throw Refused("the ledger has or had a data set " + quoted(new_name) +
                    ", and a name is used once; choose another one");
    }
    return std::vector{rename_row(now(), name, new_name, who)};
  });
}

void Ledger::check_reservable(const Request& request) const {
  check_request(request);
  check_storable(request);
  check_affordable(state_->refresh(), request);
}

std::int64_t Ledger::reserve(const Request& request) {
  check_request(request);
  check_storable(request);
  std::optional<HeldSpace> space;
  if (request.largest_release > 0 && state_->store->is_file()) {
    space.emplace(state_->store->name()).hold(request.largest_release);
  }
  std::int64_t number = 0;
  state_->write([&](const Accounts& accounts) {
    check_affordable(accounts, request);
    number = accounts.entries() + 1;
    return std::vector{reserve_row(number, now(), request)};
  });
  if (space) {
    state_->held.emplace(number, *std::move(space));
  }
  return number;
}

void Ledger::settle(std::int64_t number, const Rational& spent, std::string release) {
  check_document("release", release);
  if (release.size() > longest_release) {
    throw InvalidParameter("release", "it is too large to be stored");
  }
  state_->held.erase(number);
  state_->write([&](const Accounts& accounts) {
    check_exists(number, accounts.entries());
    const auto entry = accounts.unfinished().find(number);
    if (entry == accounts.unfinished().end()) {
      throw Refused("entry " + std::to_string(number) + " is settled already");
    }
    const Rational& reserved = entry->second.reserved;
    if (spent.sign() < 0 || spent > reserved) {
      throw InvalidParameter("spent", "it must be between 0 and what was reserved, " +
                                          shown(reserved) + "; it is " + shown(spent));
    }
    if (entry->second.delta.sign() > 0 && spent != reserved) {
      throw InvalidParameter("spent", "a release with a delta gives nothing back: it must be " +
                                          shown(reserved) + "; it is " + shown(spent));
    }
    return std::vector{settle_row(number, spent, std::move(release))};
  });
}

Head Ledger::copy(const std::string& to, const std::string& who, Copy kind) {
  check_label("who", who);
  if (kind == Copy::closed) {
    const Transaction transaction(*state_->store, Access::read);
    const Accounts accounts = state_->store->load();
    return copy_rows(*state_->store, accounts.rows(), to, closing_rows(accounts, who));
  }
  try {
    return State::open_copy(to, state_->close_for_copy(to, who), who);
  } catch (const MachineFault& fault) {
    throw MachineFault(std::string(fault.what()) +
                       "; the copy was not finished. Call `freegap budget copy` again, with the "
                       "same --ledger and --to, to finish it; until then nothing can be spent from "
                       "the copy, and perhaps nothing from the original");
  }
}

}  // namespace freegap::ledger
