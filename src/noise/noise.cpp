#include "freegap/noise.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/integers.hpp"
#include "freegap/errors.hpp"
#include "noise/bulk.hpp"
#include "noise/double_enclosure.hpp"
#include "noise/fixed_weights.hpp"
#include "noise/lazy_uniform.hpp"
#include "noise/mpfr_enclosure.hpp"

// Every sampler is a function of one uniform number U, with integer values or yes and no. It is
// written once, as a formula over a field: DoubleField first, then MpfrField with growing
// precision. docs/proofs/samplers.md derives the formulas, each under the heading named beside its
// sampler.

namespace freegap {
namespace detail {
namespace {

/// min(floor(y), limit) for y >= 0, or nothing if the enclosure does not settle it.
std::optional<std::uint64_t> settled_floor(const DoubleEnclosure& y, std::uint64_t limit) {
  // From 2^52 on all doubles are integers, so no enclosure lies strictly between two integers.
  constexpr double exact_integers = 0x1p52;
  if (y.lo >= up(static_cast<double>(limit))) {
    return limit;
  }
  if (!(y.hi >= 0 && y.hi < exact_integers)) {  // also where y.hi is not a number
    return std::nullopt;
  }
  const auto high = static_cast<std::uint64_t>(y.hi);
  const auto low = static_cast<std::uint64_t>(y.lo > 0 ? y.lo : 0);  // y >= 0 is known
  return low == high ? std::optional(std::min(high, limit)) : std::nullopt;
}

std::optional<std::uint64_t> settled_floor(const MpfrEnclosure& y, std::uint64_t limit) {
  if (mpfr_cmp_z(y.lo(), detail::integer(limit).get_mpz_t()) >= 0) {
    return limit;
  }
  if (mpfr_number_p(y.lo()) == 0 || mpfr_number_p(y.hi()) == 0) {
    return std::nullopt;
  }
  mpz_class low;
  mpz_class high;
  mpfr_get_z(low.get_mpz_t(), y.lo(), MPFR_RNDD);
  mpfr_get_z(high.get_mpz_t(), y.hi(), MPFR_RNDD);
  if (high != std::max(low, mpz_class(0))) {
    return std::nullopt;
  }
  return detail::low_word(high);  // below the limit, as y.lo is
}

/// Whether y > 0, or nothing if the enclosure does not settle it.
std::optional<bool> settled_sign(const DoubleEnclosure& y) {
  return y.lo > 0 ? std::optional(true) : y.hi < 0 ? std::optional(false) : std::nullopt;
}

std::optional<bool> settled_sign(const MpfrEnclosure& y) {
  return mpfr_sgn(y.lo()) > 0   ? std::optional(true)
         : mpfr_sgn(y.hi()) < 0 ? std::optional(false)
                                : std::nullopt;
}

/// -ln U, which has the standard exponential distribution.
template <class Field>
typename Field::Value minus_log(const Field& field, const typename Field::Value& u) {
  return field.whole(0) - field.log(u);
}

/// Sum of weights in units of 2^-60: integers, so that adding does not round however many terms
/// there are. `low` and `high` enclose the exact sum. At most 2^63 candidates of weight at most 1
/// stay below 2^124, which fits a Distance.
class FixedSum {
 public:
  void add(const DoubleEnclosure& weight) {
    low_ += static_cast<Distance>(std::floor(weight.lo * 0x1p60));
    high_ += static_cast<Distance>(std::ceil(weight.hi * 0x1p60));
  }
  [[nodiscard]] DoubleEnclosure value() const {
    const auto low = static_cast<double>(low_);
    return {low_ == 0 ? 0 : down(low) * 0x1p-60, up(static_cast<double>(high_)) * 0x1p-60};
  }

 private:
  Distance low_ = 0;
  Distance high_ = 0;
};

/// The same in MPFR, whose precision grows until the rounding of sums does not matter.
class MpfrSum {
 public:
  explicit MpfrSum(const MpfrField& field) : sum_(field.whole(0)) {}
  void add(const MpfrEnclosure& weight) { sum_ = sum_ + weight; }
  [[nodiscard]] const MpfrEnclosure& value() const { return sum_; }

