#include "verify/mechanisms/bulk_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "freegap/noise.hpp"
#include "verify/mechanism_table.hpp"

namespace freegap::verify {
namespace {

constexpr unsigned prefix_bits = 31;
constexpr std::uint32_t sign_bit = std::uint32_t{1} << prefix_bits;
/// Draws at once.
constexpr std::size_t batch = 4096;

/// What follows a prefix: the smallest bits and the largest, but for the end, so that no U is 0
/// or 1.
constexpr std::array<std::uint64_t, 2> continuations{1, ~std::uint64_t{1}};

/// Samples of 32 bits, a sign and a prefix each, two per word; then always the same word.
class PrefixBits final : public BitStream {
 public:
  PrefixBits(std::span<const std::uint32_t> samples, std::uint64_t behind)
      : samples_(samples), behind_(behind) {
    use(one_);
  }

 private:
  std::uint64_t next() {
    if (taken_ >= samples_.size()) {
      return behind_;
    }
    const std::uint64_t low = samples_[taken_];
    const std::uint64_t high = taken_ + 1 < samples_.size() ? samples_[taken_ + 1] : 0;
    taken_ += 2;
    return high << 32U | low;
  }
  void refill(Buffer& buffer) override {
    buffer.words[0] = next();
    buffer.available = 1;
  }
  void write(std::span<std::uint64_t> words) override {
    std::generate(words.begin(), words.end(), [this] { return next(); });
  }

  std::span<const std::uint32_t> samples_;
  std::uint64_t behind_;
  std::size_t taken_ = 0;
  Buffer one_{};
};

/// One word, then always the same.
class WordBits final : public BitStream {
 public:
  WordBits(std::uint64_t first, std::uint64_t behind) : first_(first), behind_(behind) {
    use(one_);
  }

 private:
  void refill(Buffer& buffer) override {
    buffer.words[0] = first_;
    buffer.available = 1;
    first_ = behind_;
  }

  std::uint64_t first_;
  std::uint64_t behind_;
  Buffer one_{};
};

/// The first 64 bits of U with this prefix and this continuation.
std::uint64_t first_bits(std::uint32_t prefix, std::uint64_t behind) {
  return std::uint64_t{prefix} << (64 - prefix_bits) | behind >> prefix_bits;
}

/// A single draw from U.
std::int64_t single(const Rate& rate, std::uint64_t first, std::uint64_t behind) {
  WordBits bits(first, behind);
  return ExactNoise(bits).geometric(rate);
}

/// The results of single draws, by prefix, for one continuation. Prefixes below 16 are drawn;
/// elsewhere the result follows from the boundaries between results.
class Singles {
 public:
  Singles(const Rate& rate, std::uint64_t behind) : rate_(&rate), behind_(behind) {
    // boundaries_[m] is the smallest prefix with a result of at most m.
    std::uint32_t above = sign_bit;
    while (above > drawn_prefixes) {
      const auto m = static_cast<std::int64_t>(boundaries_.size());
      // The boundary is about e^-rate times the last one: there first, elsewhere if not.
      const auto guess = static_cast<std::uint32_t>(above * std::exp(-rate.upper()));
      std::uint32_t low = std::max(guess, drawn_prefixes + beside) - beside;
      low = of(low) <= m ? drawn_prefixes : low;
      std::uint32_t high = std::min(guess + beside, above);
      high = high > low && of(high) <= m ? high : above;
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (of(middle) <= m) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      boundaries_.push_back(low);
      above = low;
    }
  }

  /// Smallest prefixes with a result of at most 0, 1, 2, ..., down to those that are drawn.
  [[nodiscard]] const std::vector<std::uint32_t>& boundaries() const { return boundaries_; }
  /// Prefixes below this are not covered by the boundaries.
  static constexpr std::uint32_t drawn_prefixes = 16;

  /// The result, drawn.
  [[nodiscard]] std::int64_t of(std::uint32_t prefix) const {
    return single(*rate_, first_bits(prefix, behind_), behind_);
  }
  /// The result, looked up. Quick where prefixes come in rising order.
  std::int64_t look_up(std::uint32_t prefix) {
    if (prefix < drawn_prefixes) {
      return of(prefix);
    }
    if (place_ >= boundaries_.size() || prefix < boundaries_[place_] ||
        (place_ > 0 && prefix >= boundaries_[place_ - 1])) {
      const auto found = std::lower_bound(boundaries_.rbegin(), boundaries_.rend(), prefix + 1);
      place_ = static_cast<std::size_t>(boundaries_.rend() - found);
    }
    return static_cast<std::int64_t>(place_);
  }

 private:
  static constexpr std::uint32_t beside = 8;

  const Rate* rate_;
  std::uint64_t behind_;
  std::vector<std::uint32_t> boundaries_;
  std::size_t place_ = 0;
};

/// Prefixes where a result changes, and some on either side.
std::vector<std::uint32_t> near(const Singles& singles) {
  constexpr std::uint32_t beside = 2;
  std::vector<std::uint32_t> prefixes;
  for (std::uint32_t v = 0; v < 4 * Singles::drawn_prefixes; ++v) {
    prefixes.push_back(v);
  }
  // NOLINTNEXTLINE(modernize-loop-convert): backwards
  for (auto at = singles.boundaries().rbegin(); at != singles.boundaries().rend(); ++at) {
    for (std::uint32_t v = std::max(*at, beside) - beside; v <= *at + beside; ++v) {
      if (v > prefixes.back() && v < sign_bit) {
        prefixes.push_back(v);
      }
    }
  }
  return prefixes;
}

/// Compares draws in bulk with single ones, a batch at a time.
class Comparison {
 public:
  Comparison(const BulkDraws& draws, const Rate& rate, bool two_sided, std::uint64_t behind)
      : draws_(&draws),
        rate_(&rate),
        two_sided_(two_sided),
        behind_(behind),
        singles_(rate, behind) {}

