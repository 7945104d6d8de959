#pragma once

/// @file
/// The one seam between candidates and selection: `leaders(m)`, the m candidates with the largest
/// noisy values, in order. How a shape finds them is its own business; its law is exactly that of
/// adding noise to every candidate (docs/proofs/leaders.md; tests/mechanisms/leaders_law_test.cpp
/// enumerates it).
///
/// Everything in this file is secret until a mechanism turns it into a release.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"

namespace freegap {

/// A noisy value: a number of ticks, times `TickNoise::subticks`, plus a fraction of a tick.
__extension__ using Position = __int128;

/// Integer noise on ticks. Where a tick is wide against the noise, ties are so frequent that a
/// crowd of equal candidates could not be passed over; so the noise is then drawn in fractions of a
/// tick. Whole ticks have exactly the stated law, and the fraction, independent of them and
/// identically distributed for all candidates, comes first in the order of ties
/// (docs/proofs/leaders.md).
class TickNoise {
 public:
  /// Noise with exp(-rate) between neighbouring ticks, in as many fractions of a tick as keep ties
  /// rare.
  TickNoise(Law law, const Rational& rate) : TickNoise(law, rate, fractions_for(rate)) {}
  /// The same with a given number of fractions of a tick, at least 1.
  TickNoise(Law law, const Rational& rate, std::int64_t subticks)
      : two_sided_(freegap::two_sided(law)),
        subticks_(subticks),
        tick_rate_(rate),
        rate_(rate / Rational(subticks)) {}

  /// Whether it takes both signs.
  [[nodiscard]] bool two_sided() const { return two_sided_; }
  /// Fractions of a tick.
  [[nodiscard]] std::int64_t subticks() const { return subticks_; }
  /// Exponent per tick.
  [[nodiscard]] const Rate& tick_rate() const { return tick_rate_; }
  /// Exponent per fraction of a tick.
  [[nodiscard]] const Rate& rate() const { return rate_; }
  /// A value without noise.
  [[nodiscard]] Position at(std::int64_t ticks) const { return Position{ticks} * subticks_; }

  /// One draw, in fractions of a tick.
  template <NoiseSource Source>
  Position draw(Source& noise) const {
    if (!two_sided_) {
      return noise.geometric(rate_);
    }
    // The fraction is drawn by itself: that of a one-sided draw, which does not depend on its whole
    // ticks.
    const Position whole = Position{noise.laplace(tick_rate_)} * subticks_;
    return subticks_ == 1 ? whole : whole + noise.geometric(rate_) % subticks_;
  }

 private:
  static std::int64_t fractions_for(const Rational& rate);

  bool two_sided_;
  std::int64_t subticks_;
  Rate tick_rate_;
  Rate rate_;
};

/// A candidate with its noisy value. Secret.
struct Contender {
  Item item;                               ///< which candidate
  Position position = 0;                   ///< its noisy value
  mutable std::vector<std::uint64_t> key;  ///< its place in a random order of ties, drawn on demand
};

/// An order of candidates for ties that does not depend on the data.
template <class Order>
concept TieOrder = requires(Order& order, const Contender& a, const Contender& b) {
  /// Whether `a` wins a tie against `b`. A strict total order.
  { order.precedes(a, b) } -> std::same_as<bool>;
};

/// A uniformly random order, drawn as far as ties ask for it: 64 bits a candidate, more when they
/// collide.
template <NoiseSource Source>
class RandomOrder {
 public:
  /// Draws keys from `noise`, which must outlive this object.
  explicit RandomOrder(Source& noise) : noise_(&noise) {}

  /// Whether `a` wins a tie against `b`.
  bool precedes(const Contender& a, const Contender& b) {
    if (&a == &b) {
      return false;
    }
    for (std::size_t i = 0; i < most_words; ++i) {
      const std::uint64_t key_a = word(a, i);
      const std::uint64_t key_b = word(b, i);
      if (key_a != key_b) {
        return key_a > key_b;
      }
    }
    throw MachineFault("the random bits are broken: 4096 of them settled no tie");
  }

 private:
  static constexpr std::size_t most_words = 64;

  std::uint64_t word(const Contender& c, std::size_t i) {
    while (c.key.size() <= i) {
      c.key.push_back(noise_->key());
    }
    return c.key[i];
  }

  Source* noise_;
};

/// Noisy values compared, ties by fraction of a tick and then by the order.
template <TieOrder Order>
class Ranking {
 public:
  /// Compares by `order`, which must outlive this object.
  Ranking(Order& order, std::int64_t subticks) : order_(&order), subticks_(subticks) {}

  /// Whether `a` ranks before `b`.
  bool better(const Contender& a, const Contender& b) const {
    return a.position != b.position ? a.position > b.position : order_->precedes(a, b);
  }
  /// Whether `a` would win a tie in whole ticks against `b`.
  bool precedes(const Contender& a, const Contender& b) const {
    const std::int64_t fraction_a = fraction(a);
    const std::int64_t fraction_b = fraction(b);
    return fraction_a != fraction_b ? fraction_a > fraction_b : order_->precedes(a, b);
  }
  /// Noisy value in whole ticks.
  [[nodiscard]] std::int64_t ticks(const Contender& c) const {
    return static_cast<std::int64_t>((c.position - fraction(c)) / subticks_);
  }

