#include "verify/mechanisms/noisy_top_m.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "freegap/detail/mechanisms/candidates_on_grid.hpp"
#include "freegap/verify/privacy_loss.hpp"
#include "verify/mechanism_table.hpp"
#include "verify/small_candidates.hpp"
#include "verify/wrapped_noise.hpp"

namespace freegap::verify {
namespace {

std::vector<TopMCase> cases(bool longer) {
  TopMCases which{.lists = {{2}, {3, 0}, {1, 2, 1}, {0, 5, 0}, {0, 0, 0}, {0, 1, 2}, {2, 2, 0, 0}},
                  .ms = {2, 3},
                  .every_order = longer,
                  .one_sided_cut = 11,
                  .two_sided_cut = 8,
                  .more_for_short_lists = 2};
  if (longer) {
    which.lists.insert(which.lists.end(), {{0, 0},
                                           {0, 0, 0, 0},
                                           {3, 0, 0, 0},
                                           {0, 1, 2, 3},
                                           {1, 0, 1, 0},
                                           {4, 4, 5, 4},
                                           {7, 0, 1, 7}});
  }
  return all_cases(which);
}

template <class Wrap = Sound<SeriesNoise>>
TopMDistribution scan_distribution(const TopMCase& c, const Candidates& candidates,
                                   const Name& name, const detail::Work& work = {}) {
  const Grid grid(1, 1);
  return distribution_of_top_m(c, name, [&](SeriesNoise& noise, NamedOrder& order) {
    Wrap wrapped{noise};
    return detail::CandidatesOnGrid(candidates, grid, work).top_m(c.m, noise_of(c), wrapped, order);
  });
}

/// A list, with a mistake or another way to draw between the scan and its noise.
template <class Wrap>
TopMDistribution list_distribution(const TopMCase& c, const SmallCandidates& small) {
  return scan_distribution<Wrap>(c, small.dense(), SmallCandidates::dense_names());
}
constexpr detail::Work constant{.threads = 1, .constant = true};

/// Lists short enough for draws in bulk, which draw more.
std::vector<TopMCase> short_cases() {
  return all_cases({.lists = {{3, 0}, {1, 2, 1}, {0, 0, 0}},
                    .ms = {1, 2},
                    .every_order = false,
                    .one_sided_cut = 6,
                    .two_sided_cut = 5,
                    .more_for_short_lists = 0});
}

/// The candidates in two parts, each with its own top m; then all of those, ranked and cut.
TopMDistribution merged_distribution(const TopMCase& c) {
  const std::size_t half = c.counts.size() / 2;
  const std::span<const std::int64_t> all = c.counts;
  const Grid grid(1, 1);
  return distribution_of_top_m(
      c, SmallCandidates::dense_names(), [&](SeriesNoise& noise, NamedOrder& order) {
        std::vector<detail::NoisyCandidate> merged;
        for (const auto& [first, last] :
             {std::pair(std::size_t{0}, half), std::pair(half, all.size())}) {
          if (first == last) {
            continue;
          }
          const auto part = all.subspan(first, last - first);
          const auto shift = static_cast<int>(first);
          const auto named = [shift](const Item& item) {
            return static_cast<int>(item.id) + shift;
          };
          NamedOrder part_order(c.order, named);
          const Candidates candidates = Candidates::counting(part, Neighbours::add_remove);
          for (detail::NoisyCandidate& found : detail::CandidatesOnGrid(candidates, grid)
                                                   .top_m(c.m, noise_of(c), noise, part_order)) {
            found.item.id = named(found.item);
            merged.push_back(std::move(found));
          }
        }
        const detail::Ranking<NamedOrder> ranking(order, c.subticks);
        std::sort(merged.begin(), merged.end(),
                  [&](const detail::NoisyCandidate& a, const detail::NoisyCandidate& b) {
                    return ranking.better(a, b);
                  });
        merged.resize(std::min(c.m, merged.size()));
        return merged;
      });
}

/// The cases with their reference distributions, which all rows share: the first row that needs
/// them enumerates them.
class Reference {
 public:
  explicit Reference(std::vector<TopMCase> cases) : cases_(std::move(cases)) {}

  const std::vector<TopMCase>& all() { return cases_; }
  const TopMDistribution& of(std::size_t i) {
    std::call_once(once_, [this] {
      for (const TopMCase& c : cases_) {
        distributions_.push_back(reference_distribution(c));
      }
    });
    return distributions_[i];
  }

