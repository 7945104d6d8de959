#include "labelled_candidates.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "freegap/errors.hpp"

namespace freegap::cli {
namespace {

constexpr const char* undeclared =
    "which items can win? A list taken from the data would itself give away who is in it.\n"
    "  Say --candidates FILE (a public list), --universe LO..HI (all integer ids in a range), or\n"
    "  --items-are-public if which items occur is no secret. Nothing was spent.";

/// An id as it is always written: no plus sign, no leading zeros. "007" is none.
std::optional<std::int64_t> id_of(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || std::to_string(id) != text) {
    return std::nullopt;
  }
  return id;
}

Universe universe_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = id_of(text.substr(0, dots));
  const auto last = dots == std::string::npos ? std::nullopt : id_of(text.substr(dots + 2));
  if (!first || !last || *first > *last) {
    throw InvalidParameter("--universe", "write two whole numbers, for example 0..999999");
  }
  return {*first, *last};
}

sources::Numbers numbers_of(const Queries& queries, bool whole) {
  if (queries.kind == Kind::counts) {
    return sources::Numbers::counts;
  }
  return whole ? sources::Numbers::whole : sources::Numbers::real;
}

}  // namespace

LabelledCandidates LabelledCandidates::read(const DataOptions& options, const Queries& queries,
                                            bool whole, Secrecy secrecy) {
  LabelledCandidates labelled;
  labelled.queries_ = queries;
  labelled.is_whole_ = whole || queries.kind == Kind::counts;
  if (!options.universe.empty()) {
    labelled.universe_ = universe_of(options.universe);
    labelled.mode_ = "universe";
    if (queries.kind != Kind::counts) {
      throw InvalidParameter("--universe",
                             "ids that are not in the data count 0, so it goes with "
                             "--kind counts; use --candidates FILE");
    }
  } else if (!options.candidates.empty()) {
    labelled.mode_ = "public list";
    labelled.labels_ = sources::read_list(options.candidates);
  } else if (options.items_are_public || secrecy == Secrecy::not_secret) {
    labelled.mode_ = "public items";
  } else {
    throw InvalidParameter("candidates", undeclared);
  }
  labelled.take(sources::read(source_of(options, numbers_of(queries, whole))), options);
  return labelled;
}

LabelledCandidates LabelledCandidates::of(std::vector<std::string> labels,
                                          const DataOptions& options, const Queries& queries,
                                          bool whole) {
  LabelledCandidates labelled;
  labelled.queries_ = queries;
  labelled.is_whole_ = whole || queries.kind == Kind::counts;
  labelled.mode_ = "named items";
  labelled.labels_ = std::move(labels);
  labelled.take(sources::read(source_of(options, numbers_of(queries, whole))), options);
  return labelled;
}

void LabelledCandidates::take(const sources::Values& values, const DataOptions& options) {
  const std::size_t numbers = is_whole_ ? values.whole.size() : values.real.size();
  if (numbers != values.items.size()) {
    throw std::logic_error("the reader gave numbers of another kind than was asked for");
  }
  unit_ = values.unit;
  if (unit_.empty()) {
    unit_ = options.unit.empty() ? "row" : options.unit;
  }
  if (universe_) {
    take_ids(values);
  } else if (mode_ == "public items") {
    labels_ = values.items;
    whole_ = values.whole;
    real_ = values.real;
  } else {
    take_listed(values);
  }
  if (options.sorted) {
    sort_by_label();
  }
}

/// What is outside the universe is left out, record by record.
void LabelledCandidates::take_ids(const sources::Values& values) {
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    const auto id = id_of(values.items[i]);
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
  whole_.assign(is_whole_ ? labels_.size() : 0, 0);
  real_.assign(is_whole_ ? 0 : labels_.size(), 0);
  for (std::size_t i = 0; i < values.items.size(); ++i) {
    const auto place = places.find(values.items[i]);
    if (place == places.end()) {
      continue;
    }
    if (is_whole_) {
      whole_[place->second] = values.whole[i];
    } else {
      real_[place->second] = values.real[i];
    }
  }
}

Candidates LabelledCandidates::candidates() const {
  if (universe_) {
    return Candidates::universe(*universe_, ids_, whole_, queries_.neighbours,
                                queries_.sensitivity);
  }
  if (queries_.kind == Kind::counts) {
    return Candidates::counting(whole_, queries_.neighbours, queries_.sensitivity);
  }
  const Answers answers = is_whole_ ? Answers(std::span<const std::int64_t>(whole_))
                                    : Answers(std::span<const double>(real_));
  return Candidates::general(answers, queries_.sensitivity, queries_.neighbours);
}

std::string LabelledCandidates::label(const Item& item) const {
  return universe_ ? std::to_string(item.id) : labels_[static_cast<std::size_t>(item.id)];
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
    std::move(sorted.begin(), sorted.end(), values.begin());  // in place: candidates are a view
  };
  arrange(labels_);
  arrange(whole_);
  arrange(real_);
}

}  // namespace freegap::cli