 private:
  [[nodiscard]] std::int64_t fraction(const Contender& c) const {
    const auto remainder = static_cast<std::int64_t>(c.position % subticks_);
    return remainder < 0 ? remainder + subticks_ : remainder;
  }

  Order* order_;
  std::int64_t subticks_;
};

/// What a scan did. Secret; for tests that prove which path ran.
struct ScanCounters {
  std::uint64_t drawn = 0;    ///< candidates whose noise was drawn outright
  std::uint64_t skipped = 0;  ///< candidates passed over by a jump
  std::uint64_t thinned = 0;  ///< candidates a jump landed on that did not reach the bar
  std::uint64_t reached = 0;  ///< candidates that reached the bar
};

/// Finds the m candidates with the largest noisy values without drawing noise for each: a candidate
/// at distance d below the bar (the m-th value so far) reaches it with probability exp(-rate d), so
/// runs of failures are skipped in one draw; by memorylessness one that reaches it lies above by
/// fresh noise.
template <SkippingSource Source, TieOrder Order>
class LeaderScan {
 public:
  /// Looks for `m` leaders, m >= 1.
  LeaderScan(std::size_t m, const TickNoise& law, Source& noise, Order& order,
             ScanCounters& counters)
      : m_(m), law_(&law), noise_(&noise), ranking_(order, law.subticks()), counters_(&counters) {}

  /// Takes in one block of candidates.
  void scan(const Candidates::Block& block) {
    const Position most = law_->at(block.max_ticks());
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      if (heap_.size() < m_ || bar() < most) {
        consider(block, i);
        continue;
      }
      const std::uint64_t rest = block.size() - i;
      const std::uint64_t jump = noise_->skips(law_->rate(), distance(bar(), most), rest);
      counters_->skipped += jump;
      if (jump == rest) {
        return;
      }
      i += jump;
      // The jump took every answer for `most`: thin to the true one.
      const bool kept = block.constant() ||
                        noise_->reaches(law_->rate(), distance(most, law_->at(block.ticks(i))));
      if (kept && on_upper_side()) {
        reach(block.item(i));
      } else {
        ++counters_->thinned;
      }
    }
  }

  /// The leaders, best first.
  std::vector<Contender> finish() && {
    std::sort(heap_.begin(), heap_.end(), better());
    return std::move(heap_);
  }

 private:
  [[nodiscard]] static Distance distance(Position high, Position low) {
    return static_cast<Distance>(high - low);
  }
  [[nodiscard]] auto better() const {
    return [this](const Contender& a, const Contender& b) { return ranking_.better(a, b); };
  }
  [[nodiscard]] Position bar() const { return heap_.front().position; }
  /// Two-sided noise at or above zero is one-sided noise with probability 1 / (1 + x).
  bool on_upper_side() { return !law_->two_sided() || noise_->above_zero(law_->tick_rate()); }

  void consider(const Candidates::Block& block, std::uint64_t i) {
    const Position value = law_->at(block.ticks(i));
    if (heap_.size() < m_ || bar() < value) {
      ++counters_->drawn;
      offer({block.item(i), value + law_->draw(*noise_), {}});
    } else if (noise_->reaches(law_->rate(), distance(bar(), value)) && on_upper_side()) {
      reach(block.item(i));
    } else {
      ++counters_->thinned;
    }
  }

  void reach(const Item& item) {
    ++counters_->reached;
    offer({item, bar() + noise_->geometric(law_->rate()), {}});
  }

  /// Keeps the m best; the worst of them is at the front of the heap.
  void offer(Contender contender) {
    if (heap_.size() == m_) {
      if (!ranking_.better(contender, heap_.front())) {
        return;
      }
      std::pop_heap(heap_.begin(), heap_.end(), better());
      heap_.pop_back();
    }
    heap_.push_back(std::move(contender));
    std::push_heap(heap_.begin(), heap_.end(), better());
  }

  std::size_t m_;
  const TickNoise* law_;
  Source* noise_;
  Ranking<Order> ranking_;
  ScanCounters* counters_;
  std::vector<Contender> heap_;
};

/// Candidates of any shape on a grid, as mechanisms see them.
class CandidatesOnGrid {
 public:
  /// Both must outlive this object.
  CandidatesOnGrid(const Candidates& candidates, const Grid& grid)
      : candidates_(&candidates), grid_(&grid) {}

  /// The m candidates with the largest noisy values, best first (all, where there are fewer).
  template <SkippingSource Source, TieOrder Order>
  std::vector<Contender> leaders(std::size_t m, const TickNoise& law, Source& noise,
                                 Order& order) const {
    ScanCounters counters;
    return leaders(m, law, noise, order, counters);
  }
  /// The same, telling what the scan did.
  template <SkippingSource Source, TieOrder Order>
  std::vector<Contender> leaders(std::size_t m, const TickNoise& law, Source& noise, Order& order,
                                 ScanCounters& counters) const {
    LeaderScan<Source, Order> scan(m, law, noise, order, counters);
    candidates_->for_each_block(*grid_, [&](const Candidates::Block& block) { scan.scan(block); });
    return std::move(scan).finish();
  }

 private:
  const Candidates* candidates_;
  const Grid* grid_;
};

}  // namespace freegap
