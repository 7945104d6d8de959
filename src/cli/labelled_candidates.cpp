#include "cli/labelled_candidates.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "freegap/errors.hpp"
#include "sources/number.hpp"

namespace freegap::cli {
namespace {

constexpr const char* undeclared =
    "which items can win? A list taken from the data would itself reveal who is in it.\n"
    "  Say --candidates FILE (a public list), --universe LO..HI (all integer ids in a range), or\n"
    "  --items-are-public if which items occur is no secret. Nothing was spent.";

sources::Values read(const sources::DataSource& source) {
  sources::Values values = source.read();
  if ((source.whole() ? values.whole.size() : values.real.size()) != values.items.size()) {
    throw std::logic_error("the reader gave numbers of another kind than was asked for");
  }
  return values;
}

}  // namespace

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
    take_ids(read(source));
  } else if (!options.list.empty()) {
    mode_ = "public list";
    labels_ = sources::read_list(options.list);
    take_listed(read(source));
  } else if (options.items_are_public || secrecy == Secrecy::not_secret) {
    mode_ = "public items";
    sources::Values values = read(source);
    labels_ = std::move(values.items);
    whole_ = std::move(values.whole);
    real_ = std::move(values.real);
  } else {
    throw InvalidParameter("candidates", undeclared);
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

/// What is outside the universe is left out, record by record.
void LabelledCandidates::take_ids(const sources::Values& values) {
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
  const auto take = [&](auto& numbers, const auto& read_numbers) {
    numbers.assign(labels_.size(), 0);
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      if (const auto place = places.find(values.items[i]); place != places.end()) {
        numbers[place->second] = read_numbers[i];
      }
    }
  };
  source_.whole() ? take(whole_, values.whole) : take(real_, values.real);
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
  return Candidates::general(answers, queries.sensitivity, queries.neighbours);
}

std::string LabelledCandidates::label(const Item& item) const {
  return universe_ ? std::to_string(item.id) : labels_[static_cast<std::size_t>(item.id)];
}

void LabelledCandidates::describe(Json& parameters) const {
  parameters["candidates"] = mode_;
  parameters["candidate_count"] = candidates_->size();
  if (universe_) {
    parameters["universe"] = {universe_->first, universe_->last};
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
