#pragma once

/// @file
/// A noise source that walks through all branches of a mechanism's tree of random choices, each
/// with its exact probability. The mechanism is the shipped template: it is run once for every
/// branch. The walk is depth first: a recorded path says which alternative each draw takes, and the
/// last draw that has alternatives left moves on.
///
/// Probabilities are formal in x = exp(-base), where every rate that occurs must be a whole
/// multiple of `base`. Branches of order above `cut` in x are left out; every draw has an
/// alternative of order 0, so what is kept is complete up to x^cut.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "freegap/noise.hpp"
#include "freegap/rate.hpp"
#include "freegap/rational.hpp"

namespace freegap::verify {

/// Satisfies SkippingSource. `Weight` is PowerSeries or IntervalAt.
template <class Weight>
class EnumeratingNoise {
 public:
  /// Rates are counted in units of `base`. `one` is the weight of certainty: 1, or for PowerSeries
  /// a common denominator of all weights where uniform draws occur.
  EnumeratingNoise(Rational base, Weight one, std::uint64_t cut)
      : base_(std::move(base)), one_(std::move(one)), cut_(cut) {}

  /// One-sided noise.
  std::int64_t geometric(const Rate& rate) {
    return pick([&](Alternatives& all) {
      const std::uint64_t r = units(rate);
      const Weight base = weight().times_one_minus_power(r);
      std::uint64_t m = 0;
      for (; r * m <= cut_; ++m) {
        all.push_back({static_cast<std::int64_t>(m), r * m, base.times_power(r * m)});
      }
      all.push_back({0, r * m, weight().times_power(r * m)});  // all beyond the cut: left out
    });
  }
  /// Two-sided noise.
  std::int64_t laplace(const Rate& rate) {
    return pick([&](Alternatives& all) {
      const std::uint64_t r = units(rate);
      const Weight base = weight().times_one_minus_power(r).over_one_plus_power(r);
      std::uint64_t m = 0;
      for (; r * m <= cut_; ++m) {
        const auto value = static_cast<std::int64_t>(m);
        all.push_back({value, r * m, base.times_power(r * m)});
        if (m > 0) {
          all.push_back({-value, r * m, base.times_power(r * m)});
        }
      }
      const Weight beyond = weight().over_one_plus_power(r).times_power(r * m);
      all.insert(all.end(), {{0, r * m, beyond}, {0, r * m, beyond}});  // on either side: left out
    });
  }
  /// Failures before the first success, at most `limit`.
  std::uint64_t skips(const Rate& rate, Distance d, std::uint64_t limit) {
    return static_cast<std::uint64_t>(pick([&](Alternatives& all) {
      const std::uint64_t e = units(rate, d);
      Weight failures = weight();
      for (std::uint64_t j = 0; j < limit; ++j) {
        all.push_back({static_cast<std::int64_t>(j), e, failures.times_power(e)});
        failures = failures.times_one_minus_power(e);
      }
      all.push_back({static_cast<std::int64_t>(limit), 0, failures});
    }));
  }
  /// Whether two-sided noise is at least zero.
  bool above_zero(const Rate& rate) {
    return pick([&](Alternatives& all) {
             const std::uint64_t r = units(rate);
             const Weight above = weight().over_one_plus_power(r);
             all.push_back({1, 0, above});
             all.push_back({0, r, above.times_power(r)});
           }) != 0;
  }
  /// Uniform on 0 .. n-1.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(pick([&](Alternatives& all) {
      for (std::uint64_t i = 0; i < n; ++i) {
        all.push_back({static_cast<std::int64_t>(i), 0, weight().over(n)});
      }
    }));
  }
  /// Throws: an enumeration needs a fixed order of ties.
  std::uint64_t key() { throw std::logic_error("enumeration: the order of ties must be fixed"); }

  /// Starts the next branch; false when all have been walked. Call it before each run.
  bool next() {
    if (std::exchange(started_, true)) {
      while (!path_.empty() && path_.back().taken + 1 == path_.back().all.size()) {
        path_.pop_back();
      }
      if (path_.empty()) {
        return false;
      }
      ++path_.back().taken;
    }
    depth_ = 0;
    return true;
  }
  /// Weight of the branch so far.
  [[nodiscard]] const Weight& weight() const {
    return depth_ == 0 ? one_ : path_[depth_ - 1].alternative().weight;
  }
  /// Draws of the branch so far.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// Weight of the branches that were left out so far: after the last run, of all of them. Nothing
  /// where none was.
  [[nodiscard]] const std::optional<Weight>& left_out() const { return left_out_; }

 private:
  struct Alternative {
    std::int64_t value;
    std::uint64_t order;  // of this draw when offered, of the branch once on the path
    Weight weight;        // of the branch
  };
  using Alternatives = std::vector<Alternative>;
  struct Node {
    Alternatives all;
    std::size_t taken = 0;
    [[nodiscard]] const Alternative& alternative() const { return all[taken]; }
  };

  template <class Offer>
  std::int64_t pick(const Offer& offer) {
    if (depth_ == path_.size()) {
      Node node;
      offer(node.all);
      const std::uint64_t so_far = depth_ == 0 ? 0 : path_[depth_ - 1].alternative().order;
      std::erase_if(node.all, [&](Alternative& a) {
        a.order += so_far;
        if (a.order > cut_) {
          leave_out(a.weight);
        }
        return a.order > cut_ || a.weight.vanishes();
      });
      if (node.all.empty()) {  // cannot be: probabilities sum to one
        throw std::logic_error("enumeration: a draw without alternatives");
      }
      path_.push_back(std::move(node));
    }
    return path_[depth_++].alternative().value;
  }

  void leave_out(const Weight& weight) {
    if (left_out_) {
      *left_out_ += weight;
    } else {
      left_out_ = weight;
    }
  }

  [[nodiscard]] std::uint64_t units(const Rate& rate, Distance times = 1) const {
    const Rational count = rate.exponent() / base_ * Rational(static_cast<std::uint64_t>(times));
    if (count.floor() != count.ceil() || count > Rational(1000000)) {
      throw std::logic_error("enumeration: a rate is no small multiple of the base");
    }
    return count.floor().get_ui();
  }

  Rational base_;
  Weight one_;
  std::uint64_t cut_;
  bool started_ = false;
  std::size_t depth_ = 0;
  std::vector<Node> path_;
  std::optional<Weight> left_out_;
};

/// The distribution of what `run(noise)` returns: outcome -> weight. Outcomes need an order.
template <class Weight, class Run>
auto distribution_of(EnumeratingNoise<Weight> noise, const Run& run) {
  std::map<decltype(run(noise)), Weight> distribution;
  while (noise.next()) {
    auto outcome = run(noise);
    const auto [place, fresh] = distribution.try_emplace(std::move(outcome), noise.weight());
    if (!fresh) {
      place->second += noise.weight();
    }
  }
  return distribution;
}

}  // namespace freegap::verify
