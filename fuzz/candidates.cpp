// Any candidates: refused exactly where they should be, or a set that blocks and items agree on.

#include "freegap/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "freegap/detail/core/answers.hpp"
#include "freegap/detail/core/candidate_access.hpp"
#include "freegap/errors.hpp"
#include "fuzz/input.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace freegap;
using fuzz::Input;
using fuzz::require;

__extension__ using Wide = __int128;
constexpr Wide most_candidates = Wide{1} << 63U;

/// Blocks show each candidate once; items, answers and bounds agree.
void require_consistent(const Candidates& candidates, const Grid& grid) {
  std::set<std::pair<std::int64_t, std::uint64_t>> seen;
  const Answers list = detail::CandidateAccess(candidates).listed();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Item item = detail::CandidateAccess(candidates).listed_item(i);
    require(candidates.contains(item), "an item of the list is a candidate");
    require(seen.emplace(item.id, item.member).second, "the list does not repeat itself");
    require(detail::CandidateAccess(candidates).ticks(item, grid) == detail::ticks(list, i, grid),
            "list and candidates agree");
  }
  Wide total = list.size();
  detail::CandidateAccess(candidates)
      .for_each_run(7, grid, [&](const detail::CandidateAccess::Run& block) {
        require(block.size() > 0, "no block is empty");
        total += block.size();
        const std::uint64_t step = std::max<std::uint64_t>(1, block.size() / 50);
        for (Wide i = 0; i < Wide{block.size()}; i += step) {
          const auto offset = static_cast<std::uint64_t>(i);
          const Item item = block.item(offset);
          require(candidates.contains(item), "an item of a block is a candidate");
          require(seen.emplace(item.id, item.member).second, "blocks do not overlap");
          const std::int64_t ticks = block.ticks(offset);
          require(detail::CandidateAccess(candidates).ticks(item, grid) == ticks,
                  "a block and the candidates agree");
          require(block.constant() ? ticks == block.max_ticks() : ticks <= block.max_ticks(),
                  "no answer of a block is above its bound");
        }
      });
  require(total == Wide{candidates.size()}, "blocks hold all candidates");
}

template <class Make>
void require_refused(bool refused, const Make& make, const Grid& grid) {
  try {
    const Candidates candidates = make();
    require(!refused, "what is invalid is refused");
    require_consistent(candidates, grid);
  } catch (const InvalidParameter&) {
    require(refused, "what is valid is accepted");
  }
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void dense(Input& input, const Rational& sensitivity, const Grid& grid) {
  const Neighbours neighbours = input.neighbours();
  if (input.flag()) {
    const std::vector<double> values = input.reals(600);
    require_refused(
        values.empty() || !finite(values) || sensitivity.sign() <= 0,
        [&] {
          return Candidates::general(std::span<const double>(values), neighbours, sensitivity);
        },
        grid);
    return;
  }
  const std::vector<std::int64_t> values = input.wholes(600);
  require_refused(
      values.empty() || sensitivity.sign() <= 0,
      [&] { return Candidates::counting(values, neighbours, sensitivity); }, grid);
}

void grouped(Input& input, const Rational& sensitivity, const Grid& grid) {
  const std::vector<double> values = input.reals(20);
  std::vector<std::int64_t> multiplicities = input.wholes(20);
  if (input.flag()) {
    multiplicities.resize(values.size());
  }
  Wide total = 0;
  bool refused =
      !finite(values) || values.size() != multiplicities.size() || sensitivity.sign() <= 0;
  for (const std::int64_t multiplicity : multiplicities) {
    refused = refused || multiplicity < 0;
    total += multiplicity;
  }
  const Queries queries{input.kind(), input.neighbours(), sensitivity};
  require_refused(
      refused || total == 0 || total > most_candidates,
      [&] { return Candidates::grouped(std::span<const double>(values), multiplicities, queries); },
      grid);
}

void universe(Input& input, const Rational& sensitivity, const Grid& grid) {
  const Universe range{input.whole(), input.whole()};
  std::vector<std::int64_t> ids = input.wholes(20);
  const std::vector<std::int64_t> counts = input.wholes(20);
  if (input.flag()) {
    ids.resize(counts.size());
  }
  std::set<std::int64_t> listed;
  bool repeated = false;
  for (const std::int64_t id : ids) {
    if (id >= range.first && id <= range.last) {
      repeated = !listed.insert(id).second || repeated;
    }
  }
  const Wide size = Wide{range.last} - range.first + 1;
  require_refused(
      ids.size() != counts.size() || size <= 0 || size > most_candidates || repeated ||
          sensitivity.sign() <= 0,
      [&] { return Candidates::universe(range, ids, counts, input.neighbours(), sensitivity); },
      grid);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Rational sensitivity = input.rational();
  const Rational tick = Rational(1 + static_cast<std::int64_t>(input.up_to(1000)), 64);
  const Grid grid(tick, Rational(1));
  switch (input.up_to(2)) {
    case 0:
      dense(input, sensitivity, grid);
      break;
    case 1:
      grouped(input, sensitivity, grid);
      break;
    default:
      universe(input, sensitivity, grid);
  }
  return 0;
}
