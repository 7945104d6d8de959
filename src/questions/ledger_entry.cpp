#include "questions/ledger_entry.hpp"

#include <new>
#include <string_view>
#include <utility>

#include "freegap/errors.hpp"
#include "questions/user.hpp"

namespace freegap::questions {
namespace {

/// The unit of a release: what the source declares, where a column that the data set ties to its
/// unit stands for that unit; or else the data set's. Throws InvalidParameter where rows are
/// counted by another column than the data set's.
std::string unit_of(const sources::DataSource& source, const ledger::Dataset& dataset) {
  const std::optional<std::string> declared = source.unit();
  if (!declared) {
    return dataset.unit;
  }
  // A ledger may be older than the rule that such a column is refused. The unit of the release is
  // then not that of the data set, and the ledger refuses it.
  const bool tied = dataset.column && *dataset.column != "row" && named_by_column(dataset.unit);
  if (source.records() != sources::Records::rows || !tied) {
    return *declared;
  }
  if (*declared != *dataset.column) {
    throw InvalidParameter("--unit", "the unit of \"" + dataset.name + "\" is " + dataset.unit +
                                         ", which the column \"" + *dataset.column +
                                         "\" names: say --unit " + *dataset.column);
  }
  return dataset.unit;
}

/// The document as it is stored: in one line, with the answers of a stream.
std::string stored_text(const Outcome& outcome) {
  std::string text = line_of(outcome.document);
  if (!outcome.answers.empty()) {
    // Quotation marks within a text have a backslash, so this is the member itself.
    constexpr std::string_view empty_list = "\"answers\":[]";
    text.insert(text.find(empty_list) + empty_list.size() - 1, outcome.answers);
  }
  return text;
}

}  // namespace

bool named_by_column(const std::string& unit) { return unit != "row" && unit != "transaction"; }

void check_unit_column(const std::string& unit, const std::optional<std::string>& column) {
  if (column == "row") {
    throw InvalidParameter("--column",
                           "\"row\" stands for the rows themselves, not for a column; if one row "
                           "is all that is to be protected, say --unit row without --column");
  }
  if (column && !named_by_column(unit)) {
    throw InvalidParameter("--column", "the unit " + unit +
                                           " has no column; say what the column names, for "
                                           "example --unit customer --column customer_id");
  }
}

Json balance_document(const ledger::Balance& balance) {
  const DeltaBalance& delta = balance.delta;
  return {{"total", balance.total.str()},
          {"spent", balance.spent.str()},
          {"reserved", balance.reserved.str()},
          {"remaining", balance.remaining.str()},
          {"delta",
           {{"total", delta.total.str()},
            {"spent", delta.spent.str()},
            {"reserved", delta.reserved.str()},
            {"remaining", delta.remaining.str()}}}};
}

LedgerEntry::LedgerEntry(const LedgerOptions& options, const Question& question,
                         const ledger::WhileWaiting& while_waiting)
    : options_(options), unit_(question.source.unit()), has_delta_(question.delta.sign() > 0) {
  if (options.no_ledger) {
    return;
  }
  ledger_ = std::make_unique<ledger::Ledger>(options.file, while_waiting);
  unit_ = unit_of(question.source, ledger_->dataset(options.dataset));
  Json parameters = question.parameters;
  state_unit(parameters);
  reserve({.dataset = options.dataset,
           .unit = *unit_,
           .neighbours = question.source.queries().neighbours,
           .who = user(),
           .verb = question.verb,
           .parameters = line_of(parameters),
           .asked = line_of(question.asked),
           .reserved = question.reserved,
           .delta = question.delta,
           .largest_release = question.largest_release + besides_the_answers});
  if (!ledger_) {  // a rehearsal
    return;
  }
  ledger_->set_while_waiting({});  // what is charged is drawn and settled
  if (question.hold_room) {
    *question.hold_room = [this](std::uint64_t bytes) {
      ledger_->hold(number_, bytes + besides_the_answers);
    };
  }
}

void LedgerEntry::state_unit(Json& parameters) const {
  if (unit_) {
    parameters["unit"] = *unit_;
  }
}

void LedgerEntry::settle(const Outcome& outcome) {
  if (!ledger_) {
    return;
  }
  try {
    ledger_->settle(number_, outcome.spent, stored_text(outcome));
  } catch (const ledger::CommitFault& fault) {
    throw MachineFault(std::string(fault.what()) + "; " + after_settling(fault.fate()));
  } catch (const std::exception& error) {
    fail(error);
  }
  try {
    balance_ = balance_document(ledger_->balance(options_.dataset));
  } catch (const std::exception&) {
    balance_ = Json();  // the release is safe, and what is left can be asked for again
  }
}

void LedgerEntry::stamp(Json& document) const {
  if (!ledger_) {
    return;
  }
  document["ledger"]["entry"] = number_;
  if (balance_.is_null()) {
    return;
  }
  document["ledger"]["remaining"] = balance_["remaining"];
  if (has_delta_) {
    document["ledger"]["delta_remaining"] = balance_["delta"]["remaining"];
  }
}

std::string LedgerEntry::whereabouts() const {
  return ledger_ ? "the release is safe: `freegap budget show " + std::to_string(number_) +
                       " --ledger " + options_.file + "` prints it"
                 : "";
}

void LedgerEntry::fail(const std::exception& error) const {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  throw MachineFault(
      (no_memory ? "out of memory" : error.what()) +
      (ledger_ ? "; entry " + std::to_string(number_) + " stays charged in full" : ""));
}

void LedgerEntry::reserve(const ledger::Request& request) {
  if (options_.rehearsal) {
    ledger_->check_reservable(request);
    ledger_.reset();  // nothing is charged, and nothing settled
    return;
  }
  try {
    number_ = ledger_->reserve(request);
  } catch (const ledger::CommitFault& fault) {
    using Fate = ledger::CommitFault::Fate;
    const std::string look = "; `freegap budget history` shows it";
    throw MachineFault(std::string(fault.what()) +
                       (fault.fate() == Fate::not_written ? "; nothing was charged"
                        : fault.fate() == Fate::written
                            ? "; the reservation is charged in full" + look
                            : "; the reservation may be charged" + look));
  }
}

std::string LedgerEntry::after_settling(ledger::CommitFault::Fate fate) const {
  const std::string entry = "entry " + std::to_string(number_);
  const std::string look = ": `freegap budget show " + std::to_string(number_) + " --ledger " +
                           options_.file + "` prints it";
  switch (fate) {
    case ledger::CommitFault::Fate::not_written:
      return entry + " stays charged in full";
    case ledger::CommitFault::Fate::written:
      return entry + " was settled nevertheless" + look;
    case ledger::CommitFault::Fate::unknown:
      break;
  }
  return entry + " is charged in full unless it was settled" + look + " in that case";
}

Outcome settled(const Question& question, LedgerEntry& entry, ExactNoise& noise) {
  Outcome outcome;
  try {
    outcome = question.draw(noise);
    entry.state_unit(outcome.document["parameters"]);
  } catch (const std::exception& error) {
    entry.fail(error);
  }
  entry.settle(outcome);
  return outcome;
}

}  // namespace freegap::questions