  [[nodiscard]] const Singles& singles() const { return singles_; }

  /// The first prefix whose draw differs.
  std::optional<std::string> of(std::span<const std::uint32_t> prefixes) {
    for (const bool negative : {false, true}) {
      if (negative && !two_sided_) {
        break;
      }
      samples_.assign(prefixes.begin(), prefixes.end());
      for (std::uint32_t& sample : samples_) {
        // Minus zero is drawn again, from other bits: a positive zero instead.
        sample |= negative && singles_.look_up(sample) > 0 ? sign_bit : 0;
      }
      drawn_.assign(prefixes.size(), 0);
      PrefixBits bits(samples_, behind_);
      (*draws_)(bits, *rate_, two_sided_, drawn_);
      for (std::size_t i = 0; i < drawn_.size(); ++i) {
        const std::int64_t size = singles_.look_up(prefixes[i]);
        const std::int64_t expected = (samples_[i] & sign_bit) != 0 ? -size : size;
        if (drawn_[i] != expected) {
          return "bits " + std::to_string(prefixes[i]) + ": " + std::to_string(drawn_[i]) +
                 " instead of " + std::to_string(expected);
        }
      }
    }
    return std::nullopt;
  }

 private:
  const BulkDraws* draws_;
  const Rate* rate_;
  bool two_sided_;
  std::uint64_t behind_;
  Singles singles_;
  std::vector<std::uint32_t> samples_;
  std::vector<std::int64_t> drawn_;
};

/// Rates from noise of a few ticks to thousands, as mechanisms use them.
constexpr std::array<std::array<std::int64_t, 2>, 4> rates{{{1, 1024}, {7, 5000}, {1, 3}, {2, 1}}};

RowTask row_of(bool two_sided, bool longer) {
  return [=] {
    Row row;
    row.mechanism = "noise";
    row.variant = std::string("bulk draws, ") + (two_sided ? "two-sided" : "one-sided");
    row.same_distribution = true;
    for (const auto& [numerator, denominator] : rates) {
      const Rational exponent(numerator, denominator);
      // Once all prefixes: two-sided draws look at them in the same way.
      const bool all = longer && !two_sided && denominator == 1024;
      const auto found = bulk_difference(shipped_bulk_draws, Rate(exponent), two_sided,
                                         all ? Prefixes::all : Prefixes::near_boundaries);
      if (found) {
        row.same_distribution = false;
        row.problem =
            "draws in bulk differ from single draws at rate " + exponent.str() + ": " + *found;
        break;
      }
    }
    return row;
  };
}

BadVariantCheck bad_of(const char* name, const BulkDraws& draws) {
  return [=](const SuiteOptions& /*options*/) {
    const auto found =
        bulk_difference(draws, Rate(Rational(1, 1024)), false, Prefixes::near_boundaries);
    return BadRow{name, false, found.has_value(), found.value_or("")};
  };
}

}  // namespace

void shipped_bulk_draws(BitStream& bits, const Rate& rate, bool two_sided,
                        std::span<std::int64_t> out) {
  ExactNoise noise(bits);
  if (two_sided) {
    noise.laplace(rate, out);
  } else {
    noise.geometric(rate, out);
  }
}

void prefix_alone(BitStream& bits, const Rate& rate, bool /*two_sided*/,
                  std::span<std::int64_t> out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const std::uint64_t two = bits.word();
    out[i] = single(rate, first_bits(static_cast<std::uint32_t>(two), 1), 1);
    if (i + 1 < out.size()) {
      out[i + 1] = single(rate, first_bits(static_cast<std::uint32_t>(two >> 32U), 1), 1);
    }
  }
}

void rounded_rate(BitStream& bits, const Rate& rate, bool two_sided, std::span<std::int64_t> out) {
  const Rational rounded = rate.exponent() * (Rational(1) + Rational::power_of_two(-20));
  shipped_bulk_draws(bits, Rate(rounded), two_sided, out);
}

std::optional<std::string> bulk_difference(const BulkDraws& draws, const Rate& rate, bool two_sided,
                                           Prefixes prefixes) {
  for (const std::uint64_t behind : continuations) {
    Comparison comparison(draws, rate, two_sided, behind);
    std::vector<std::uint32_t> tried =
        prefixes == Prefixes::all ? std::vector<std::uint32_t>() : near(comparison.singles());
    const std::size_t count = prefixes == Prefixes::all ? sign_bit : tried.size();
    std::vector<std::uint32_t> now;
    for (std::size_t first = 0; first < count; first += batch) {
      now.clear();
      for (std::size_t i = first; i < std::min(first + batch, count); ++i) {
        now.push_back(prefixes == Prefixes::all ? static_cast<std::uint32_t>(i) : tried[i]);
      }
      if (auto found = comparison.of(now)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

MechanismChecks bulk_noise_checks(bool longer) {
  MechanismChecks checks;
  checks.enumerations = {row_of(false, longer), row_of(true, longer)};
  checks.bad_variants = {bad_of("bulk noise: looks at the first 31 bits alone", prefix_alone),
                         bad_of("bulk noise: the rate has 20 bits", rounded_rate)};
  return checks;
}

}  // namespace freegap::verify