 private:
  MpfrEnclosure sum_;
};

FixedSum empty_sum(const DoubleField& /*field*/) { return {}; }
MpfrSum empty_sum(const MpfrField& field) { return MpfrSum(field); }

/// high - low for low <= high. The difference of two 64-bit numbers may need 65 bits; modulo 2^128
/// it is right also for negative ones.
Distance distance(std::int64_t high, std::int64_t low) {
  return static_cast<Distance>(high) - static_cast<Distance>(low);
}

/// multiplicity * e^(-rate (top - ticks)).
template <class Field>
typename Field::Value weight(const Field& field, const Rate& rate, std::int64_t top,
                             const WeightedValue& value) {
  return field.whole(value.multiplicity) *
         field.exp_minus(field.rate(rate) * field.whole(distance(top, value.ticks)));
}

/// The largest utility of a group that is not empty.
std::int64_t largest(std::span<const WeightedValue> values) {
  std::int64_t top = INT64_MIN;
  for (const WeightedValue& value : values) {
    if (value.multiplicity > 0) {
      top = std::max(top, value.ticks);
    }
  }
  return top;
}

/// Sums of the weights of the first 1, 2, ... entries. Weights are relative to a candidate with the
/// largest utility, which has weight 1: nothing overflows, and common factors cancel in the choice.
template <class Field>
auto cumulative_weights(const Field& field, const Rate& rate,
                        std::span<const WeightedValue> values) {
  const std::int64_t top = largest(values);
  std::vector<typename Field::Value> sums;
  sums.reserve(values.size());
  auto sum = empty_sum(field);
  for (const WeightedValue& value : values) {
    if (value.multiplicity > 0) {
      sum.add(weight(field, rate, top, value));
    }
    sums.push_back(sum.value());
  }
  return sums;
}

// Comparisons that hold for all values in the enclosures. Neither holds where they overlap.
bool surely_above(const DoubleEnclosure& a, const DoubleEnclosure& b) { return a.lo > b.hi; }
bool surely_above(const MpfrEnclosure& a, const MpfrEnclosure& b) {
  return mpfr_greater_p(a.lo(), b.hi()) != 0;
}
bool surely_not_above(const DoubleEnclosure& a, const DoubleEnclosure& b) { return a.hi <= b.lo; }
bool surely_not_above(const MpfrEnclosure& a, const MpfrEnclosure& b) {
  return mpfr_lessequal_p(a.hi(), b.lo()) != 0;
}

/// The first entry whose sum is above `target`, or nothing if the enclosures do not settle it: the
/// sum must be surely above, and the one before it surely not.
template <class Value>
std::optional<std::size_t> settled_choice(const std::vector<Value>& sums, const Value& target) {
  const auto found = std::find_if(sums.begin(), sums.end(),
                                  [&](const Value& sum) { return surely_above(sum, target); });
  if (found == sums.end() || (found != sums.begin() && !surely_not_above(*(found - 1), target))) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - sums.begin());
}

/// The candidates other than the chosen one.
std::vector<WeightedValue> without(std::span<const WeightedValue> values, std::size_t chosen) {
  std::vector<WeightedValue> others(values.begin(), values.end());
  --others[chosen].multiplicity;
  return others;
}

/// What the gap of the exponential mechanism depends on (docs/proofs/samplers.md, "Gap of the
/// exponential mechanism").
struct Race {
  const Rate* rate;
  std::int64_t winner;                // ticks of the chosen candidate
  std::int64_t best_other;            // largest ticks of the others
  std::vector<WeightedValue> others;  // not empty
};

Race race(const Rate& rate, std::span<const WeightedValue> values, std::size_t chosen) {
  Race race{&rate, values[chosen].ticks, 0, without(values, chosen)};
  race.best_other = largest(race.others);
  return race;
}

/// S = sum over the others of e^(-rate (best_other - ticks)), at least 1.
template <class Field>
typename Field::Value sum_of_others(const Field& field, const Race& race) {
  auto sum = empty_sum(field);
  for (const WeightedValue& other : race.others) {
    if (other.multiplicity > 0) {
      sum.add(weight(field, *race.rate, race.best_other, other));
    }
  }
  return sum.value();
}

/// ln(1 + (1 + e^m)(1/U - 1)), equation (3) of the proof, where e^m is the weight of the winner
/// over the weight of all others together. With D = rate |winner - best_other|, e^m = e^-D / S if
/// the winner is not the best, and e^-m = S e^-D if it is. Each case has a form without overflow
/// and without cancellation; the second is m + ln(e^-m + (1 + e^-m)(1/U - 1)).
template <class Field>
typename Field::Value gap(const Field& field, const Race& race, const typename Field::Value& others,
                          const typename Field::Value& u) {
  const auto one = field.whole(1);
  const auto odds = (one - u) / u;
  if (race.winner <= race.best_other) {
    const auto d = field.rate(*race.rate) * field.whole(distance(race.best_other, race.winner));
    return field.log(one + (one + field.exp_minus(d) / others) * odds);
  }
  const auto d = field.rate(*race.rate) * field.whole(distance(race.winner, race.best_other));
  const auto v = others * field.exp_minus(d);
  return (d - field.log(others)) + field.log(v + (one + v) * odds);
}

}  // namespace
}  // namespace detail

