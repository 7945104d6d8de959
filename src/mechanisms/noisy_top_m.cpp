#include "freegap/detail/mechanisms/noisy_top_m.hpp"

#include <algorithm>
#include <array>

#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/errors.hpp"

namespace freegap {

void check(const Work& work, const Candidates& candidates) {
  if (work.threads < 1 || work.threads > 1024) {
    throw InvalidParameter("threads", "they must be 1 to 1024");
  }
  if (work.constant && !candidates.dense()) {
    throw InvalidParameter("constant_work",
                           "it is for a plain list of candidates, one answer each");
  }
}

namespace {

using detail::CandidateAccess;
using detail::ValueCount;

/// Size times 2^(-eighths/8), about.
Distance shrunk(std::uint64_t size, std::uint64_t eighths) {
  constexpr std::array<std::uint64_t, 8> parts_of_256 = {256, 235, 215, 197, 181, 166, 152, 140};
  return ((Distance{size} * parts_of_256.at(eighths % 8)) >> 8U) >> (eighths / 8);
}

/// An answer that m candidates have at least, as far as piles tell.
std::int64_t common_ticks(std::vector<ValueCount> piles, std::size_t m) {
  std::sort(piles.begin(), piles.end(),
            [](const ValueCount& a, const ValueCount& b) { return a.ticks > b.ticks; });
  std::uint64_t seen = 0;
  for (const ValueCount& pile : piles) {
    seen += pile.size;
    if (seen >= m) {
      return pile.ticks;
    }
  }
  return piles.back().ticks;
}

/// Somewhat more than m, so that a level that so many reach on average is reached by fewer than m
/// only now and then; what it costs to find the rest is not much.
std::uint64_t enough(std::size_t m) {
  std::uint64_t root = 1;
  while (root * root < m) {
    ++root;
  }
  return m + 2 * root + 2;
}

}  // namespace

std::optional<Position> crowd_level(const Candidates& candidates, const Grid& grid,
                                    const BlockMaxima& maxima, std::span<const std::size_t> largest,
                                    std::size_t m, const TickNoise& distribution) {
  const CandidateAccess access(candidates);
  const std::vector<ValueCount> sample = access.sample(grid);
  std::int64_t common = INT64_MAX;
  if (largest.size() >= m) {
    for (const std::size_t i : largest) {
      common = std::min(common, maxima.ticks(i));
    }
  }
  if (candidates.size() > access.listed().size()) {
    const std::int64_t others = common_ticks(sample, m);
    common = largest.size() >= m ? std::max(common, others) : others;
  }
  const std::uint64_t half = distribution.rate().halving_ticks();
  const std::uint64_t wanted = enough(m) * (distribution.two_sided() ? 2 : 1);
  const auto level = [&](std::uint64_t eighths) {
    return distribution.at(common) + static_cast<Position>(Distance{half} * eighths / 8);
  };
  std::uint64_t peaks = 0;  // candidates that have the common answer or more, in different blocks
  const auto too_many = [&](std::uint64_t eighths) {
    Distance reach = 0;
    for (const ValueCount& pile : sample) {
      const auto below =
          static_cast<Distance>(level(eighths) - distribution.at(std::min(pile.ticks, common)));
      if (below < 64 * Distance{half}) {
        reach += shrunk(pile.size, static_cast<std::uint64_t>(8 * below) / half);
      }
    }
    return std::max(reach, shrunk(peaks, eighths)) > wanted;
  };
  if (!too_many(0)) {
    peaks = maxima.count_blocks_reaching(maxima.bound(common));
    if (!too_many(0)) {
      return std::nullopt;
    }
  }
  std::uint64_t low = 0;  // too many
  std::uint64_t high = 511;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (too_many(middle) ? low : high) = middle;
  }
  return level(high);
}

}  // namespace freegap
