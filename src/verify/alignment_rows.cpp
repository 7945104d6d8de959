#include "verify/alignment_rows.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "verify/small_settings.hpp"

namespace freegap::verify {
namespace {

template <class T, std::size_t n>
const T& any_of(const std::array<T, n>& choices, TapeSource& tapes) {
  return choices[tapes.below(n)];
}

}  // namespace

RandomSetting random_setting(const RowKind& row, TapeSource& tapes) {
  static const std::array<Rational, 6> epsilons{Rational(1, 10), Rational(1, 3), Rational(7, 10),
                                                Rational(1),     Rational(5, 2), Rational(12)};
  static const std::array<Rational, 4> sensitivities{1, 1, 3, Rational(5, 2)};
  static const std::array<Rational, 3> ticks{1, Rational(1, 4), 2};
  static const std::array<Rational, 3> shares{Rational(1, 2), Rational(1, 5), Rational(9, 10)};
  static const std::array<Rational, 4> thresholds{0, 5, -700, Rational(123, 10)};
  RandomSetting setting;
  setting.queries = {row.kind, Neighbours::add_remove, any_of(sensitivities, tapes)};
  setting.distribution = row.distribution;
  setting.epsilon = Epsilon(any_of(epsilons, tapes));
  if (tapes.below(2) == 0) {
    setting.theta = any_of(shares, tapes);
  }
  if (tapes.below(3) == 0) {
    setting.tick = any_of(ticks, tapes);
  }
  setting.threshold = any_of(thresholds, tapes);
  setting.n = 1 + tapes.below(8);
  return setting;
}

Candidates candidates_in(const RandomSetting& setting, const Answers& answers) {
  return candidates_of(answers, setting.queries.kind, setting.queries.sensitivity);
}

PlaceOrder random_order(std::uint64_t n, TapeSource& tapes) {
  std::vector<std::int64_t> places(n + 1);
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[tapes.below(i)]);
  }
  return PlaceOrder(std::move(places));
}

Row alignment_row(const std::string& mechanism, const std::string& variant, const RowKind& row,
                  const AlignmentReport& report) {
  Row result;
  result.mechanism = mechanism;
  result.variant = variant_of(variant, row.kind, row.distribution);
  result.replays = report.replays;
  result.alignment = report.worst_share.shown();
  result.problem = report.counterexample ? report.counterexample->str() : "";
  return result;
}

}  // namespace freegap::verify
