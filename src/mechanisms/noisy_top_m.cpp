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

using Pile = Candidates::Pile;

/// Size times 2^(-eighths/8), about.
Distance shrunk(std::uint64_t size, std::uint64_t eighths) {
  constexpr std::array<std::uint64_t, 8> parts_of_256 = {256, 235, 215, 197, 181, 166, 152, 140};
  return ((Distance{size} * parts_of_256.at(eighths % 8)) >> 8U) >> (eighths / 8);
}

/// An answer that m candidates have at least, as far as piles tell.
std::int64_t common_ticks(std::vector<Pile> piles, std::size_t m) {
  std::sort(piles.begin(), piles.end(),
            [](const Pile& a, const Pile& b) { return a.ticks > b.ticks; });
  std::uint64_t seen = 0;
  for (const Pile& pile : piles) {
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

// Peaks that are about as high as each other are all near the bar, and what is below them is not:
// blocks need not be opened where the second largest is known. Looks at few blocks, and at one
// where it is not like that.
BlockSizes block_sizes(const Answers& list, const Grid& grid, std::size_t m,
                       const TickNoise& distribution) {
  const BlockSizes usual = BlockSizes::for_top_m(list.size(), m);
  const BlockSizes peaks = BlockSizes::for_peaks();
  constexpr std::size_t looks = 4;
  const bool too_few = list.size() < std::max(looks * peaks.fan, 4 * m) * peaks.block;
  if (usual.second || too_few) {
    return usual;
  }
  const Position far = static_cast<Position>(distribution.rate().halving_ticks()) *
                       static_cast<Position>(SkipSizes::for_count(list.size()).last);
  const auto position = [&](std::int64_t found) {
    return distribution.at(list.whole() ? grid.floor_ticks(found) : found);
  };
  std::optional<Position> first_peak;
  for (std::size_t i = 0; i < looks; ++i) {
    const std::size_t first = list.size() / looks * i;
    std::int64_t most = 0;
    std::int64_t next = 0;
    list.part(first, first + peaks.block)
        .peaks(peaks.block, grid, std::span(&most, 1), std::span(&next, 1));
    const Position peak = position(most);
    const Position level = first_peak.value_or(peak);
    if (peak - position(next) <= far || peak > level + far / 2 || peak < level - far / 2) {
      return usual;
    }
    first_peak = level;
  }
  return peaks;
}

std::optional<Position> crowd_level(const Candidates& candidates, const Grid& grid,
                                    const BlockMaxima& maxima, std::span<const std::size_t> largest,
                                    std::size_t m, const TickNoise& distribution) {
  const std::vector<Pile> sample = candidates.sample(grid);
  std::int64_t common = INT64_MAX;
  if (largest.size() >= m) {
    for (const std::size_t i : largest) {
      common = std::min(common, maxima.ticks(i));
    }
  }
  if (candidates.size() > candidates.listed().size()) {
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
    for (const Pile& pile : sample) {
      const auto below =
          static_cast<Distance>(level(eighths) - distribution.at(std::min(pile.ticks, common)));
      if (below < 64 * Distance{half}) {
        reach += shrunk(pile.size, static_cast<std::uint64_t>(8 * below) / half);
      }
    }
    return std::max(reach, shrunk(peaks, eighths)) > wanted;
  };
  if (!too_many(0)) {
    peaks = maxima.count_blocks_from(common);
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
