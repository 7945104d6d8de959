#pragma once

/// @file
/// Exact integer noise. A mechanism is a template over its noise source: the same code runs on the
/// cryptographic stream in production, on recorded integers in a replay, and over all short tapes
/// in an enumeration. The distributions here are exact (docs/proofs/samplers.md; tests/noise).

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "freegap/bits.hpp"
#include "freegap/distribution.hpp"
#include "freegap/rate.hpp"

namespace freegap {

/// Distances in ticks can exceed 64 bits.
__extension__ using Distance = unsigned __int128;

/// What a mechanism draws. A tape implements just this.
template <class Source>
concept NoiseSource = requires(Source& source, const Rate& rate, std::uint64_t n) {
  /// P(N = m) = (1 - x) x^m for m >= 0, x = exp(-rate).
  { source.geometric(rate) } -> std::same_as<std::int64_t>;
  /// P(N = m) = (1 - x) / (1 + x) x^|m| for all integers m.
  { source.laplace(rate) } -> std::same_as<std::int64_t>;
  /// Uniform on 0 .. n-1.
  { source.below(n) } -> std::same_as<std::uint64_t>;
  /// 64 uniform bits, to break ties.
  { source.key() } -> std::same_as<std::uint64_t>;
};

/// One draw of a distribution, in ticks.
template <NoiseSource Source>
std::int64_t draw(Distribution distribution, const Rate& rate, Source& noise) {
  return two_sided(distribution) ? noise.laplace(rate) : noise.geometric(rate);
}

/// What a scan draws besides, in order to pass over candidates without drawing noise for each.
template <class Source>
concept SkippingSource = NoiseSource<Source> &&
    requires(Source& source, const Rate& rate, Distance d, std::uint64_t n) {
  /// Failures before the first success of probability exp(-rate * d), or n if that is less.
  { source.skips(rate, d, n) } -> std::same_as<std::uint64_t>;
  /// True with probability 1 / (1 + exp(-rate)).
  { source.above_zero(rate) } -> std::same_as<bool>;
};

/// A utility and how many candidates share it.
struct WeightedValue {
  std::int64_t ticks = 0;          ///< the utility
  std::uint64_t multiplicity = 0;  ///< how many candidates have it
};

/// What the exponential mechanism draws.
template <class Source>
concept ChoosingSource = requires(Source& source, const Rate& rate,
                                  std::span<const WeightedValue> values, std::size_t i,
                                  std::uint64_t n) {
  /// i with probability proportional to multiplicity * exp(rate * ticks).
  { source.choose(rate, values) } -> std::same_as<std::size_t>;
  /// Gap of the chosen candidate, floored to multiples of the second rate's exponent.
  { source.lead(rate, values, i, rate) } -> std::same_as<std::int64_t>;
  /// Uniform on 0 .. n-1.
  { source.below(n) } -> std::same_as<std::uint64_t>;
};

/// What the exponential mechanism draws where its work must not depend on the utilities.
template <class Source>
concept ConstantWorkChoosingSource = ChoosingSource<Source> &&
    requires(Source& source, const Rate& rate, std::span<const std::int64_t> ticks, std::size_t i) {
  /// i with probability proportional to exp(rate * ticks).
  { source.choose_constant_work(rate, ticks) } -> std::same_as<std::size_t>;
  /// Gap of the chosen candidate, floored to multiples of the second rate's exponent.
  { source.lead_constant_work(rate, ticks, i, rate) } -> std::same_as<std::int64_t>;
};

/// Exact samplers on a stream of bits. Each is a monotone function of a uniform number whose bits
/// are drawn on demand: it is enclosed in doubles with a proven bound, and where the enclosure does
/// not settle the integer, in MPFR intervals with ever more bits until it does.
class ExactNoise {
 public:
  /// Draws from `bits`, which must outlive this object. Throws MachineFault unless floating-point
  /// arithmetic rounds to nearest, as the proofs of the enclosures assume; the caller must leave it
  /// so.
  explicit ExactNoise(BitStream& bits);

