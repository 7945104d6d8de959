#include "freegap/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd_scan.hpp"
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

Answers Answers::part(std::size_t first, std::size_t last) const {
  return std::visit(
      [&](const auto& values) { return Answers(values.subspan(first, last - first)); }, values_);
}

bool Answers::larger(std::size_t a, std::size_t b) const {
  return std::visit([&](const auto& values) { return values[a] > values[b]; }, values_);
}

void Answers::peaks(std::size_t block, const Grid& grid, std::span<std::int64_t> most,
                    std::span<std::int64_t> next) const {
  const auto find = [&](const auto& values) {
    if (next.empty()) {
      detail::maxima_of_blocks(values, block, most);
    } else {
      detail::peaks_of_blocks(values, block, {most, next});
    }
  };
  if (const auto* large = std::get_if<std::span<const std::int64_t>>(&values_)) {
    find(*large);
  } else if (const auto* small = std::get_if<std::span<const std::int32_t>>(&values_)) {
    find(*small);
  } else {
    std::vector<std::int64_t> on_grid(size());
    for (std::size_t i = 0; i < on_grid.size(); ++i) {
      on_grid[i] = ticks(i, grid);
    }
    find(std::span<const std::int64_t>(on_grid));
  }
}

std::size_t Answers::not_below(std::int64_t mark, std::size_t first, std::size_t last,
                               const Grid& grid, std::span<std::uint32_t> positions) const {
  if (const auto* large = std::get_if<std::span<const std::int64_t>>(&values_)) {
    return detail::positions_at_least(large->subspan(first, last - first), mark, positions);
  }
  if (const auto* small = std::get_if<std::span<const std::int32_t>>(&values_)) {
    return detail::positions_at_least(small->subspan(first, last - first), mark, positions);
  }
  std::size_t found = 0;
  for (std::size_t i = first; i < last; ++i) {
    positions[found] = static_cast<std::uint32_t>(i - first);
    found += ticks(i, grid) >= mark ? 1U : 0U;
  }
  return found;
}

void Answers::check_finite() const {
  const auto* real = std::get_if<std::span<const double>>(&values_);
  if (real != nullptr &&
      !std::all_of(real->begin(), real->end(), [](double x) { return std::isfinite(x); })) {
    throw InvalidParameter("answers", "each must be a finite number, not NaN or infinite");
  }
}

bool Answers::whole() const { return !std::holds_alternative<std::span<const double>>(values_); }

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

Candidates Candidates::counting(std::span<const std::int32_t> counts, Neighbours neighbours,
                                const Rational& sensitivity) {
  return growing(counts, sensitivity, neighbours);
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
  for (std::size_t group = 0; group < values.size(); ++group) {
    if (multiplicities[group] > 0) {
      result.order_.push_back(group);
    }
  }
  std::stable_sort(result.order_.begin(), result.order_.end(),
                   [&](std::size_t a, std::size_t b) { return values.larger(a, b); });
  std::uint64_t before = 0;
  for (const std::size_t group : result.order_) {
    result.before_.push_back(before);
    before += result.multiplicities_[group];
  }
  result.before_.push_back(before);
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

std::int64_t Candidates::ticks(const Item& item, const Grid& grid) const {
  if (shape_ != Shape::universe) {
    return grid.floor_ticks(answers_[static_cast<std::size_t>(item.id)]);
  }
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), item.id);
  const bool listed = found != ids_.end() && *found == item.id;
  return listed ? grid.floor_ticks(counts_[static_cast<std::size_t>(found - ids_.begin())]) : 0;
}

std::int64_t Candidates::implicit_id(std::uint64_t rank) const {
  // Before listed id number i there are ids_[i] - first - i ids that are not listed.
  const auto first = static_cast<std::uint64_t>(universe_.first);
  std::size_t low = 0;
  std::size_t high = ids_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::uint64_t before = static_cast<std::uint64_t>(ids_[middle]) - first - middle;
    if (before > rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<std::int64_t>(first + rank + low);
}

Answers Candidates::listed() const {
  switch (shape_) {
    case Shape::dense:
      return answers_;
    case Shape::grouped:
      return {};
    case Shape::universe:
      return std::span<const std::int64_t>(counts_);
  }
  return {};
}

Item Candidates::listed_item(std::size_t i) const {
  return {shape_ == Shape::universe ? ids_[i] : static_cast<std::int64_t>(i), 0};
}

std::vector<Candidates::Pile> Candidates::piles(const Grid& grid) const {
  std::vector<Pile> result;
  for (const std::size_t group : order_) {
    result.push_back({answers_.ticks(group, grid), multiplicities_[group]});
  }
  const Answers list = listed();
  for (std::size_t i = 0; i < list.size(); ++i) {
    result.push_back({list.ticks(i, grid), 1});
  }
  if (shape_ == Shape::universe && implicit() > 0) {
    result.push_back({0, implicit()});
  }
  return result;
}

Item Candidates::pile_item(std::size_t pile, std::uint64_t member) const {
  if (shape_ == Shape::grouped) {
    return {static_cast<std::int64_t>(order_[pile]), member};
  }
  return pile < listed().size() ? listed_item(pile) : Item{implicit_id(member), 0};
}

std::vector<Candidates::Pile> Candidates::sample(const Grid& grid) const {
  constexpr std::size_t most = 32;
  std::vector<Pile> result;
  const auto add = [&](std::int64_t ticks, std::uint64_t size) {
    if (!result.empty() && result.back().ticks == ticks) {
      result.back().size += size;
    } else {
      result.push_back({ticks, size});
    }
  };
  for (std::size_t i = 0; i < std::min(most, order_.size()); ++i) {
    add(answers_.ticks(order_[i], grid), multiplicities_[order_[i]]);
  }
  const Answers list = listed();
  const std::size_t count = std::min(most, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = list.size() / count * i;
    add(list.ticks(first + list.size() / count / 2, grid), list.size() / count);
  }
  if (shape_ == Shape::universe && implicit() > 0) {
    add(0, implicit());
  }
  return result;
}

Candidates::Block::Block(const Candidates& all, const Grid& grid, std::size_t first,
                         std::size_t last)
    : all_(&all),
      grid_(&grid),
      first_(first),
      last_(last),
      size_(all.before_[last] - all.before_[first]),
      max_ticks_(all.answers_.ticks(all.order_[first], grid)) {}

std::size_t Candidates::Block::place(std::uint64_t offset) const {
  const auto begin = all_->before_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto end = all_->before_.begin() + static_cast<std::ptrdiff_t>(last_);
  return static_cast<std::size_t>(std::upper_bound(begin, end, *begin + offset) -
                                  all_->before_.begin()) -
         1;
}

std::int64_t Candidates::Block::ticks(std::uint64_t offset) const {
  return constant() ? max_ticks_ : all_->answers_.ticks(all_->order_[place(offset)], *grid_);
}

Item Candidates::Block::item(std::uint64_t offset) const {
  if (first_ == last_) {
    return {all_->implicit_id(offset), 0};
  }
  const std::size_t at = place(offset);
  return {static_cast<std::int64_t>(all_->order_[at]),
          offset - (all_->before_[at] - all_->before_[first_])};
}

}  // namespace freegap
