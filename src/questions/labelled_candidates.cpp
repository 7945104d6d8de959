#include "questions/labelled_candidates.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/digest.hpp"
#include "questions/missing.hpp"
#include "sources/text.hpp"

namespace freegap::questions {
namespace {

sources::Values read(const sources::DataSource& source) {
  sources::Values values = source.read();
  if ((source.whole() ? values.whole.size() : values.real.size()) != values.items.size()) {
    throw std::logic_error("the reader gave numbers of another kind than was asked for");
  }
  return values;
}

/// Items nobody listed need a contribution bound: see docs/proofs/unknown_items.md.
void check_bound(const sources::DataSource& source) {
  if (source.queries().max_items) {
    return;
  }
  const std::string why =
      "--unknown-items needs it: the most items that one unit brings in. Without a bound one unit "
      "could bring in any number of items, and δ would promise nothing. ";
  if (source.records() == sources::Records::numbers) {
    throw InvalidParameter("--bounded-by",
                           why +
                               "Ready-made counts can only be declared to have been bounded when "
                               "they were counted");
  }
  throw InvalidParameter("--max-items",
                         why + "Each unit keeps so many of its items, chosen at random");
}

}  // namespace

CandidateList described(const std::vector<std::string>& labels) {
  ledger::Digest digest;
  for (const std::string& label : labels) {
    digest.add(label);
    digest.add("\n");
  }
  return {labels.size(), digest.hex()};
}

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
    : source_(source) {
  if (options.unknown_items) {
    facts_.mode = "unknown items";
    facts_.unknown = true;
    check_bound(source);
    take_all(read(source));
    drop_absent();
  } else if (options.universe) {
    facts_.mode = "universe";
    facts_.universe = options.universe;
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
    facts_.mode = "public list";
    labels_ = sources::read_list(options.list);
    facts_.list = described(labels_);
    take_listed(read(source));
  } else if (options.items_are_public || secrecy == Secrecy::not_secret) {
    facts_.mode = "public items";
    take_all(read(source));
  } else {
    require_all({*missing_candidates(options)});
  }
  if (options.sorted) {
    sort_by_label();
  }
  view_all();
}

LabelledCandidates::LabelledCandidates(std::vector<std::string> labels,
                                       const sources::DataSource& source)
    : source_(source), labels_(std::move(labels)) {
  facts_.mode = "named items";
  take_listed(read(source));
  view_all();
}

LabelledCandidates::LabelledCandidates(const sources::DataSource& source, CandidateFacts facts,
                                       Candidates candidates, NamesOf names,
                                       std::uint64_t longest_name)
    : source_(source),
      facts_(std::move(facts)),
      candidates_(std::move(candidates)),
      names_(std::move(names)),
      longest_name_(longest_name) {
  facts_.unknown = candidates_->unknown_items();
  facts_.count = facts_.unknown ? 0 : candidates_->size();
}

void LabelledCandidates::view_all() {
  candidates_ = view();
  facts_.count = facts_.unknown ? 0 : candidates_->size();
}

void LabelledCandidates::take_all(sources::Values values) {
  facts_.value_column = std::move(values.number_column);
  labels_ = std::move(values.items);
  whole_ = std::move(values.whole);
  real_ = std::move(values.real);
}

// An item that counts 0 in a table does not occur. It is dropped by itself.
void LabelledCandidates::drop_absent() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (whole_[i] > 0) {
      std::swap(labels_[kept], labels_[i]);
      whole_[kept++] = whole_[i];
    }
  }
  labels_.resize(kept);
  whole_.resize(kept);
}

void LabelledCandidates::take_ids(const sources::Values& values) {
  facts_.value_column = values.number_column;
  ListedIds listed = ids_listed(*facts_.universe, values.items, values.whole);
  ids_ = std::move(listed.ids);
  whole_ = std::move(listed.numbers);
}

void LabelledCandidates::take_listed(const sources::Values& values) {
  facts_.value_column = values.number_column;
  if (source_.whole()) {
    whole_ = numbers_listed(labels_, values.items, values.whole, source_.absent_whole());
  } else {
    real_ = numbers_listed(labels_, values.items, values.real, source_.absent_real());
  }
}

Candidates LabelledCandidates::view() const {
  const Candidates unbounded = view_unbounded();
  const std::optional<std::uint64_t>& bound = source_.queries().max_items;
  return bound ? unbounded.bounded(*bound) : unbounded;
}

Candidates LabelledCandidates::view_unbounded() const {
  const Queries& queries = source_.queries();
  if (facts_.unknown) {
    return Candidates::unknown(whole_, queries.max_items.value());
  }
  if (facts_.universe) {
    return Candidates::universe(*facts_.universe, ids_, whole_, queries.neighbours,
                                queries.sensitivity);
  }
  if (queries.kind == Kind::counts) {
    return Candidates::counting(whole_, queries.neighbours, queries.sensitivity);
  }
  const Answers answers = source_.whole() ? Answers(std::span<const std::int64_t>(whole_))
                                          : Answers(std::span<const double>(real_));
  return Candidates::general(answers, queries.neighbours, queries.sensitivity);
}

std::uint64_t LabelledCandidates::at_most(std::uint64_t asked) const {
  return facts_.unknown ? asked : std::min(asked, facts_.count);
}

std::uint64_t LabelledCandidates::name_bytes(std::uint64_t count) const {
  if (facts_.unknown) {
    return count * sources::longest_text;
  }
  if (names_) {
    return count * longest_name_;
  }
  if (facts_.universe) {
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

std::vector<std::string> LabelledCandidates::labels(const std::vector<Item>& items) const {
  if (names_) {
    return names_(items);
  }
  std::vector<std::string> labels;
  labels.reserve(items.size());
  for (const Item& item : items) {
    labels.push_back(facts_.universe ? std::to_string(item.id)
                                     : labels_[static_cast<std::size_t>(item.id)]);
  }
  return labels;
}

void CandidateFacts::describe(Json& parameters) const {
  parameters["candidates"] = mode;
  if (!unknown) {
    parameters["candidate_count"] = count;
  }
  describe_value(parameters);
  if (universe) {
    parameters["universe"] = {universe->first, universe->last};
  }
}

void CandidateFacts::describe_value(Json& parameters) const {
  if (!value_column.empty()) {
    parameters["value"] = value_column;
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

}  // namespace freegap::questions