/// Answers one question about one uniform number U: in doubles first, then in MPFR with more and
/// more bits of U until the answer is settled. The answer is that for the exact U
/// (docs/proofs/samplers.md, "Exactness").
class Decision {
 public:
  explicit Decision(ExactNoise& noise) : noise_(&noise), u_(*noise.bits_) { ++noise.decisions_; }
  /// For a U whose first 31 bits are drawn already: the low ones of `prefix`. Doubles try these
  /// alone before more are drawn. So the number of bits drawn depends on the bits only, and not on
  /// the vectors of the machine.
  Decision(ExactNoise& noise, std::uint32_t prefix) : noise_(&noise), u_(*noise.bits_, prefix) {}

  /// min(floor(formula(field, U)), limit). The formula is never negative.
  template <class Formula>
  std::uint64_t floor(const Formula& formula, std::uint64_t limit) {
    return settle([&](const auto& field, const auto& u) {
      return detail::settled_floor(widened(formula(field, u)), limit);
    });
  }

  /// Whether formula(field, U) > 0. It is 0 with probability 0.
  template <class Formula>
  bool positive(const Formula& formula) {
    return settle([&](const auto& field, const auto& u) {
      return detail::settled_sign(widened(formula(field, u)));
    });
  }

  /// The first entry of sums(field) that is above U times the last.
  template <class Sums>
  std::size_t choice(const Sums& sums) {
    return settle([&](const auto& field, const auto& u) { return chosen(sums(field), u); });
  }
  /// The same where `weights` try first, and `sums` serve what they leave open.
  template <class Sums>
  std::size_t choice(const detail::FixedWeights& weights, const Sums& sums) {
    const auto result = weights.choice(u_.first(), noise_->widening_);
    return result ? *result : refine([&](const detail::MpfrField& field, const auto& u) {
      return chosen(sums(field), u);
    });
  }

 private:
  template <class Value>
  std::optional<std::size_t> chosen(const std::vector<Value>& sums, const Value& u) const {
    return detail::settled_choice(sums, widened(u * sums.back()));
  }

  /// The first result of `attempt`, which is called with tighter and tighter enclosures of U. The
  /// loop ends with probability 1, and `extend` bounds it.
  template <class Attempt>
  auto settle(const Attempt& attempt) {
    if (!u_.whole()) {
      if (const auto result =
              attempt(detail::DoubleField(), detail::DoubleField::uniform_31(u_.first()))) {
        return *result;
      }
      u_.complete();
    }
    if (const auto result =
            attempt(detail::DoubleField(), detail::DoubleField::uniform(u_.first()))) {
      return *result;
    }
    return refine(attempt);
  }

  /// The same with MPFR only.
  template <class Attempt>
  auto refine(const Attempt& attempt) {
    ++noise_->refinements_;
    for (;;) {
      const std::span<const std::uint64_t> words = u_.extend();
      // 64 bits beyond those of U, so that the arithmetic is not what keeps the decision open.
      const detail::MpfrField field(64 * static_cast<mpfr_prec_t>(words.size()) + 64);
      if (const auto result = attempt(field, field.uniform(words))) {
        return *result;
      }
    }
  }