 private:
  std::vector<TopMCase> cases_;
  std::once_flag once_;
  std::vector<TopMDistribution> distributions_;
};

using DistributionOfWay = TopMDistribution (*)(const TopMCase& c, const SmallCandidates& small);

/// One way to find the noisy top m, on all cases.
RowTask row_of(const std::string& name, DistributionOfWay way,
               const std::shared_ptr<Reference>& reference) {
  return [=] {
    Row row;
    row.mechanism = "noisy top m";
    row.variant = name;
    row.same_distribution = true;
    for (std::size_t i = 0; i < reference->all().size() && row.same_distribution; ++i) {
      const TopMCase& c = reference->all()[i];
      if (way(c, SmallCandidates(c.counts)) != reference->of(i)) {
        row.same_distribution = false;
        row.problem = "the distribution differs from that of noise for every candidate: " + text(c);
      }
    }
    return row;
  };
}

/// A way with a mistake in it, which must be told from the reference.
BadVariantCheck mistake_in(const char* name, DistributionOfWay way) {
  return [=](const SuiteOptions& /*options*/) {
    for (const TopMCase& c : all_cases({.lists = {{1, 2, 1}, {0, 5, 0}, {3, 0}},
                             .ms = {1, 2},
                             .every_order = false,
                             .one_sided_cut = 5,
                             .two_sided_cut = 5,
                             .more_for_short_lists = 0})) {
      if (way(c, SmallCandidates(c.counts)) != reference_distribution(c)) {
        return BadRow{name, false, true, "another distribution: " + text(c)};
      }
    }
    return BadRow{name, false, false, ""};
  };
}

}  // namespace

std::string text(const TopMCase& c) {
  return std::string(two_sided(c.distribution) ? "two-sided" : "one-sided") + ", subticks " +
         std::to_string(c.subticks) + ", m " + std::to_string(c.m) + ", counts " + text(c.counts) +
         ", order " + text(Vector(c.order.begin(), c.order.end()));
}

std::vector<TopMCase> all_cases(const TopMCases& which) {
  std::vector<TopMCase> result;
  for (const auto& counts : which.lists) {
    std::vector<int> up;
    std::vector<int> mixed;  // neither the order of the list nor its reverse
    for (int i = 0; i < static_cast<int>(counts.size()); ++i) {
      up.push_back(i);
      mixed.insert(i % 2 == 0 ? mixed.begin() : mixed.end(), i);
    }
    std::vector<std::vector<int>> orders{mixed};
    if (which.every_order) {
      orders.insert(orders.end(), {up, std::vector<int>(up.rbegin(), up.rend())});
    }
    const std::uint64_t more = counts.size() < 4 ? which.more_for_short_lists : 0;
    for (const Distribution distribution : {Distribution::geometric, Distribution::laplace}) {
      const std::uint64_t cut =
          more + (two_sided(distribution) ? which.two_sided_cut : which.one_sided_cut);
      for (const std::int64_t subticks : {1, 2}) {
        for (const std::size_t m : which.ms) {
          for (const auto& order : orders) {
            result.push_back({counts, m, distribution, subticks, order, cut});
          }
        }
      }
    }
  }
  return result;
}

TopMDistribution reference_distribution(const TopMCase& c) {
  const PlainShape shape(c.counts);
  return distribution_of_top_m(c, SmallCandidates::dense_names(),
                               [&](SeriesNoise& noise, NamedOrder& order) {
                                 return shape.top_m(c.m, noise_of(c), noise, order);
                               });
}

MechanismChecks noisy_top_m_checks(bool longer) {
  const auto reference = std::make_shared<Reference>(cases(longer));
  const auto short_lists = std::make_shared<Reference>(short_cases());
  const auto row = [&](const std::string& name, DistributionOfWay way) {
    return row_of(name, way, reference);
  };
  const auto bulk_row = [&](const std::string& name, DistributionOfWay way) {
    return row_of(name, way, short_lists);
  };
  MechanismChecks checks;
  checks.enumerations = {
      row("dense list, skipping",
          [](const TopMCase& c, const SmallCandidates& small) {
            return scan_distribution(c, small.dense(), SmallCandidates::dense_names());
          }),
      row("groups of equal values",
          [](const TopMCase& c, const SmallCandidates& small) {
            return scan_distribution(c, small.grouped(), small.grouped_names());
          }),
      row("universe with implicit zeros",
          [](const TopMCase& c, const SmallCandidates& small) {
            return scan_distribution(c, small.universe(), SmallCandidates::universe_names());
          }),
      row("partial top m, merged",
          [](const TopMCase& c, const SmallCandidates&) { return merged_distribution(c); }),
      row("dense list, constant work",
          [](const TopMCase& c, const SmallCandidates& small) {
            return scan_distribution(c, small.dense(), SmallCandidates::dense_names(), constant);
          }),
      bulk_row("dense list, bulk draws", list_distribution<DrawsInBulk<SeriesNoise>>),
      bulk_row("dense list, constant work, bulk draws",
               [](const TopMCase& c, const SmallCandidates& small) {
                 return scan_distribution<DrawsInBulk<SeriesNoise>>(
                     c, small.dense(), SmallCandidates::dense_names(), constant);
               })};
  checks.bad_variants = {mistake_in("noisy top m: a skip forgets one candidate",
                                    list_distribution<OneForgotten<SeriesNoise>>),
                         mistake_in("noisy top m: a cutoff one too high",
                                    list_distribution<CutoffOneTooHigh<SeriesNoise>>),
                         mistake_in("noisy top m: nothing beyond the cutoff",
                                    list_distribution<NothingBeyondTheCutoff<SeriesNoise>>),
                         mistake_in("noisy top m: the lower side of two-sided noise forgotten",
                                    list_distribution<LowerSideForgotten<SeriesNoise>>),
                         mistake_in("noisy top m: noise drawn in bulk is used twice",
                                    list_distribution<SameInBulk<SeriesNoise>>)};
  return checks;
}

}  // namespace freegap::verify
