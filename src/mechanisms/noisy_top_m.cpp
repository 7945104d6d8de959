#include "freegap/detail/mechanisms/noisy_top_m.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/errors.hpp"

namespace freegap::detail {

void check_constant_work(bool asked, const Candidates& candidates, std::uint64_t most) {
  if (asked && !candidates.dense() && candidates.size() > most) {
    throw InvalidParameter("constant_work",
                           "a universe or groups may then have at most " + std::to_string(most) +
                               " candidates, because noise is drawn for each; leave it out, or "
                               "declare a smaller universe");
  }
}

void check(const Work& work, const Candidates& candidates) {
  if (work.constant && candidates.unknown_items()) {
    throw InvalidParameter("constant_work",
                           "how many items occur is secret where nobody listed them, and work for "
                           "each of them shows it; leave it out");
  }
  if (work.threads < 1 || work.threads > 1024) {
    throw InvalidParameter("threads", "they must be 1 to 1024");
  }
  check_constant_work(work.constant, candidates, most_constant_work);
}

namespace {

/// size * 2^(-eighths/8), about: how many of `size` candidates reach a level that is `eighths`
/// eighths of a halving distance above them.
Distance reaching(std::uint64_t size, std::uint64_t eighths) {
  constexpr std::array<std::uint64_t, 8> parts_of_256 = {256, 235, 215, 197, 181, 166, 152, 140};
  return ((Distance{size} * parts_of_256.at(eighths % 8)) >> 8U) >> (eighths / 8);
}

/// The m-th largest answer, as far as a sample shows.
std::int64_t sampled_mth_largest(std::vector<ValueCount> sample, std::size_t m) {
  std::sort(sample.begin(), sample.end(),
            [](const ValueCount& a, const ValueCount& b) { return a.ticks > b.ticks; });
  std::uint64_t seen = 0;
  for (const ValueCount& value : sample) {
    seen += value.size;
    if (seen >= m) {
      return value.ticks;
    }
  }
  return sample.back().ticks;
}

/// The m-th largest answer: exactly where a list holds it, else as far as a sample shows.
std::int64_t mth_largest(const CandidateAccess& access, std::uint64_t candidates,
                         const BlockMaxima& maxima, std::span<const std::size_t> largest,
                         std::size_t m, const std::vector<ValueCount>& sample) {
  std::optional<std::int64_t> listed;
  if (largest.size() >= m) {
    listed = INT64_MAX;
    for (const std::size_t i : largest) {
      listed = std::min(*listed, maxima.ticks(i));
    }
  }
  if (candidates == access.listed().size()) {
    return listed.value_or(INT64_MAX);
  }
  const std::int64_t sampled = sampled_mth_largest(sample, m);
  return std::max(sampled, listed.value_or(sampled));
}

/// m + 2√m + 2: a level that so many reach on average is reached by fewer than m about once in a
/// hundred scans, and then the rest costs a second scan.
std::uint64_t enough(std::size_t m) {
  std::uint64_t root = 1;
  while (root * root < m) {
    ++root;
  }
  return m + 2 * root + 2;
}

}  // namespace

// The cutoff from the m largest answers alone is about the m-th largest answer. If far more than m
// candidates are likely to reach it, each of them would cost noise. The scan then starts from the
// lowest level that about `enough(m)` candidates reach. How many reach a level is judged by a
// sample of the list, which sees crowds, and by the number of blocks whose maximum reaches the m-th
// largest answer, which sees single large answers spread over many blocks. A misjudged level costs
// time: the distribution is right for every level (docs/proofs/noisy_top_m.md, "Levels").
std::optional<Position> crowd_level(const Candidates& candidates, const Grid& grid,
                                    const BlockMaxima& maxima, std::span<const std::size_t> largest,
                                    std::size_t m, const TickNoise& distribution) {
  const CandidateAccess access(candidates);
  const std::vector<ValueCount> sample = access.sample(grid);
  const std::int64_t base = mth_largest(access, candidates.size(), maxima, largest, m, sample);
  const std::uint64_t half = distribution.rate().halving_ticks();
  const std::uint64_t wanted = enough(m) * (distribution.two_sided() ? 2 : 1);
  const auto level = [&](std::uint64_t eighths) {
    return distribution.at(base) + static_cast<Position>(Distance{half} * eighths / 8);
  };
  std::uint64_t large_blocks = 0;  // blocks that reach the m-th largest answer
  const auto too_many = [&](std::uint64_t eighths) {
    Distance reach = 0;
    for (const ValueCount& value : sample) {
      const auto below =
          static_cast<Distance>(level(eighths) - distribution.at(std::min(value.ticks, base)));
      if (below < 64 * Distance{half}) {
        reach += reaching(value.size, static_cast<std::uint64_t>(8 * below) / half);
      }
    }
    return std::max(reach, reaching(large_blocks, eighths)) > wanted;
  };
  if (!too_many(0)) {
    large_blocks = maxima.count_blocks_reaching(maxima.bound(base));
    if (!too_many(0)) {
      return std::nullopt;
    }
  }
  std::uint64_t low = 0;  // too many reach it
  std::uint64_t high = 511;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (too_many(middle) ? low : high) = middle;
  }
  return level(high);
}

}  // namespace freegap::detail