  /// Tests widen enclosures in doubles to reach the code for open decisions; results must not
  /// change.
  [[nodiscard]] detail::DoubleEnclosure widened(const detail::DoubleEnclosure& y) const {
    return {y.lo - noise_->widening_, y.hi + noise_->widening_};
  }
  static const detail::MpfrEnclosure& widened(const detail::MpfrEnclosure& y) { return y; }

  ExactNoise* noise_;
  detail::LazyUniform u_;
};

ExactNoise::ExactNoise(BitStream& bits) : bits_(&bits) {
  if (std::fegetround() != FE_TONEAREST) {
    throw MachineFault("floating-point arithmetic must round to nearest");
  }
}

namespace {

// floor(-ln U / rate) >= n if and only if U <= e^(-rate n), which has probability x^n
// (docs/proofs/samplers.md, "Geometric").
std::int64_t geometric_of(Decision decision, const Rate& rate) {
  constexpr std::uint64_t never = std::uint64_t{1}
                                  << 62U;  // beyond 4096 bits of U at the smallest rate
  return static_cast<std::int64_t>(
      decision.floor([&](const auto& field,
                         const auto& u) { return detail::minus_log(field, u) / field.rate(rate); },
                     never));
}

/// Each draw is rejected with probability at most 1/2. So many rejections in a row have probability
/// 2^-4096 for fair bits, and are reported as a broken generator.
constexpr int most_rejections = 4096;

[[noreturn]] void refuse_bits() {
  throw MachineFault("the random bits are broken: all of 4096 draws were rejected");
}

/// Buffer of random words. The destructor wipes the part that was used, so that noise already added
/// cannot be read from memory later.
class WipedWords {
 public:
  WipedWords() = default;
  WipedWords(const WipedWords&) = delete;
  WipedWords& operator=(const WipedWords&) = delete;
  ~WipedWords() { explicit_bzero(words_.data(), used_ * sizeof(std::uint64_t)); }

  /// The first `count` of them.
  std::span<std::uint64_t> first(std::size_t count) {
    used_ = std::max(used_, count);
    return std::span(words_).first(count);
  }

 private:
  std::array<std::uint64_t, detail::bulk_samples / 2> words_;  // set as far as they are used
  std::size_t used_ = 0;
};

}  // namespace

std::int64_t ExactNoise::geometric(const Rate& rate) { return geometric_of(Decision(*this), rate); }

void ExactNoise::geometric(const Rate& rate, std::span<std::int64_t> out) {
  bulk(rate, false, out);
}
void ExactNoise::laplace(const Rate& rate, std::span<std::int64_t> out) { bulk(rate, true, out); }

// docs/proofs/samplers.md, "In bulk". Each sample takes 32 bits: a sign and the first 31 bits of U.
// Vectors settle most samples. The others are settled by a Decision on the same 31 bits, with fresh
// bits behind them if necessary. Minus zero is removed, and the next part draws one more sample
// instead: samples are independent, so those kept have the conditional distribution.
void ExactNoise::bulk(const Rate& rate, bool two_sided, std::span<std::int64_t> out) {
  constexpr std::int64_t minus_zero = INT64_MIN;
  const detail::BulkBounds bounds(rate, widening_);
  WipedWords drawn;
  std::array<std::uint32_t, detail::bulk_samples> open;  // set as far as it is used
  for (int rejections = 0; !out.empty();) {
    const auto part = out.first(std::min(out.size(), detail::bulk_samples));
    const std::span<std::uint64_t> words = drawn.first((part.size() + 1) / 2);
    bits_->fill(words);
    const auto* bits = reinterpret_cast<const std::uint32_t*>(words.data());
    const std::size_t left = detail::bulk_draw(bounds, two_sided, bits, part, open.data());
    decisions_ += part.size();
    for (const std::uint32_t i : std::span(open).first(left)) {
      if (two_sided && part[i] != detail::bulk_unsettled) {  // settled as minus zero
        part[i] = minus_zero;
        continue;
      }
      ++second_looks_;
      std::uint32_t first = 0;
      std::memcpy(&first, bits + i, sizeof first);
      const bool negative = two_sided && (first >> 31U) != 0;
      const std::int64_t magnitude = geometric_of(Decision(*this, first), rate);
      part[i] = !negative ? magnitude : magnitude == 0 ? minus_zero : -magnitude;
    }
    const auto kept = two_sided ? std::remove(part.begin(), part.end(), minus_zero) : part.end();
    out = out.subspan(static_cast<std::size_t>(kept - part.begin()));
    rejections = kept == part.begin() ? rejections + 1 : 0;  // a part of minus zeros alone
    if (rejections == most_rejections) {
      refuse_bits();
    }
  }
}

