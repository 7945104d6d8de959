#pragma once

/// @file
/// The one seam between candidates and selection: `leaders(m)`, the m candidates with the largest
/// noisy values, in order. How a shape finds them is its own business; its law is exactly that of
/// adding noise to every candidate (docs/proofs/leaders.md; tests/mechanisms/leaders_law_test.cpp
/// enumerates it).
///
/// Everything in this file is secret until a mechanism turns it into a release.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/errors.hpp"
#include "freegap/grid.hpp"
#include "freegap/noise.hpp"
#include "freegap/release.hpp"
#include "freegap/survey.hpp"
#include "freegap/trials.hpp"

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
  /// The whole ticks of a position, rounded down.
  [[nodiscard]] std::int64_t floor(Position position) const {
    if (subticks_ == 1) {
      return static_cast<std::int64_t>(position);
    }
    const Position below = position - (position < 0 ? Position{subticks_} - 1 : Position{0});
    return static_cast<std::int64_t>(below / subticks_);
  }

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
  std::uint64_t tiles = 0;    ///< tiles passed over without a look inside
  std::uint64_t blocks = 0;   ///< blocks, of other tiles, passed over without a look inside
  std::uint64_t opened = 0;   ///< blocks whose candidates were looked at one by one
  std::uint64_t levels = 0;   ///< scans that began with a level instead of a first few candidates
  std::uint64_t lowered = 0;  ///< such scans after which too few had reached the level
};

/// Bounds that a scan is given.
struct ScanBounds {
  /// Only positions from here on are looked for.
  std::optional<Position> level = std::nullopt;
  /// Known of all but the candidates in `out`: their positions are below this.
  std::optional<Position> ceiling = std::nullopt;
  /// Candidates to leave out, in the order of `Item`.
  std::vector<Item> out = {};
};

/// Finds the m candidates with the largest noisy values without drawing noise for each: a candidate
/// at distance d below the bar (the m-th value so far) reaches it with probability exp(-rate d), so
/// runs of failures are skipped in one draw; by memorylessness one that reaches it lies above by
/// fresh noise.
template <SkippingSource Source, TieOrder Order>
class LeaderScan {
 public:
  /// Looks for `m` leaders among `n`, m >= 1.
  LeaderScan(std::size_t m, std::uint64_t n, const TickNoise& law, ScanBounds bounds, Source& noise,
             Order& order, ScanCounters& counters)
      : m_(m),
        law_(&law),
        bounds_(std::move(bounds)),
        noise_(&noise),
        trials_(law.rate(), TrialSizes::for_count(n), noise),
        ranking_(order, law.subticks()),
        counters_(&counters) {}

  /// Takes in the candidates of a list. `largest` are the places of its largest answers, m of them
  /// or more: unless a level is given their noise is drawn first, so that the bar is high from the
  /// start, whatever the order of the list.
  void scan(const Candidates& candidates, Survey& survey, std::span<const std::size_t> largest) {
    candidates_ = &candidates;
    survey_ = &survey;
    if (!bounds_.level) {
      draw_first(largest);
    }
    std::size_t far = 0;  // tiles [far, t) are far below the bar
    for (std::size_t t = 0; t < survey.tiles(); ++t) {
      if (has_bar() && survey.tile_below(t, marks().far)) {
        continue;
      }
      pass_far(survey.tile(far).first, survey.tile(t).first);
      far = t + 1;
      if (passes_tile(t)) {
        ++counters_->tiles;
      } else {
        scan_blocks(survey.blocks_of(t));
      }
    }
    pass_far(survey.tile(far).first, survey.tile(survey.tiles()).first);
  }

