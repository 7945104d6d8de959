// Noise that is begun for everybody and finished for few: bounds by the first bits, tried for all
// of them; exactly the law of adding noise and sorting, by enumeration; the same leaders as sorting
// noise that is finished for everybody; and how many are finished.
#include "freegap/begun_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "freegap/all_noise.hpp"
#include "freegap/verify/enumerating_noise.hpp"
#include "freegap/verify/plain.hpp"
#include "freegap/verify/power_series.hpp"
#include "mechanisms/compared_leaders.hpp"
#include "noise/beginnings.hpp"
#include "noise/strings.hpp"
#include "support/law_check.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using verify::PlaceOrder;
using verify::PlainShape;
using verify::PowerSeries;

/// Beginnings of a noise that another source draws in full: those with which such a draw begins, a
/// different one for each candidate, or zero for draws of at least `unbounded`.
template <class Source>
class Begun {
 public:
  Begun(Source& noise, const Rate& rate, std::size_t size, std::int64_t unbounded)
      : noise_(&noise), rate_(&rate), size_(size), unbounded_(unbounded) {}

  std::int64_t geometric(const Rate& rate) { return noise_->geometric(rate); }
  std::int64_t laplace(const Rate& rate) { return noise_->laplace(rate); }
  std::uint64_t below(std::uint64_t n) { return noise_->below(n); }
  std::uint64_t key() { return noise_->key(); }

  void keys(std::span<std::uint64_t> words) {
    std::vector<std::uint64_t> filled(words.size(), UINT64_MAX);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::int64_t drawn = noise_->geometric(*rate_);
      if (drawn >= unbounded_) {
        put(filled, i, 0);
        zeros_.push_back(drawn);
        continue;
      }
      const double middle = 65536 * std::exp(-rate_->lower() * (static_cast<double>(drawn) + 0.5));
      const auto v = static_cast<std::uint16_t>(middle - static_cast<double>(i));
      if (!drawn_.emplace(v, drawn).second) {
        throw std::logic_error("two candidates begin alike");
      }
      put(filled, i, v);
    }
    std::copy(filled.begin(), filled.end(), words.begin());
  }
  std::int64_t finish(const Rate&, std::uint16_t v) {
    if (v == 0) {
      const std::int64_t drawn = zeros_.front();
      zeros_.pop_front();
      return drawn;
    }
    const std::int64_t drawn = drawn_.at(v);
    drawn_.erase(v);  // once only
    return drawn;
  }

 private:
  Source* noise_;
  const Rate* rate_;
  std::size_t size_;
  std::int64_t unbounded_;
  std::map<std::uint16_t, std::int64_t> drawn_;
  std::deque<std::int64_t> zeros_;  // by place, as the unbounded are looked at
};

/// The m best of those that are shown where none is finished in vain, in order.
template <class Source>
std::vector<Contender> leaders_of_shown(std::span<const std::int64_t> counts, std::size_t m,
                                        const TickNoise& law, Source& noise, PlaceOrder& order,
                                        std::size_t& shown) {
  const Grid grid(1, 1);
  std::vector<Contender> leaders;
  detail::BegunNoise<std::int64_t, Source>(counts, grid, law.rate(), noise)
      .finish(m, 0, [&](std::size_t place, std::int64_t value) {
        leaders.push_back({{static_cast<std::int64_t>(place), 0}, value, {}});
      });
  shown += leaders.size();
  const Ranking<PlaceOrder> ranking(order, 1);
  std::sort(leaders.begin(), leaders.end(),
            [&](const Contender& a, const Contender& b) { return ranking.better(a, b); });
  leaders.resize(std::min(m, leaders.size()));
  return leaders;
}