// A sign and a geometric magnitude. Minus zero is rejected, which leaves P(m) = (1-x)/2 x^|m| / (1
// - (1-x)/2) = (1-x)/(1+x) x^|m| (docs/proofs/samplers.md, "Discrete Laplace").
std::int64_t ExactNoise::laplace(const Rate& rate) {
  for (int i = 0; i < most_rejections; ++i) {
    const bool negative = (bits_->word() >> 63U) != 0;
    const std::int64_t magnitude = geometric(rate);
    if (!negative || magnitude != 0) {
      return negative ? -magnitude : magnitude;
    }
  }
  refuse_bits();
}

// The high half of word * n is uniform once the words that would favour some results are rejected
// (docs/proofs/samplers.md, "Uniform below n").
std::uint64_t ExactNoise::below(std::uint64_t n) {
  for (int i = 0; i < most_rejections; ++i) {
    const Distance product = Distance{bits_->word()} * n;
    const auto low = static_cast<std::uint64_t>(product);
    // Low halves below t = 2^64 mod n are rejected. t < n, so the division is seldom needed.
    if (low >= n || low >= (0 - n) % n) {
      return static_cast<std::uint64_t>(product >> 64U);
    }
  }
  refuse_bits();
}

// -ln U > rate d if and only if U < e^(-rate d) (docs/proofs/samplers.md, "Reaching").
bool ExactNoise::reaches(const Rate& rate, Distance d) {
  return d == 0 || Decision(*this).positive([&](const auto& field, const auto& u) {
    return detail::minus_log(field, u) - field.rate(rate) * field.whole(d);
  });
}

namespace {

/// A jump over up to this many candidates is one decision. For a longer one, doubles would leave
/// the integer open too often, so it is composed of digits in base 2^20.
constexpr std::uint64_t most_direct = std::uint64_t{1} << 22U;
constexpr unsigned digit_bits = 20;

}  // namespace

// The enclosure of -ln(1 - e^(-rate d)), from a small cache with one entry per hash value. It is
// computed from the two doubles of the rate alone, so it serves every rate with the same two.
const ExactNoise::Decay& ExactNoise::decay_of(const Rate& rate, Distance d) {
  Decay& kept = decays_[static_cast<std::size_t>((d ^ (d >> 7U)) % decays_.size())];
  if (kept.distance != d || kept.rate_low != rate.lower() || kept.rate_high != rate.upper()) {
    using Field = detail::DoubleField;
    const detail::DoubleEnclosure y = Field::minus_log1m_exp(Field::rate(rate) * Field::whole(d));
    kept = {d, rate.lower(), rate.upper(), y.lo, y.hi};
  }
  return kept;
}

