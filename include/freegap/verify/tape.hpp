#pragma once

/// @file
/// Recorded noise. A mechanism that is a template over its noise source can be run on a tape of
/// integers, and run again on another tape. In this way its proof is checked on the code that is
/// shipped.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "freegap/bits.hpp"
#include "freegap/noise.hpp"
#include "freegap/rate.hpp"

namespace freegap::verify {

/// What kind of number was drawn.
enum class DrawKind : std::uint8_t {
  geometric,  ///< one-sided noise
  laplace,    ///< two-sided noise
  uniform,    ///< below a bound
  key         ///< for ties
};

/// One draw.
struct Draw {
  DrawKind kind = DrawKind::geometric;  ///< what was asked for
  std::shared_ptr<const Rational>
      rate;                ///< of noise: exponent per tick; shared, as tapes are copied
  std::int64_t value = 0;  ///< what was given

  /// Whether an alignment may move it.
  [[nodiscard]] bool noise() const {
    return kind == DrawKind::geometric || kind == DrawKind::laplace;
  }
};

/// Draws in the order in which they were asked for.
using Tape = std::vector<Draw>;

/// A run asked for other draws than the tape holds.
class TapeMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Values that noise might take. Alignments must hold for every tape, so values need not follow the
/// distribution: a mixture of tiny, common and huge ones finds more mistakes.
class TapeSource {
 public:
  /// The same seed gives the same tapes. For checks only: this is not noise for releases.
  explicit TapeSource(std::uint64_t insecure_seed) : bits_(insecure_seed) {}

  /// Starts a new tape; chooses how wide its noise is.
  void begin() { style_ = below(4); }
  /// A value of one-sided noise.
  std::int64_t one_sided(const Rate& rate);
  /// A value of two-sided noise.
  std::int64_t two_sided(const Rate& rate);
  /// About uniform on 0 .. n-1.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((Distance{bits_.word()} * n) >> 64U);
  }
  /// 64 random bits.
  std::uint64_t key() { return bits_.word(); }
  /// The exponent of a rate; equal ones are shared, as far as they are remembered.
  const std::shared_ptr<const Rational>& share(const Rational& exponent);

 private:
  InsecureSeededBits bits_;
  std::uint64_t style_ = 0;
  std::vector<std::shared_ptr<const Rational>> exponents_;
};

/// A noise source that takes values from a TapeSource and records them.
class RecordingNoise {
 public:
  /// Both must outlive this object.
  RecordingNoise(TapeSource& source, Tape& tape) : source_(&source), tape_(&tape) {}

  /// One-sided noise.
  std::int64_t geometric(const Rate& rate) {
    return record(DrawKind::geometric, source_->share(rate.exponent()), source_->one_sided(rate));
  }
  /// Two-sided noise.
  std::int64_t laplace(const Rate& rate) {
    return record(DrawKind::laplace, source_->share(rate.exponent()), source_->two_sided(rate));
  }
  /// Uniform on 0 .. n-1.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(
        record(DrawKind::uniform, {}, static_cast<std::int64_t>(source_->below(n))));
  }
  /// 64 uniform bits.
  std::uint64_t key() {
    return static_cast<std::uint64_t>(
        record(DrawKind::key, {}, static_cast<std::int64_t>(source_->key())));
  }

 private:
  std::int64_t record(DrawKind kind, const std::shared_ptr<const Rational>& rate,
                      std::int64_t value) {
    tape_->push_back({kind, rate, value});
    return value;
  }

  TapeSource* source_;
  Tape* tape_;
};

/// A noise source that plays a tape. Throws TapeMismatch where the run asks for something else.
class ReplayedNoise {
 public:
  /// `tape` must outlive this object.
  explicit ReplayedNoise(const Tape& tape) : tape_(&tape) {}

  /// One-sided noise.
  std::int64_t geometric(const Rate& rate) { return play(DrawKind::geometric, &rate.exponent()); }
  /// Two-sided noise.
  std::int64_t laplace(const Rate& rate) { return play(DrawKind::laplace, &rate.exponent()); }
  /// Uniform on 0 .. n-1.
  std::uint64_t below(std::uint64_t n) {
    const auto value = static_cast<std::uint64_t>(play(DrawKind::uniform, nullptr));
    if (value >= n) {
      throw TapeMismatch("a uniform draw is beyond its bound");
    }
    return value;
  }
  /// 64 uniform bits.
  std::uint64_t key() { return static_cast<std::uint64_t>(play(DrawKind::key, nullptr)); }
  /// Whether the whole tape was asked for.
  [[nodiscard]] bool used_up() const { return next_ == tape_->size(); }

 private:
  std::int64_t play(DrawKind kind, const Rational* rate) {
    if (next_ == tape_->size()) {
      throw TapeMismatch("the run asks for more draws than the tape holds");
    }
    const Draw& draw = (*tape_)[next_++];
    if (draw.kind != kind || (rate != nullptr && (!draw.rate || *draw.rate != *rate))) {
      throw TapeMismatch("draw number " + std::to_string(next_) + " is of another kind");
    }
    return draw.value;
  }

  const Tape* tape_;
  std::size_t next_ = 0;
};

}  // namespace freegap::verify