TEST(BegunNoise, HasThePlainLaw) {
  using Noise = verify::EnumeratingNoise<PowerSeries>;
  constexpr std::uint64_t cut = 9;
  const TickNoise law(Law::exponential, Rational(1, 2), 1);
  std::size_t compared = 0;
  std::size_t shown = 0;
  std::size_t candidates = 0;
  for (const std::vector<std::int64_t>& counts : std::vector<std::vector<std::int64_t>>{
           {2}, {0, 0}, {3, 0}, {1, 2, 1}, {0, 0, 0}, {0, 1, 2, 3}, {4, 4, 5, 4}}) {
    for (const std::size_t m : {1U, 2U, 3U, 5U}) {
      for (const std::int64_t unbounded : {0, 2, 100}) {
        PlaceOrder order({2, 0, 3, 1, 4});
        const auto law_of = [&](const auto& find) {
          return verify::law_of(Noise(law.rate().exponent(), PowerSeries(cut, 1), cut),
                                [&](Noise& noise) { return named(find(noise)); });
        };
        const auto plain =
            law_of([&](Noise& noise) { return PlainShape(counts).leaders(m, law, noise, order); });
        const auto found = law_of([&](Noise& noise) {
          Begun<Noise> begun(noise, law.rate(), counts.size(), unbounded);
          candidates += counts.size();
          return leaders_of_shown(counts, m, law, begun, order, shown);
        });
        EXPECT_TRUE(plain == found) << ::testing::PrintToString(counts) << ", m " << m;
        ++compared;
        if (counts == std::vector<std::int64_t>{0, 0, 0} && m == 2) {
          PlaceOrder places({0, 1, 2, 3, 4});
          EXPECT_TRUE(plain != law_of([&](Noise& noise) {
                        Begun<Noise> begun(noise, law.rate(), counts.size(), unbounded);
                        return leaders_of_shown(counts, m, law, begun, places, shown);
                      }));
        }
      }
    }
  }
  EXPECT_EQ(compared, 7U * 4 * 3);
  EXPECT_LT(shown, candidates / 10 * 9) << "the bounds were hardly relied on";
}

/// A draw for each beginning: within its bounds, and anything where it has none.
std::int64_t fixed_draw(const Rate& rate, std::uint16_t v) {
  return static_cast<std::int64_t>(
      (v == 0 ? 14 : std::log(65536 / (static_cast<double>(v) + 0.75))) / rate.lower());
}

/// Finishes by `fixed_draw`, and remembers what it began and how many it finished.
class FixedNoise {
 public:
  explicit FixedNoise(std::uint64_t seed) : random_(seed) {}

  static std::int64_t geometric(const Rate&) { throw std::logic_error("drawn in full"); }
  static std::int64_t laplace(const Rate&) { throw std::logic_error("drawn in full"); }
  static std::uint64_t below(std::uint64_t) { return 0; }
  static std::uint64_t key() { return 0; }
  void keys(std::span<std::uint64_t> words) {
    std::generate(words.begin(), words.end(), [&] { return random_(); });
    words_.insert(words_.end(), words.begin(), words.end());
  }
  std::int64_t finish(const Rate& rate, std::uint16_t v) {
    ++finished_;
    unbounded_ += v == 0 ? 1U : 0U;
    return fixed_draw(rate, v);
  }

  [[nodiscard]] std::uint16_t begun(std::size_t i) const {
    return static_cast<std::uint16_t>(words_.at(i / 4) >> (16 * (i % 4)));
  }
  [[nodiscard]] std::size_t finished() const { return finished_; }
  [[nodiscard]] std::size_t unbounded() const { return unbounded_; }

 private:
  Random random_;
  std::vector<std::uint64_t> words_;
  std::size_t finished_ = 0;
  std::size_t unbounded_ = 0;
};

/// Draws, one after the other, what was begun.
class Finished {
 public:
  explicit Finished(const FixedNoise& noise) : noise_(&noise) {}
  std::int64_t geometric(const Rate& rate) { return fixed_draw(rate, noise_->begun(next_++)); }
  static std::int64_t laplace(const Rate&) { throw std::logic_error("two-sided"); }
  static std::uint64_t below(std::uint64_t) { return 0; }
  static std::uint64_t key() { return 0; }

 private:
  const FixedNoise* noise_;
  std::size_t next_ = 0;
};

