// Arbitrary bytes as arguments of the library: mostly plausible, sometimes extreme, often invalid.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/rational.hpp"
#include "noise/scripted_bits.hpp"

namespace freegap::fuzz {

/// Candidates together with the data they are a view of.
struct OwnedCandidates {
  std::vector<std::int64_t> whole;       ///< answers, if they are whole
  std::vector<double> real;              ///< answers, if they are real
  std::vector<std::int64_t> ids;         ///< or multiplicities
  std::optional<Candidates> candidates;  ///< the view
};

/// Reads arguments from a string of bytes. After its end, everything is zero.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool flag() { return bytes_.ConsumeBool(); }
  std::size_t up_to(std::size_t most) {
    return bytes_.ConsumeIntegralInRange<std::size_t>(0, most);
  }
  std::string text(std::size_t longest) { return bytes_.ConsumeRandomLengthString(longest); }

  /// Small, near a limit, or anything.
  std::int64_t whole() {
    switch (up_to(4)) {
      case 0:
        return static_cast<std::int64_t>(up_to(20)) - 4;
      case 1:
        return static_cast<std::int64_t>(up_to(100'000));
      case 2:
        return std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(up_to(3));
      case 3:
        return std::numeric_limits<std::int64_t>::min() + static_cast<std::int64_t>(up_to(3));
      default:
        return bytes_.ConsumeIntegral<std::int64_t>();
    }
  }
  /// The same for reals; also NaN and infinities.
  double real() {
    switch (up_to(3)) {
      case 0:
        return static_cast<double>(whole()) / 8;
      case 1:
        return bytes_.ConsumeFloatingPointInRange(-100.0, 100.0);
      default:
        return bytes_.ConsumeFloatingPoint<double>();
    }
  }
  /// Any sign; a fraction, a power of two or a decimal.
  Rational rational() {
    switch (up_to(3)) {
      case 0:
        return {static_cast<std::int64_t>(up_to(40)), static_cast<std::int64_t>(up_to(19)) + 1};
      case 1:
        return Rational::power_of_two(static_cast<int>(up_to(160)) - 80);
      case 2:
        return Rational(whole()) / Rational(static_cast<std::int64_t>(up_to(1'000'000)) + 1);
      default:
        return Rational::exactly(bytes_.ConsumeFloatingPointInRange(-1e6, 1e6));
    }
  }
  /// Nothing, or any rational.
  std::optional<Rational> maybe_rational() {
    return flag() ? std::optional(rational()) : std::nullopt;
  }
  /// Throws InvalidParameter for budgets out of range.
  Epsilon epsilon() { return Epsilon(rational()); }
  /// Small, or near the end of the range.
  std::uint64_t number() { return flag() ? up_to(40) : static_cast<std::uint64_t>(whole()); }
  Distribution distribution() { return static_cast<Distribution>(up_to(2)); }
  Neighbours neighbours() { return flag() ? Neighbours::add_remove : Neighbours::replace; }
  Kind kind() { return flag() ? Kind::counts : Kind::general; }

  std::vector<std::int64_t> wholes(std::size_t most) {
    std::vector<std::int64_t> values(up_to(most));
    for (std::int64_t& value : values) {
      value = whole();
    }
    return values;
  }
  std::vector<double> reals(std::size_t most) {
    std::vector<double> values(up_to(most));
    for (double& value : values) {
      value = real();
    }
    return values;
  }

  /// Candidates of any shape. Throws InvalidParameter if the library refuses them.
  std::unique_ptr<OwnedCandidates> candidates(std::size_t most) {
    auto owned = std::make_unique<OwnedCandidates>();
    OwnedCandidates& o = *owned;
    const Queries queries{kind(), neighbours(), flag() ? Rational(1) : rational()};
    const std::size_t shape = up_to(4);
    if (shape == 4) {
      o.whole = wholes(most);
      o.ids = wholes(most);
      const Universe universe{whole(), whole()};
      o.ids.resize(o.whole.size());
      o.candidates =
          Candidates::universe(universe, o.ids, o.whole, queries.neighbours, queries.sensitivity);
      return owned;
    }
    const bool reals_wanted = flag();
    if (reals_wanted) {
      o.real = reals(most);
    } else {
      o.whole = wholes(most);
    }
    const Answers answers = reals_wanted ? Answers(std::span<const double>(o.real))
                                         : Answers(std::span<const std::int64_t>(o.whole));
    if (shape == 3) {
      o.ids = wholes(most);
      o.ids.resize(answers.size());
      o.candidates = Candidates::grouped(answers, o.ids, queries);
    } else if (queries.kind == Kind::counts) {
      o.candidates = Candidates::growing(answers, queries.neighbours, queries.sensitivity);
    } else {
      o.candidates = Candidates::general(answers, queries.neighbours, queries.sensitivity);
    }
    return owned;
  }

  /// Items nobody listed, as a list or in groups; there may be none. Throws InvalidParameter if the
  /// library refuses them.
  std::unique_ptr<OwnedCandidates> unknown_items(std::size_t most) {
    auto owned = std::make_unique<OwnedCandidates>();
    owned->whole = wholes(most);
    const std::uint64_t max_items = number();
    if (flag()) {
      owned->candidates = Candidates::unknown(owned->whole, max_items);
    } else {
      owned->ids = wholes(most);
      owned->ids.resize(owned->whole.size());
      owned->candidates = Candidates::unknown_grouped(owned->whole, owned->ids, max_items);
    }
    return owned;
  }

  /// A few words from the input, then fixed pseudo-random ones. Counts the words drawn.
  testing::ScriptedBits bits() {
    std::vector<std::uint64_t> words(up_to(8));
    for (std::uint64_t& word : words) {
      word = flag() ? bytes_.ConsumeIntegral<std::uint64_t>() : (flag() ? 0 : ~std::uint64_t{0});
    }
    return {std::move(words), up_to(1000)};
  }

 private:
  FuzzedDataProvider bytes_;
};

}  // namespace freegap::fuzz
