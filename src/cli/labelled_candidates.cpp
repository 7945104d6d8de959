#include "cli/labelled_candidates.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cli/missing.hpp"
#include "freegap/errors.hpp"
#include "ledger/digest.hpp"
#include "sources/number.hpp"

namespace freegap::cli {
namespace {

sources::Values read(const sources::DataSource& source) {
  sources::Values values = source.read();
  if ((source.whole() ? values.whole.size() : values.real.size()) != values.items.size()) {
    throw std::logic_error("the reader gave numbers of another kind than was asked for");
  }
  return values;
}

CandidateList described(const std::vector<std::string>& labels) {
  ledger::Digest digest;
  for (const std::string& label : labels) {
    digest.add(label);
    digest.add("\n");
  }
  return {labels.size(), digest.hex()};
}

}  // namespace

std::optional<CandidateList> check_named(const std::vector<std::string>& names,
                                         const CandidateOptions& options) {
  const std::vector<std::string> list =
      options.list.empty() ? std::vector<std::string>() : sources::read_list(options.list);
  const std::unordered_set<std::string> listed(list.begin(), list.end());
  for (const std::string& name : names) {
    const auto id = sources::parse_id(name);
    if (options.universe &&
        !(id && *id >= options.universe->first && *id <= options.universe->last)) {
      throw InvalidParameter("--universe", "\"" + name + "\" is not an id of it");
    }
    if (!options.list.empty() && !listed.contains(name)) {
      throw InvalidParameter("--candidates", "\"" + name + "\" is not in the list");
    }
  }
  return options.list.empty() ? std::nullopt : std::optional(described(list));
}

LabelledCandidates::LabelledCandidates(const CandidateOptions& options,
                                       const sources::DataSource& source, Secrecy secrecy)
    : source_(source), universe_(options.universe) {
  if (universe_) {
    mode_ = "universe";
    if (source.queries().kind != Kind::counts) {
      throw InvalidParameter("--universe",
                             "ids that are not in the data count 0, so it goes with "
                             "--kind counts; use --candidates FILE");
    }
    if (source.absent_whole() != 0) {
      throw InvalidParameter("--range", "ids that are not in the data count 0, so it must hold 0");
    }
    take_ids(read(source));
  } else if (!options.list.empty()) {
    mode_ = "public list";
    labels_ = sources::read_list(options.list);
    list_ = described(labels_);
    take_listed(read(source));
  } else if (options.items_are_public || secrecy == Secrecy::not_secret) {
    mode_ = "public items";
    take_all(read(source));
  } else {
    require_all({*missing_candidates(options)});
  }
  if (options.sorted) {
    sort_by_label();
  }
  candidates_ = view();
}

LabelledCandidates::LabelledCandidates(std::vector<std::string> labels,
                                       const sources::DataSource& source)
    : source_(source), mode_("named items"), labels_(std::move(labels)) {
  take_listed(read(source));
  candidates_ = view();
}

void LabelledCandidates::take_all(sources::Values values) {
  value_column_ = std::move(values.number_column);
  labels_ = std::move(values.items);
  whole_ = std::move(values.whole);
  real_ = std::move(values.real);
}

/// What is outside the universe is left out, record by record.
void LabelledCandidates::take_ids(const sources::Values& values) {
  value_column_ = values.number_column;
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    const auto id = sources::parse_id(values.items[i]);
    if (id && *id >= universe_->first && *id <= universe_->last) {
      ids_.push_back(*id);
      whole_.push_back(values.whole[i]);
    }
  }
}

/// What is outside the list is left out, record by record; what is not in the data counts 0.
void LabelledCandidates::take_listed(const sources::Values& values) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    places.emplace(labels_[i], i);
  }
  value_column_ = values.number_column;
  const auto take = [&](auto& numbers, const auto& read_numbers, auto absent) {
    numbers.assign(labels_.size(), absent);
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      if (const auto place = places.find(values.items[i]); place != places.end()) {
        numbers[place->second] = read_numbers[i];
      }
    }
  };
  source_.whole() ? take(whole_, values.whole, source_.absent_whole())
                  : take(real_, values.real, source_.absent_real());
}

Candidates LabelledCandidates::view() const {
  const Queries& queries = source_.queries();
  if (universe_) {
    return Candidates::universe(*universe_, ids_, whole_, queries.neighbours, queries.sensitivity);
  }
  if (queries.kind == Kind::counts) {
    return Candidates::counting(whole_, queries.neighbours, queries.sensitivity);
  }
  const Answers answers = source_.whole() ? Answers(std::span<const std::int64_t>(whole_))
                                          : Answers(std::span<const double>(real_));
  return Candidates::general(answers, queries.neighbours, queries.sensitivity);
}

std::uint64_t LabelledCandidates::name_bytes(std::uint64_t count) const {
  if (universe_) {
    constexpr std::uint64_t longest_id = 20;
    return count * longest_id;
  }
  std::uint64_t total = 0;
  std::uint64_t longest = 0;
  for (const std::string& label : labels_) {
    total += label.size();
    longest = std::max<std::uint64_t>(longest, label.size());
  }
  return std::min(total, count * longest);
}

std::string LabelledCandidates::label(const Item& item) const {
  return universe_ ? std::to_string(item.id) : labels_[static_cast<std::size_t>(item.id)];
}

void LabelledCandidates::describe(Json& parameters) const {
  parameters["candidates"] = mode_;
  parameters["candidate_count"] = candidates_->size();
  describe_value(parameters);
  if (universe_) {
    parameters["universe"] = {universe_->first, universe_->last};
  }
}

void LabelledCandidates::describe_value(Json& parameters) const {
  if (!value_column_.empty()) {
    parameters["value"] = value_column_;
  }
}

void LabelledCandidates::sort_by_label() {
  std::vector<std::size_t> order(labels_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return labels_[a] < labels_[b]; });
  const auto arrange = [&](auto& values) {
    auto sorted = values;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      sorted[i] = std::move(values[order[i]]);
    }
    values = std::move(sorted);
  };
  arrange(labels_);
  arrange(whole_);
  arrange(real_);
}

}  // namespace freegap::cli
