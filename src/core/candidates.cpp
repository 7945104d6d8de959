#include "freegap/candidates.hpp"

#include <algorithm>
#include <utility>

#include "freegap/detail/core/answers.hpp"
#include "freegap/errors.hpp"

namespace freegap {
namespace {

constexpr std::uint64_t most_candidates = std::uint64_t{1} << 63U;

void check(const Queries& queries) {
  if (queries.sensitivity.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
  if (queries.max_items == 0) {
    throw InvalidParameter("max_items", "it must be at least 1");
  }
}

[[noreturn]] void refuse_empty() {
  throw InvalidParameter("candidates", "there must be at least one");
}

/// An item that occurs is held by at least one unit.
void check_occurring(View<std::int64_t> counts) {
  if (std::any_of(counts.begin(), counts.end(), [](std::int64_t count) { return count < 1; })) {
    throw InvalidParameter("counts", "an item that occurs counts 1 or more");
  }
}

void check_same_length(std::size_t values, std::size_t others, const char* name) {
  if (values != others) {
    throw InvalidParameter(name, "there must be one for each value");
  }
}

}  // namespace

std::size_t Answers::size() const {
  return std::visit([](const auto& values) { return values.size(); }, values_);
}

Answer Answers::operator[](std::size_t i) const {
  return std::visit([i](const auto& values) { return Answer(values[i]); }, values_);
}

bool Answers::whole() const { return !std::holds_alternative<std::span<const double>>(values_); }

Candidates::Candidates(Shape shape, Answers answers, Queries queries)
    : shape_(shape), answers_(answers), queries_(std::move(queries)), size_(answers.size()) {
  check(queries_);
  detail::check_finite(answers_);
}

Candidates Candidates::general(Answers answers, Neighbours neighbours,
                               const Rational& sensitivity) {
  if (answers.size() == 0) {
    refuse_empty();
  }
  return {Shape::dense, answers, {Kind::general, neighbours, sensitivity}};
}

Candidates Candidates::counting(View<std::int32_t> counts, Neighbours neighbours,
                                const Rational& sensitivity) {
  return growing(counts, neighbours, sensitivity);
}

Candidates Candidates::growing(Answers answers, Neighbours neighbours,
                               const Rational& sensitivity) {
  Candidates result = general(answers, neighbours, sensitivity);
  result.queries_.kind = Kind::counts;
  return result;
}

Candidates Candidates::counting(View<std::int64_t> counts, Neighbours neighbours,
                                const Rational& sensitivity) {
  return growing(counts, neighbours, sensitivity);
}

Candidates Candidates::unknown(View<std::int64_t> counts, std::uint64_t max_items) {
  check_occurring(counts);
  Candidates result(Shape::dense, counts, {Kind::counts, Neighbours::add_remove, 1, max_items});
  result.unknown_items_ = true;
  return result;
}

Candidates Candidates::unknown_grouped(View<std::int64_t> counts, View<std::int64_t> multiplicities,
                                       std::uint64_t max_items) {
  check_occurring(counts);
  Candidates result =
      in_groups(counts, multiplicities, {Kind::counts, Neighbours::add_remove, 1, max_items});
  result.unknown_items_ = true;
  return result;
}

Candidates Candidates::bounded(std::uint64_t max_items) const {
  Candidates result = *this;
  result.queries_.max_items = max_items;
  check(result.queries_);
  return result;
}

Candidates Candidates::grouped(Answers values, View<std::int64_t> multiplicities,
                               const Queries& queries) {
  Candidates result = in_groups(values, multiplicities, queries);
  if (result.size_ == 0) {
    refuse_empty();
  }
  return result;
}

Candidates Candidates::in_groups(Answers values, View<std::int64_t> multiplicities,
                                 const Queries& queries) {
  check_same_length(values.size(), multiplicities.size(), "multiplicities");
  Candidates result(Shape::grouped, values, queries);
  result.size_ = 0;
  for (const std::int64_t multiplicity : multiplicities) {
    if (multiplicity < 0) {
      throw InvalidParameter("multiplicities", "each must be 0 or more");
    }
    const auto count = static_cast<std::uint64_t>(multiplicity);
    // Compared before it is added: the sum may not fit.
    if (count > most_candidates - result.size_) {
      throw InvalidParameter("multiplicities", "they must add up to at most 2^63");
    }
    result.size_ += count;
    result.multiplicities_.push_back(count);
  }
  for (std::size_t group = 0; group < values.size(); ++group) {
    if (multiplicities[group] > 0) {
      result.order_.push_back(group);
    }
  }
  // Falling values: the largest group raises the cutoff of a scan first. Stable, so that equal
  // values stay in the caller's order.
  std::stable_sort(result.order_.begin(), result.order_.end(), [&](std::size_t a, std::size_t b) {
    return values.visit([&](const auto& of) { return of[a] > of[b]; });
  });
  // Members before each group, in the order of falling values: a run of groups finds the group of
  // an offset by binary search.
  std::uint64_t before = 0;
  for (const std::size_t group : result.order_) {
    result.before_.push_back(before);
    before += result.multiplicities_[group];
  }
  result.before_.push_back(before);
  return result;
}

Candidates Candidates::universe(Universe universe, View<std::int64_t> ids,
                                View<std::int64_t> counts, Neighbours neighbours,
                                const Rational& sensitivity) {
  check_same_length(counts.size(), ids.size(), "ids");
  if (universe.first > universe.last) {
    throw InvalidParameter("universe", "its first id must not be above its last");
  }
  // Unsigned, because the distance between two signed ids may not fit a signed number.
  const std::uint64_t span =
      static_cast<std::uint64_t>(universe.last) - static_cast<std::uint64_t>(universe.first);
  if (span >= most_candidates) {
    throw InvalidParameter("universe", "it must hold at most 2^63 ids");
  }
  Candidates result(Shape::universe, counts, {Kind::counts, neighbours, sensitivity});
  result.universe_ = universe;
  result.size_ = span + 1;
  // Ids outside the universe are dropped one by one: a record then changes at most its own id, so
  // dropping keeps the sensitivity. The others are sorted, so that the unlisted id of a given rank
  // can be found (CandidateAccess::unlisted_id).
  std::vector<std::pair<std::int64_t, std::int64_t>> listed;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= universe.first && ids[i] <= universe.last) {
      listed.emplace_back(ids[i], counts[i]);
    }
  }
  std::sort(listed.begin(), listed.end());
  const auto same_id = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::adjacent_find(listed.begin(), listed.end(), same_id) != listed.end()) {
    throw InvalidParameter("ids", "each id must be listed once");
  }
  for (const auto& [id, count] : listed) {
    result.ids_.push_back(id);
    result.counts_.push_back(count);
  }
  return result;
}

bool Candidates::contains(const Item& item) const {
  switch (shape_) {
    case Shape::dense:
      return item.member == 0 && item.id >= 0 && static_cast<std::uint64_t>(item.id) < size_;
    case Shape::grouped:
      return item.id >= 0 && static_cast<std::uint64_t>(item.id) < multiplicities_.size() &&
             item.member < multiplicities_[static_cast<std::size_t>(item.id)];
    case Shape::universe:
      return item.member == 0 && item.id >= universe_.first && item.id <= universe_.last;
  }
  return false;
}

}  // namespace freegap
