#pragma once

/// @file
/// Noisy top m with data-independent running time. Mitigates timing side channels: noise is drawn
/// for every candidate, and the work depends on public sizes alone (number of candidates, m,
/// distribution). The output distribution is that of every other way to find the top m
/// (docs/proofs/constant_work.md; tests/mechanisms/constant_work_test.cpp).
///
/// What still depends on secrets: three values or more that tie at the m-th place, which TickNoise
/// keeps rare; answers on a tick that is no power of two, which are put on the grid one by one; and
/// the samplers, which take longer for some noise than for other. Secret until a mechanism turns it
/// into a release.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/detail/core/candidate_walk.hpp"
#include "freegap/detail/core/floor_ticks.hpp"
#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"

namespace freegap::detail {

/// The largest of some values.
Position largest(std::span<const Position> values);
/// The place of one that equals `value`, which must occur. Looks at all of them.
std::size_t place_of(Position value, std::span<const Position> values);
/// The largest of some values.
std::int64_t largest(std::span<const std::int64_t> values);
/// The place of one that equals `value`, which must occur. Looks at all of them.
std::size_t place_of(std::int64_t value, std::span<const std::int64_t> values);
/// Adds to each value.
void add(std::span<const std::int64_t> more, std::span<std::int64_t> values);

/// Candidates in a block.
inline constexpr std::size_t noisy_block = 512;

/// Below every noisy value.
template <class Value>
constexpr Value no_value = static_cast<Value>(Value{1} << (8 * sizeof(Value) - 2)) * -2;

/// Candidates at a time: so many that finding their top m costs little beside their noise, and
/// as few as the caches like.
constexpr std::size_t noisy_chunk(std::size_t m) {
  constexpr std::size_t least = std::size_t{1} << 15U;
  constexpr std::size_t most = std::size_t{1} << 20U;
  return std::clamp(std::bit_ceil(std::min(m, most)) << 10U, least, most);
}

/// Fills up to whole blocks.
template <class Value>
void fill_up(SecretVector<Value>& values) {
  values.resize((values.size() + noisy_block - 1) / noisy_block * noisy_block, no_value<Value>);
}

/// Values taken beyond the m largest, so that one tie with the last of these changes nothing.
inline constexpr std::size_t spare_values = 1;

/// Calls `visit(place, value)` with the m + `spare_values` largest values, best first, and then
/// all that tie with the m-th; takes each away. `values` are whole blocks. Each round looks at the
/// largest value of each block and twice at one block, so the work depends on m and the size alone,
/// unless three values or more tie at the m-th place.
template <class Value, class Visit>
void take_largest(std::span<Value> values, std::size_t m, const Visit& visit) {
  const auto block = [&](std::size_t b) { return values.subspan(b * noisy_block, noisy_block); };
  SecretVector<Value> maxima;
  for (std::size_t b = 0; b < values.size() / noisy_block; ++b) {
    maxima.push_back(largest(block(b)));
  }
  Value last = no_value<Value>;  // the m-th
  for (std::size_t taken = 0;; ++taken) {
    const Value value = largest(maxima);
    if (value == no_value<Value> || (taken >= m + spare_values && value != last)) {
      return;
    }
    const std::size_t b = place_of(value, maxima);
    const std::size_t place = place_of(value, block(b));
    visit(b * noisy_block + place, value);
    block(b)[place] = no_value<Value>;
    maxima[b] = largest(block(b));
    last = taken < m ? value : last;
  }
}

/// Independent draws of either distribution, in bulk where the source can.
template <NoiseSource Source>
void draw_all(const Rate& rate, bool two_sided, Source& noise, std::span<std::int64_t> out) {
  if constexpr (requires { noise.geometric(rate, out), noise.laplace(rate, out); }) {
    two_sided ? noise.laplace(rate, out) : noise.geometric(rate, out);
  } else {
    std::generate(out.begin(), out.end(),
                  [&] { return two_sided ? noise.laplace(rate) : noise.geometric(rate); });
  }
}

/// Noisy values of whole ticks: below 2^62 + 2^60 in size.
template <NoiseSource Source>
void add_noise(std::span<const std::int64_t> ticks, const TickNoise& distribution, Source& noise,
               std::span<std::int64_t> values) {
  draw_all(distribution.tick_rate(), distribution.two_sided(), noise, values);
  add(ticks, values);
}

/// Noisy values in fractions of a tick, as TickNoise::draw makes them.
template <NoiseSource Source>
void add_noise(std::span<const std::int64_t> ticks, const TickNoise& distribution, Source& noise,
               std::span<Position> values) {
  SecretVector<std::int64_t> whole(ticks.size());
  SecretVector<std::int64_t> fractions(ticks.size());
  if (distribution.two_sided()) {
    draw_all(distribution.tick_rate(), true, noise, whole);
  }
  draw_all(distribution.rate(), false, noise, fractions);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    values[i] = distribution.at(ticks[i]) +
                (distribution.two_sided()
                     ? distribution.at(whole[i]) + fractions[i] % distribution.subticks()
                     : Position{fractions[i]});
  }
}

