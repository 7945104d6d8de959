#include "ledger/history.hpp"

#include "ledger/text.hpp"

namespace freegap::ledger {

void History::add(const Row& row) {
  if (row.kind == kind_reserve) {
    entries_.push_back({.number = *row.entry,
                        .dataset = *row.dataset,
                        .time = *row.time,
                        .who = *row.who,
                        .verb = *row.verb,
                        .parameters = *row.parameters,
                        .asked = row.details.value_or(""),
                        .reserved = exact_number(*row.reserved).value(),
                        .delta = exact_number(row.delta.value_or("0")).value(),
                        .spent = std::nullopt,
                        .release = std::nullopt});
  } else if (row.kind == kind_settle) {
    Entry& entry = entries_.at(static_cast<std::size_t>(*row.entry - 1));
    entry.spent = exact_number(*row.spent).value();
    entry.release = row.release;
  } else if (row.kind == kind_rename) {
    for (Entry& entry : entries_) {
      entry.dataset = entry.dataset == *row.dataset ? *row.details : entry.dataset;
    }
  }
}

}  // namespace freegap::ledger