// The number of failures K is geometric: P(K >= n) = e^(-n L) with L = -ln(1 - e^(-rate d)). In
// base B = 2^20 its digits are independent. The leading part floor(K / B^l) is geometric with B^l L
// in place of L. A lower digit is geometric too, given that it is below B (docs/proofs/samplers.md,
// "Skips").
std::uint64_t ExactNoise::skips(const Rate& rate, Distance d, std::uint64_t limit) {
  if (d == 0 || limit == 0) {
    return 0;
  }
  // B^level L, from the cache in doubles.
  const auto decay = [&]<class Field>(const Field& field, unsigned level) {
    if constexpr (std::is_same_v<Field, detail::DoubleField>) {
      const Decay& kept = decay_of(rate, d);
      const detail::DoubleEnclosure slow{kept.low, kept.high};
      return level == 0 ? slow : field.whole(Distance{1} << (digit_bits * level)) * slow;
    } else {
      return field.whole(Distance{1} << (digit_bits * level)) *
             field.minus_log1m_exp(field.rate(rate) * field.whole(d));
    }
  };
  unsigned level = 0;
  while ((limit >> (digit_bits * level)) > most_direct) {
    ++level;
  }
  // One more than the leading part of the limit: from there on K exceeds the limit with any digits.
  const std::uint64_t most = level == 0 ? limit : (limit >> (digit_bits * level)) + 1;
  const std::uint64_t first = Decision(*this).floor(
      [&](const auto& field, const auto& u) {
        return detail::minus_log(field, u) / decay(field, level);
      },
      most);
  Distance result = Distance{first} << (digit_bits * level);
  while (level > 0 && result < limit) {
    --level;
    // The inverse of P(digit < n) = (1 - e^(-n y)) / (1 - e^(-B y)), y = B^level L.
    const std::uint64_t digit = Decision(*this).floor(
        [&](const auto& field, const auto& u) {
          const auto y = decay(field, level);
          return field.minus_log1m(
                     u * field.one_minus_exp(field.whole(Distance{1} << digit_bits) * y)) /
                 y;
        },
        (std::uint64_t{1} << digit_bits) - 1);
    result += Distance{digit} << (digit_bits * level);
  }
  return static_cast<std::uint64_t>(std::min<Distance>(result, limit));
}

// U < 1 / (1 + x) if and only if 1 - U - U x > 0 (docs/proofs/samplers.md, "The upper side").
bool ExactNoise::above_zero(const Rate& rate) {
  return Decision(*this).positive([&](const auto& field, const auto& u) {
    return field.whole(1) - u - u * field.exp_minus(field.rate(rate));
  });
}

// The first i with S_i > U S_n has probability W_i / S_n (docs/proofs/samplers.md, "Choice of the
// exponential mechanism").
std::size_t ExactNoise::choose(const Rate& rate, std::span<const WeightedValue> values) {
  return Decision(*this).choice(
      [&](const auto& field) { return detail::cumulative_weights(field, rate, values); });
}

// Inverts P(gap >= g | chosen), equation (2) of docs/proofs/samplers.md. One decision and no
// rejection loop, whose length would reveal the probability of the choice through the running time.
std::int64_t ExactNoise::lead(const Rate& rate, std::span<const WeightedValue> values,
                              std::size_t chosen, const Rate& gap_rate) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62U;
  const detail::Race race = detail::race(rate, values, chosen);
  return static_cast<std::int64_t>(Decision(*this).floor(
      [&](const auto& field, const auto& u) {
        return detail::gap(field, race, detail::sum_of_others(field, race), u) /
               field.rate(gap_rate);
      },
      most));
}

namespace {

/// Single candidates, for formulas that take multiplicities.
std::vector<WeightedValue> singles(std::span<const std::int64_t> ticks) {
  std::vector<WeightedValue> values;
  values.reserve(ticks.size());
  for (const std::int64_t value : ticks) {
    values.push_back({value, 1});
  }
  return values;
}

}  // namespace

// docs/proofs/samplers.md, "The same with constant work".
std::size_t ExactNoise::choose_constant_work(const Rate& rate,
                                             std::span<const std::int64_t> ticks) {
  return Decision(*this).choice(detail::FixedWeights(rate, ticks), [&](const auto& field) {
    return detail::cumulative_weights(field, rate, singles(ticks));
  });
}

std::int64_t ExactNoise::lead_constant_work(const Rate& rate, std::span<const std::int64_t> ticks,
                                            std::size_t chosen, const Rate& gap_rate) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62U;
  const detail::FixedGap fixed(rate, ticks, chosen);
  return static_cast<std::int64_t>(Decision(*this).floor(
      [&]<class Field>(const Field& field, const auto& u) {
        if constexpr (std::is_same_v<Field, detail::DoubleField>) {
          return fixed.gap(u) / field.rate(gap_rate);
        } else {
          const detail::Race race = detail::race(rate, singles(ticks), chosen);
          return detail::gap(field, race, detail::sum_of_others(field, race), u) /
                 field.rate(gap_rate);
        }
      },
      most));
}

}  // namespace freegap