/// A list, walked over like candidates of any other shape (CandidateAccess::Walk).
template <class Answer>
class ListWalk {
 public:
  /// Everything passed by reference must outlive this object.
  ListWalk(std::span<const Answer> answers, const Grid& grid) : answers_(answers), grid_(&grid) {}
  /// Writes the answers of the next candidates.
  void next(std::span<std::int64_t> ticks) {
    first_ = next_;
    next_ += ticks.size();
    floor_ticks(answers_.subspan(first_, ticks.size()), *grid_, ticks);
  }
  /// The candidate at an offset of what `next` wrote last.
  [[nodiscard]] Item item(std::size_t offset) const {
    return {static_cast<std::int64_t>(first_ + offset), 0};
  }

 private:
  std::span<const Answer> answers_;
  const Grid* grid_;
  std::size_t first_ = 0;
  std::size_t next_ = 0;
};

/// See constant_work_top_m.
template <class Value, class Walk, NoiseSource Source, TieOrder Order>
std::vector<NoisyCandidate> top_m_by(Walk walk, std::uint64_t size, std::size_t m,
                                     const TickNoise& distribution, Source& noise, Order& order) {
  std::vector<std::int64_t> ticks;
  SecretVector<Value> values;
  SecretVector<Value> best;
  std::vector<Item> items;  // of the best
  for (std::uint64_t left = size; left > 0; left -= ticks.size()) {
    ticks.resize(static_cast<std::size_t>(std::min<std::uint64_t>(noisy_chunk(m), left)));
    values.resize(ticks.size());
    walk.next(ticks);
    add_noise(ticks, distribution, noise, std::span(values));
    fill_up(values);
    take_largest(std::span(values), m, [&](std::size_t place, Value value) {
      items.push_back(walk.item(place));
      best.push_back(value);
    });
  }
  fill_up(best);
  std::vector<NoisyCandidate> top;
  take_largest(std::span(best), m, [&](std::size_t place, Value value) {
    top.push_back({items[place], value, {}});
    if constexpr (requires { order.prepare(top.back()); }) {
      order.prepare(top.back());  // whether there are ties must not change the number of draws
    }
  });
  const Ranking<Order> ranking(order, distribution.subticks());
  std::sort(top.begin(), top.end(),
            [&](const NoisyCandidate& a, const NoisyCandidate& b) { return ranking.better(a, b); });
  top.resize(std::min(m, top.size()));
  return top;
}

/// The same for candidates that a walk writes out.
template <class Walk, NoiseSource Source, TieOrder Order>
std::vector<NoisyCandidate> constant_work_top_m(Walk walk, std::uint64_t size, std::size_t m,
                                                const TickNoise& distribution, Source& noise,
                                                Order& order) {
  return distribution.subticks() == 1
             ? top_m_by<std::int64_t>(std::move(walk), size, m, distribution, noise, order)
             : top_m_by<Position>(std::move(walk), size, m, distribution, noise, order);
}

/// The m candidates of a dense list with the largest noisy values, best first (all, where there are
/// fewer). Answers are `std::int64_t`, `std::int32_t` or finite reals. Draws in bulk where the
/// source offers it.
template <class Answer, NoiseSource Source, TieOrder Order>
std::vector<NoisyCandidate> constant_work_top_m(std::span<const Answer> answers, const Grid& grid,
                                                std::size_t m, const TickNoise& distribution,
                                                Source& noise, Order& order) {
  return constant_work_top_m(ListWalk<Answer>(answers, grid), answers.size(), m, distribution,
                             noise, order);
}

/// The same for candidates of any shape.
template <NoiseSource Source, TieOrder Order>
std::vector<NoisyCandidate> constant_work_top_m(const Candidates& candidates, const Grid& grid,
                                                std::size_t m, const TickNoise& distribution,
                                                Source& noise, Order& order) {
  return constant_work_top_m(CandidateAccess::Walk(CandidateAccess(candidates), grid),
                             candidates.size(), m, distribution, noise, order);
}

}  // namespace freegap::detail
