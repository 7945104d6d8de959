#pragma once

/// @file
/// The branches of a sparse vector with data-independent running time: every query draws noise for
/// every branch, and comparisons enter arithmetic alone. An answer above is public; what is done
/// about it may take its time (docs/proofs/constant_work.md, "Sparse vector";
/// tests/mechanisms/sparse_vector_distribution_test.cpp, constant_work_draws_test.cpp). Secret.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "freegap/detail/core/masks.hpp"
#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/tick_noise.hpp"
#include "freegap/noise.hpp"
#include "freegap/sparse_vector_plan.hpp"

namespace freegap::detail {

/// Noise of whole ticks, drawn ahead in bulk where the source can, so that the draws of a run of
/// queries cost the same whatever their answers.
template <NoiseSource Source>
class DrawnAhead {
 public:
  /// `noise` must outlive this object.
  DrawnAhead(const TickNoise& distribution, Source& noise)
      : distribution_(distribution), noise_(&noise) {}

  /// One draw.
  std::int64_t next() {
    const Rate& rate = distribution_.tick_rate();
    if constexpr (requires(std::span<std::int64_t> out) {
                    noise_->geometric(rate, out), noise_->laplace(rate, out);
                  }) {
      if (left_ == 0) {
        distribution_.two_sided() ? noise_->laplace(rate, ahead_.get())
                                  : noise_->geometric(rate, ahead_.get());
        left_ = ahead_.get().size();
      }
      return std::exchange(ahead_.get()[--left_], 0);  // used noise does not stay in memory
    } else {
      return distribution_.two_sided() ? noise_->laplace(rate) : noise_->geometric(rate);
    }
  }

 private:
  TickNoise distribution_;
  Source* noise_;
  Wiped<std::array<std::int64_t, 64>> ahead_;  // the first `left_` are unused
  std::size_t left_ = 0;
};

/// A query that passes, or that passes nothing.
struct PassedBranches {
  std::size_t branch;  ///< the first that it passes, or the number of branches
  Position noisy;      ///< its noisy answer there
};

/// The branches of a sparse vector, with noise for each of them and every query.
template <NoiseSource Source>
class ConstantWorkBranches {
 public:
  /// `plan` is that of the sparse vector, `threshold` its noisy threshold. `noise` must outlive
  /// this object.
  ConstantWorkBranches(const SparseVectorPlan& plan, std::int64_t threshold, Source& noise) {
    for (const SparseVectorPlan::Step& step : plan.steps) {
      branches_.push_back({Position{threshold} + step.pass_at, {step.noise, noise}});
    }
  }

  /// Tries a query on all branches, of which the first `open` count.
  PassedBranches ask(std::int64_t ticks, std::size_t open) {
    std::uint64_t first = branches_.size();
    Position noisy = 0;
    // The last branch first, so that the first one that passes is what remains.
    for (std::size_t b = branches_.size(); b-- > 0;) {
      const Position here = Position{ticks} + branches_[b].noise.next();
      const std::uint64_t passes = mask_of(here >= branches_[b].threshold) & mask_of(b < open);
      first = select(passes, std::uint64_t{b}, first);
      noisy = select(passes, here, noisy);
    }
    return {static_cast<std::size_t>(first), noisy};
  }

 private:
  struct Branch {
    Wiped<Position> threshold;
    DrawnAhead<Source> noise;
  };
  std::vector<Branch> branches_;
};

}  // namespace freegap::detail