/// Leaders by begun noise against those by the same noise, finished for all. The noise that was
/// used.
template <class Number>
FixedNoise compare(const std::vector<Number>& answers, const Grid& grid, std::size_t m,
                   const Rational& rate, std::uint64_t seed = 9) {
  const TickNoise law(Law::exponential, rate, 1);
  const PlainShape plain = plain_shape(answers, grid);
  PlaceOrder order = shuffled_order(answers.size());
  FixedNoise noise(seed);
  const Leaders found = named(all_noise_leaders(std::span(answers), grid, m, law, noise, order));
  Finished finished(noise);
  EXPECT_TRUE(found == named(plain.leaders(m, law, finished, order)))
      << answers.size() << " answers, m " << m << ", rate " << rate.str();
  return noise;
}

// Around the sizes of blocks and chunks, answers of all types, ties everywhere, more leaders than
// candidates.
TEST(BegunNoise, FindsTheLargestOfTheSameNoisyValues) {
  Random random(3);
  const Grid grid(Rational(1, 64), 1);
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{511}, std::size_t{512},
                                 std::size_t{513}, scaled(16'385, 4096), scaled(40'000, 5000)}) {
    const auto [counts, small, reals] = answers_of_all_types(size, random);
    for (const std::size_t m : {1U, 11U, 1000U}) {
      compare(counts, grid, m, Rational(1, 1000));
      compare(small, Grid(1, 1), m, Rational(1, 3));
      compare(small, Grid(1, 1), m, Rational(20));
      compare(reals, grid, m, Rational(1, 100));
      compare(reals, Grid(Rational(1, 3), 1), m, Rational(1, 100));
    }
  }
}

TEST(BegunNoise, ManyChunks) {
  std::vector<std::int64_t> counts(scaled(2, 1) * detail::begun_chunk + 700);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = static_cast<std::int64_t>(i % 1000);
  }
  compare(counts, Grid(Rational(1, 64), 1), 11, Rational(1, 1000));
  if (full_workload()) {
    compare(std::vector<std::int64_t>(detail::begun_chunk + 1, 5), Grid(1, 1), 101,
            Rational(1, 1000));
  }
}

// The ends of the number types, where answers are clamped.
TEST(BegunNoise, Extremes) {
  const std::vector<std::int64_t> counts = extreme_counts();
  const std::vector<std::int64_t> low(600, INT64_MIN);
  for (const Rational& rate : {Rational(1, 1000), Rational(1, 1 << 27)}) {
    compare(counts, Grid(Rational(1, 64), 1), 700, rate);
    compare(low, Grid(1, 1), 5, rate);
    compare(low, Grid(1, 1), 1000, rate);
  }
}

// Where bounds would not fit, and for very many leaders, noise is drawn in full.
TEST(BegunNoise, IsNotForEverything) {
  const std::vector<std::int64_t> counts(3000, 5);
  for (const Rational& rate : {Rational(1, (1 << 27) + 1), Rational(1, std::int64_t{1} << 40U)}) {
    EXPECT_THROW(compare(counts, Grid(1, 1), 11, rate), std::logic_error);
  }
  EXPECT_THROW(compare(counts, Grid(1, 1), 1025, Rational(1, 1000)), std::logic_error);
  compare(counts, Grid(1, 1), 1024, Rational(1, 1000));
}

// Work: of lists of every shape as many are finished as of any other, and the unbounded, who do not
// depend on the data.
TEST(BegunNoise, FinishesAsManyWhateverTheData) {
  const std::size_t size = scaled(200'000, 20'000);
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes{
      {"equal", {}}, {"ascending", {}}, {"spikes", {}}, {"Zipf", {}}, {"two levels", {}}};
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(size); ++i) {
    shapes[0].second.push_back(5);
    shapes[1].second.push_back(i / 20);
    shapes[2].second.push_back(i % 512 == 50 ? 400 : 0);
    shapes[3].second.push_back(1'000'000 / (i + 1));
    shapes[4].second.push_back(i % 2 == 0 ? 0 : 60);
  }
  for (const std::size_t m : {1U, 11U, 101U}) {
    for (const auto& [name, counts] : shapes) {
      for (std::uint64_t seed = 0; seed < scaled(5); ++seed) {
        const FixedNoise noise =
            compare(counts, Grid(Rational(1, 64), 1), m, Rational(1, 1000), seed);
        EXPECT_EQ(noise.finished() - noise.unbounded(), detail::surely_finished(m))
            << name << ", m " << m << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace freegap::testing