  /// P(N = m) = (1 - x) x^m for m >= 0, x = exp(-rate).
  std::int64_t geometric(const Rate& rate);
  /// P(N = m) = (1 - x) / (1 + x) x^|m| for all integers m.
  std::int64_t laplace(const Rate& rate);
  /// As many independent draws of `geometric(rate)` as `out` holds, in vectors: about a nanosecond
  /// each where noise spans up to some thousands of ticks, and never less exact.
  void geometric(const Rate& rate, std::span<std::int64_t> out);
  /// The same for `laplace(rate)`.
  void laplace(const Rate& rate, std::span<std::int64_t> out);
  /// Uniform on 0 .. n-1; n >= 1.
  std::uint64_t below(std::uint64_t n);
  /// 64 uniform bits.
  std::uint64_t key() { return bits_->word(); }
  /// True with probability exp(-rate * d).
  bool reaches(const Rate& rate, Distance d);
  /// Failures before the first success of probability exp(-rate * d), or `limit` if that is less.
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t limit);
  /// True with probability 1 / (1 + exp(-rate)).
  bool above_zero(const Rate& rate);
  /// i with probability proportional to multiplicity * exp(rate * ticks). `values` must hold at
  /// least one candidate.
  std::size_t choose(const Rate& rate, std::span<const WeightedValue> values);
  /// floor(gap / gap_rate) where gap is the distribution of (largest - second largest) of rate *
  /// ticks + Gumbel noise, given that a candidate of values[chosen] came first; at most 2^62. At
  /// least two candidates.
  std::int64_t lead(const Rate& rate, std::span<const WeightedValue> values, std::size_t chosen,
                    const Rate& gap_rate);

  /// `choose` among single candidates, with the same work whatever their utilities. At least one.
  std::size_t choose_constant_work(const Rate& rate, std::span<const std::int64_t> ticks);
  /// `lead` of one of at least two single candidates, with the same work whatever their utilities.
  std::int64_t lead_constant_work(const Rate& rate, std::span<const std::int64_t> ticks,
                                  std::size_t chosen, const Rate& gap_rate);

  /// Decisions taken so far, each on one uniform number.
  [[nodiscard]] std::uint64_t decisions() const { return decisions_; }
  /// How many of them doubles could not settle.
  [[nodiscard]] std::uint64_t refinements() const { return refinements_; }
  /// How many draws in bulk vectors could not settle, and doubles were asked.
  [[nodiscard]] std::uint64_t second_looks() const { return second_looks_; }

 protected:
  /// For tests: widens every enclosure in doubles by this much on both sides, which sends more
  /// decisions to MPFR and must not change any of them.
  void widen(double by) { widening_ = by; }

 private:
  friend class Decision;
  /// An enclosure of -ln(1 - e^(-rate distance)), kept because scans ask for few distances often.
  struct Decay {
    Distance distance = 0;
    double rate_low = 0;
    double rate_high = 0;
    double low = 0;
    double high = 0;
  };
  const Decay& decay_of(const Rate& rate, Distance d);
  void bulk(const Rate& rate, bool two_sided, std::span<std::int64_t> out);

  BitStream* bits_;
  std::array<Decay, 64> decays_;
  double widening_ = 0;
  std::uint64_t decisions_ = 0;
  std::uint64_t refinements_ = 0;
  std::uint64_t second_looks_ = 0;
};

namespace detail {
/// Owns a stream of bits, so that it is made before the noise that draws on it.
template <class Bits>
struct BitsHolder {
  Bits bits;  ///< the stream
};
}  // namespace detail

/// Exact noise from cryptographic bits: what a real release uses.
class SecureNoise final : private detail::BitsHolder<SecureBits>, public ExactNoise {
 public:
  /// Throws MachineFault where the system gives no key.
  SecureNoise() : ExactNoise(bits) {}
};

/// Exact noise from a seed, for simulation and tests. INSECURE: never for real people's data.
class InsecureSeededNoise final : private detail::BitsHolder<InsecureSeededBits>,
                                  public ExactNoise {
 public:
  /// The same seed gives the same noise.
  explicit InsecureSeededNoise(std::uint64_t seed)
      : detail::BitsHolder<InsecureSeededBits>{InsecureSeededBits(seed)}, ExactNoise(bits) {}
};

}  // namespace freegap