  /// Takes in one block of candidates that do not stand in a list.
  void scan(const Candidates::Block& block) {
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      const Position most = law_->at(block.ticks(i));  // answers fall: the largest of the rest
      if (!has_bar() || bar() < most) {
        draw_outright(most, [&] { return block.item(i); });
        continue;
      }
      const std::uint64_t rest = block.size() - i;
      const Distance down = distance(bar(), most);
      const std::uint64_t jump = noise_->skips(law_->rate(), down, rest);
      counters_->skipped += jump;
      if (jump == rest) {
        return;
      }
      i += jump;
      land(
          law_->at(block.ticks(i)), down, [&] { return block.item(i); },
          [&] { return noise_->reaches(law_->rate(), down); });
    }
  }

  /// Whether m candidates were found.
  [[nodiscard]] bool full() const { return heap_.size() == m_; }
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
  [[nodiscard]] bool has_bar() const { return bounds_.level || full(); }
  [[nodiscard]] Position bar() const { return full() ? heap_.front().position : *bounds_.level; }
  /// One-sided noise, drawn ahead in bulk where the source can.
  std::int64_t one_sided() {
    if constexpr (requires(std::span<std::int64_t> out) { noise_->geometric(law_->rate(), out); }) {
      if (ahead_ == 0) {
        noise_->geometric(law_->rate(), drawn_ahead_);
        ahead_ = drawn_ahead_.size();
      }
      return drawn_ahead_[--ahead_];
    } else {
      return noise_->geometric(law_->rate());
    }
  }
  /// Two-sided noise at or above zero is one-sided noise with probability 1 / (1 + x).
  bool on_upper_side() { return !law_->two_sided() || noise_->above_zero(law_->tick_rate()); }

  void draw_first(std::span<const std::size_t> largest) {
    std::vector<Item> out = bounds_.out;
    for (const std::size_t i : largest) {
      out.push_back(candidates_->listed_item(i));
      draw_outright(law_->at(survey_->ticks(i)), [&] { return out.back(); });
    }
    std::sort(out.begin(), out.end());
    bounds_.out = std::move(out);
  }

  /// Blocks of a tile that is not passed over as a whole.
  void scan_blocks(const Survey::Range& blocks) {
    std::size_t far = blocks.first;  // blocks [far, b) are far below the bar
    for (std::size_t b = next_near(blocks.first, blocks.last); b < blocks.last;) {
      const std::size_t next = next_near(b + 1, blocks.last);
      if (next < blocks.last) {
        survey_->prefetch(next);
      }
      pass_far(survey_->block(far).first, survey_->block(b).first);
      far = b + 1;
      if (passes_block(b)) {
        ++counters_->blocks;
      } else {
        open(b);
      }
      b = next;
    }
    pass_far(survey_->block(far).first, survey_->block(blocks.last).first);
  }
  /// The first of these blocks that is not far below the bar.
  std::size_t next_near(std::size_t b, std::size_t last) {
    if (has_bar()) {
      const std::int64_t mark = marks().far;
      while (b < last && survey_->block_below(b, mark)) {
        ++b;
      }
    }
    return b;
  }

  /// Where answers are far below the bar or near it.
  struct Marks {
    Position bar;          ///< that they are for
    std::int64_t far;      ///< all answers below this mark are of the last class
    Position near;         ///< positions above this are near
    std::int64_t nearest;  ///< all near answers are at this mark or above it
  };
  const Marks& marks() {
    if (!marks_ || marks_->bar != bar()) {
      const Position far = bar() - static_cast<Position>(trials_.reach(trials_.last()));
      const Position near = bar() - static_cast<Position>(trials_.reach(near_class()));
      marks_ = Marks{bar(), survey_->mark(law_->floor(far) + 1), near,
                     survey_->mark(law_->floor(near) + 1)};
    }
    return *marks_;
  }
  /// How many candidates can be tried one by one in the time of a jump, about.
  static constexpr std::size_t steps_of_a_jump = 16;
  /// Answers of this class and beyond are passed over in a block that is opened.
  [[nodiscard]] std::size_t near_class() const {
    return std::min(trials_.rare(survey_->block(0).size()) + 4, trials_.last());
  }

  /// Passes over the answers [first, last), all of the last class.
  void pass_far(std::size_t first, std::size_t last) {
    if (first < last) {
      pass({first, last}, trials_.last(), [](Position /*value*/) { return true; });
    }
  }

  /// The class of all answers up to this one; nothing while some may be above the bar.
  [[nodiscard]] std::optional<std::size_t> class_below(std::int64_t ticks) const {
    const Position most = law_->at(ticks);
    if (!has_bar() || bar() < most) {
      return std::nullopt;
    }
    return trials_.class_of(distance(bar(), most));
  }
  /// Passes over a tile if few of its answers are likely to reach the bar.
  bool passes_tile(std::size_t t) {
    const std::optional<std::size_t> c = class_below(survey_->tile_ticks(t));
    const Survey::Range range = survey_->tile(t);
    if (!c || *c + 1 < trials_.rare(range.size())) {  // two successes or more
      return false;
    }
    pass(range, *c, [](Position /*value*/) { return true; });
    return true;
  }

  /// The same with a block. Answers above all of the other lanes are tried with their lane, the
  /// others with the block.
  bool passes_block(std::size_t b) {
    const std::optional<std::size_t> top = class_below(survey_->block_ticks(b));
    if (!top || (survey_->by_lane() && *top < trials_.rare(survey_->lane_size()))) {
      return false;
    }
    const Position others = law_->at(survey_->others_ticks(b));
    const std::size_t c = trials_.class_of(distance(bar(), others));
    const Survey::Range range = survey_->block(b);
    if (c < trials_.rare(range.size())) {
      return false;
    }
    if (survey_->by_lane()) {
      pass_lane(b, *top, others);
    }
    pass(range, c, [&](Position value) { return value <= others; });
    return true;
  }

  /// Passes over the top lane of a block, as far as it is above the others.
  void pass_lane(std::size_t b, std::size_t c, Position others) {
    const std::size_t lane = survey_->lane_size();
    for (std::size_t i = 0; i < lane; ++i) {
      i += trials_.failures(c, lane - i);
      const std::optional<std::size_t> place = i < lane ? survey_->in_top_lane(b, i) : std::nullopt;
      if (place && law_->at(survey_->ticks(*place)) > others) {
        land_in_list(*place, law_->at(survey_->ticks(*place)), c);
      }
    }
  }

  /// Passes over those of a range that are `concerned`: all at a distance of class c or beyond.
  template <class Concerned>
  void pass(const Survey::Range& range, std::size_t c, const Concerned& concerned) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      const std::uint64_t failed = trials_.failures(c, range.last - i);
      counters_->skipped += failed;
      i += failed;
      if (i < range.last) {
        const Position value = law_->at(survey_->ticks(i));
        if (concerned(value)) {
          land_in_list(i, value, c);
        }
      }
    }
  }

  /// Takes in the candidates of a block: those near the bar one by one, the others in one pass.
  void open(std::size_t b) {
    ++counters_->opened;
    const Survey::Range range = survey_->block(b);
    if (!has_bar()) {
      for (std::size_t i = range.first; i < range.last; ++i) {
        take_in(i, law_->at(survey_->ticks(i)));
      }
      return;
    }
    const Marks at = marks();
    const std::span<const std::uint32_t> near = survey_->not_below(at.nearest, b);
    // Where most are near, a jump from success to success takes fewer steps than one by one.
    const std::optional<std::size_t> c = class_below(survey_->block_ticks(b));
    if (c && near.size() > steps_of_a_jump * (range.size() >> *c)) {
      pass(range, *c, [](Position /*value*/) { return true; });
      return;
    }
    for (const std::uint32_t offset : near) {
      const std::size_t i = range.first + offset;
      const Position value = law_->at(survey_->ticks(i));
      if (value > at.near) {
        take_in(i, value);
      }
    }
    pass(range, near_class(), [&](Position value) { return value <= at.near; });
  }

  /// Takes in one candidate of the list.
  void take_in(std::size_t i, Position value) {
    if (!has_bar() || bar() < value) {
      draw_outright(value, [&] { return candidates_->listed_item(i); });
      return;
    }
    const std::size_t c = trials_.class_of(distance(bar(), value));
    if (trials_.failures(c, 1) == 0) {
      land_in_list(i, value, c);
    } else {
      ++counters_->skipped;
    }
  }

  void land_in_list(std::size_t i, Position value, std::size_t c) {
    land(
        value, trials_.reach(c), [&] { return candidates_->listed_item(i); },
        [&] { return trials_.failures(c, 1) == 0; });
  }

  /// A candidate whose trial succeeded: that of reaching up by `done`, part of its way to the bar
  /// or all of it. How much further its noise reaches is fresh noise. `again` repeats the trial.
  template <class Named, class Again>
  void land(Position value, Distance done, const Named& named, const Again& again) {
    do {
      const Position position = value + static_cast<Position>(done) + one_sided();
      if (position < bar() || !on_upper_side()) {
        ++counters_->thinned;
        return;
      }
      if (below_ceiling(position)) {
        ++counters_->reached;
        offer(named(), position);
        return;
      }
    } while (again());
  }

  template <class Named>
  void draw_outright(Position value, const Named& named) {
    const Item item = named();
    if (is_out(item)) {
      return;
    }
    ++counters_->drawn;
    Position position = 0;
    do {
      position = value + (law_->two_sided() ? law_->draw(*noise_) : one_sided());
    } while (!below_ceiling(position));
    if (!has_bar() || position >= bar()) {
      offer(item, position);
    }
  }

  /// Noise that would lift a candidate to the ceiling is not its noise: it is drawn again.
  [[nodiscard]] bool below_ceiling(Position position) const {
    return !bounds_.ceiling || position < *bounds_.ceiling;
  }
  [[nodiscard]] bool is_out(const Item& item) const {
    return std::binary_search(bounds_.out.begin(), bounds_.out.end(), item);
  }

  /// Keeps the m best; the worst of them is at the front of the heap.
  void offer(const Item& item, Position position) {
    if (is_out(item)) {
      return;
    }
    Contender contender{item, position, {}};
    if (full()) {
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
  ScanBounds bounds_;
  Source* noise_;
  Trials<Source> trials_;
  Ranking<Order> ranking_;
  ScanCounters* counters_;
  const Candidates* candidates_ = nullptr;
  Survey* survey_ = nullptr;
  std::optional<Marks> marks_;
  std::array<std::int64_t, 64> drawn_ahead_;  // one-sided noise, the last `ahead_` of it unused
  std::size_t ahead_ = 0;
  std::vector<Contender> heap_;
};

/// The m candidates with the largest noisy values, best first (all, where there are fewer).
template <SkippingSource Source, TieOrder Order>
std::vector<Contender> find_leaders(const Candidates& candidates, const Grid& grid, Survey& survey,
                                    std::size_t m, std::span<const std::size_t> largest,
                                    const std::optional<Position>& level, const TickNoise& law,
                                    Source& noise, Order& order, ScanCounters& counters) {
  const auto scan = [&](std::size_t count, ScanBounds bounds) {
    LeaderScan<Source, Order> result(count, candidates.size(), law, std::move(bounds), noise, order,
                                     counters);
    result.scan(candidates, survey, largest);
    candidates.for_each_block(count, grid, [&](const auto& block) { result.scan(block); });
    return result;
  };
  LeaderScan<Source, Order> first = scan(m, {level, std::nullopt, {}});
  const bool enough = !level || first.full();
  std::vector<Contender> leaders = std::move(first).finish();
  if (enough) {
    return leaders;
  }
  // All that reached the level are known; the others are below it.
  ++counters.lowered;
  ScanBounds below{std::nullopt, level, {}};
  for (const Contender& leader : leaders) {
    below.out.push_back(leader.item);
  }
  std::sort(below.out.begin(), below.out.end());
  std::vector<Contender> others = scan(m - leaders.size(), std::move(below)).finish();
  std::move(others.begin(), others.end(), std::back_inserter(leaders));
  return leaders;
}

/// Where a scan for m leaders should begin, if the candidates are crowded; nothing if the bar rises
/// fast enough by itself. `largest` are the places of the m largest answers of a list.
std::optional<Position> crowd_level(const Candidates& candidates, const Grid& grid,
                                    const Survey& survey, std::span<const std::size_t> largest,
                                    std::size_t m, const TickNoise& law);

}  // namespace freegap
