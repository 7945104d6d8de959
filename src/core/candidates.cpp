#include "freegap/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "freegap/errors.hpp"

namespace freegap {
namespace {

constexpr std::uint64_t most_candidates = std::uint64_t{1} << 63U;

void check(const Queries& queries) {
  if (queries.sensitivity.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
}

[[noreturn]] void refuse_empty() {
  throw InvalidParameter("candidates", "there must be at least one");
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

std::int64_t Answers::max_ticks(std::size_t first, std::size_t last, const Grid& grid) const {
  // Flooring keeps order, so the floor of the largest is the largest floor.
  return std::visit(
      [&](const auto& values) {
        const auto part = values.subspan(first, last - first);
        return grid.floor_ticks(Answer(*std::max_element(part.begin(), part.end())));
      },
      values_);
}

void Answers::check_finite() const {
  const auto* real = std::get_if<std::span<const double>>(&values_);
  if (real != nullptr &&
      !std::all_of(real->begin(), real->end(), [](double x) { return std::isfinite(x); })) {
    throw InvalidParameter("answers", "each must be a finite number, not NaN or infinite");
  }
}

bool Answers::whole() const {
  return std::holds_alternative<std::span<const std::int64_t>>(values_);
}

Candidates::Candidates(Shape shape, Answers answers, Queries queries)
    : shape_(shape), answers_(answers), queries_(std::move(queries)), size_(answers.size()) {
  check(queries_);
  answers_.check_finite();
}

Candidates Candidates::general(Answers answers, const Rational& sensitivity,
                               Neighbours neighbours) {
  if (answers.size() == 0) {
    refuse_empty();
  }
  return {Shape::dense, answers, {Kind::general, neighbours, sensitivity}};
}

Candidates Candidates::growing(Answers answers, const Rational& sensitivity,
                               Neighbours neighbours) {
  Candidates result = general(answers, sensitivity, neighbours);
  result.queries_.kind = Kind::counts;
  return result;
}

Candidates Candidates::counting(std::span<const std::int64_t> counts, Neighbours neighbours,
                                const Rational& sensitivity) {
  return growing(counts, sensitivity, neighbours);
}

Candidates Candidates::grouped(Answers values, std::span<const std::int64_t> multiplicities,
                               const Queries& queries) {
  check_same_length(values.size(), multiplicities.size(), "multiplicities");
  Candidates result(Shape::grouped, values, queries);
  result.size_ = 0;
  for (const std::int64_t multiplicity : multiplicities) {
    if (multiplicity < 0) {
      throw InvalidParameter("multiplicities", "each must be 0 or more");
    }
    const auto count = static_cast<std::uint64_t>(multiplicity);
    if (count > most_candidates - result.size_) {
      throw InvalidParameter("multiplicities", "they must add up to at most 2^63");
    }
    result.size_ += count;
    result.multiplicities_.push_back(count);
  }
  if (result.size_ == 0) {
    refuse_empty();
  }
  // Largest first is faster, not more correct, so the order of whole units is enough.
  result.order_.resize(values.size());
  std::iota(result.order_.begin(), result.order_.end(), std::size_t{0});
  const Grid units(Rational(1), Rational(1));
  std::stable_sort(result.order_.begin(), result.order_.end(), [&](std::size_t a, std::size_t b) {
    return units.floor_ticks(values[a]) > units.floor_ticks(values[b]);
  });
  return result;
}

Candidates Candidates::universe(Universe universe, std::span<const std::int64_t> ids,
                                std::span<const std::int64_t> counts, Neighbours neighbours,
                                const Rational& sensitivity) {
  check_same_length(counts.size(), ids.size(), "ids");
  if (universe.first > universe.last) {
    throw InvalidParameter("universe", "its first id must not be above its last");
  }
  const std::uint64_t span =
      static_cast<std::uint64_t>(universe.last) - static_cast<std::uint64_t>(universe.first);
  if (span >= most_candidates) {
    throw InvalidParameter("universe", "it must hold at most 2^63 ids");
  }
  Candidates result(Shape::universe, counts, {Kind::counts, neighbours, sensitivity});
  result.universe_ = universe;
  result.size_ = span + 1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= universe.first && ids[i] <= universe.last) {
      result.listed_.emplace_back(ids[i], i);
    }
  }
  std::sort(result.listed_.begin(), result.listed_.end());
  const auto same_id = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::adjacent_find(result.listed_.begin(), result.listed_.end(), same_id) !=
      result.listed_.end()) {
    throw InvalidParameter("ids", "each id must be listed once");
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

std::int64_t Candidates::ticks(const Item& item, const Grid& grid) const {
  if (shape_ != Shape::universe) {
    return grid.floor_ticks(answers_[static_cast<std::size_t>(item.id)]);
  }
  const auto found =
      std::lower_bound(listed_.begin(), listed_.end(), std::pair(item.id, std::size_t{0}));
  const bool listed = found != listed_.end() && found->first == item.id;
  return listed ? grid.floor_ticks(answers_[found->second]) : 0;
}

std::int64_t Candidates::implicit_id(std::uint64_t rank) const {
  // Before listed id number i there are listed_[i].first - first - i ids that are not listed.
  const auto first = static_cast<std::uint64_t>(universe_.first);
  std::size_t low = 0;
  std::size_t high = listed_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::uint64_t before = static_cast<std::uint64_t>(listed_[middle].first) - first - middle;
    if (before > rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<std::int64_t>(first + rank + low);
}

std::int64_t Candidates::Block::ticks(std::uint64_t offset) const {
  if (constant_) {
    return max_ticks_;
  }
  const std::size_t i = first_ + static_cast<std::size_t>(offset);
  return grid_->floor_ticks(
      all_->answers_[names_ == Names::listed_ids ? all_->listed_[i].second : i]);
}

Item Candidates::Block::item(std::uint64_t offset) const {
  switch (names_) {
    case Names::positions:
      return {static_cast<std::int64_t>(first_ + offset), 0};
    case Names::members:
      return {static_cast<std::int64_t>(first_), offset};
    case Names::listed_ids:
      return {all_->listed_[first_ + static_cast<std::size_t>(offset)].first, 0};
    case Names::implicit_ids:
      return {all_->implicit_id(offset), 0};
  }
  return {};
}

}  // namespace freegap
