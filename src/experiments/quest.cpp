#include "experiments/quest.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <ostream>
#include <string>

#include "freegap/errors.hpp"

namespace freegap::experiments {
namespace {

constexpr double two_to_32 = 4294967296.0;
constexpr double corruption_variance = 0.1;

/// Uniform on (0, 1).
double uniform(BitStream& bits) {
  return (static_cast<double>(bits.word() >> 12U) + 0.5) * 0x1p-52;
}

double exponential_weight(BitStream& bits) { return -std::log(uniform(bits)); }

double normal(BitStream& bits) {
  const double radius = std::sqrt(-2 * std::log(uniform(bits)));
  return radius * std::cos(2 * std::numbers::pi * uniform(bits));
}

/// Uniform on 0 .. n-1, up to the rounding of 32 bits.
std::uint32_t below(BitStream& bits, std::uint32_t n) {
  return static_cast<std::uint32_t>(((bits.word() >> 32U) * n) >> 32U);
}

/// A probability in units of 2^-32.
std::uint32_t chance(double p) {
  return static_cast<std::uint32_t>(std::clamp(p * two_to_32, 0.0, two_to_32 - 1));
}

std::vector<double> exponential_weights(std::size_t n, BitStream& bits) {
  std::vector<double> weights(n);
  std::generate(weights.begin(), weights.end(), [&] { return exponential_weight(bits); });
  return weights;
}

/// Probabilities of 1 + Poisson(mean - 1), the sizes of transactions and patterns: none is empty.
std::vector<double> size_weights(double mean) {
  const double lambda = mean - 1;
  const auto most = static_cast<std::size_t>(lambda + 12 * std::sqrt(lambda) + 30);
  std::vector<double> weights(most + 1, 0.0);
  for (std::size_t n = 1; n <= most; ++n) {
    const auto m = static_cast<double>(n - 1);
    weights[n] = lambda == 0 ? (n == 1 ? 1.0 : 0.0)
                             : std::exp(m * std::log(lambda) - lambda - std::lgamma(m + 1));
  }
  return weights;
}

QuestOptions checked(const QuestOptions& options) {
  const auto require = [](bool holds, const char* what, const char* range) {
    if (!holds) {
      throw InvalidParameter(what, range);
    }
  };
  require(options.transactions >= 1, "transactions", "must be 1 or more");
  require(options.mean_size >= 1 && options.mean_size <= 1e4, "mean size", "must be 1 to 10000");
  require(options.mean_pattern >= 1 && options.mean_pattern <= 1e3, "mean pattern",
          "must be 1 to 1000");
  require(options.patterns >= 1 && options.patterns <= 10'000'000, "patterns",
          "must be 1 to 10000000");
  require(options.items >= 1 && options.items <= 100'000'000, "items", "must be 1 to 100000000");
  require(options.correlation >= 0 && options.correlation <= 1, "correlation", "must be 0 to 1");
  require(options.corruption >= 0 && options.corruption <= 1, "corruption", "must be 0 to 1");
  return options;
}

}  // namespace

std::optional<QuestOptions> quest_preset(std::string_view name) {
  QuestOptions options;
  if (name == "T10I4D100K") {
    return options;
  }
  if (name == "T40I10D100K") {
    options.mean_size = 40;
    options.mean_pattern = 10;
    return options;
  }
  return std::nullopt;
}

WeightedChoice::WeightedChoice(std::span<const double> weights) : cells_(weights.size()) {
  double total = 0;
  for (const double w : weights) {
    total += w;
  }
  // Each cell has probability 1/n: the rest of one number's probability, filled up with part of a
  // larger one.
  std::vector<double> left(weights.begin(), weights.end());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    left[i] *= static_cast<double>(left.size()) / total;
    (left[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t filled = small.back();
    const std::uint32_t filler = large.back();
    small.pop_back();
    cells_[filled] = {chance(left[filled]), filler};
    left[filler] -= 1 - left[filled];
    if (left[filler] < 1) {
      large.pop_back();
      small.push_back(filler);
    }
  }
  for (const std::vector<std::uint32_t>* rest : {&small, &large}) {
    for (const std::uint32_t i : *rest) {
      cells_[i] = {UINT32_MAX, i};
    }
  }
}

std::uint32_t WeightedChoice::draw(BitStream& bits) const {
  const std::uint64_t word = bits.word();
  const auto i = static_cast<std::uint32_t>(((word >> 32U) * cells_.size()) >> 32U);
  return static_cast<std::uint32_t>(word) < cells_[i].keep ? i : cells_[i].other;
}

Quest::Quest(const QuestOptions& options)
    : options_(checked(options)),
      bits_(options.seed),
      sizes_(size_weights(options.mean_size)),
      choice_(exponential_weights(options.patterns, bits_)),
      seen_in_(options.items, 0) {
  make_patterns();
}

void Quest::make_patterns() {
  const WeightedChoice sizes(size_weights(options_.mean_pattern));
  const WeightedChoice items(options_.weighted_items ? exponential_weights(options_.items, bits_)
                                                     : std::vector<double>(options_.items, 1.0));
  patterns_.reserve(options_.patterns);
  while (patterns_.size() < options_.patterns) {
    make_pattern(sizes, items);
  }
}

void Quest::make_pattern(const WeightedChoice& sizes, const WeightedChoice& items) {
  const auto first = static_cast<std::uint32_t>(pattern_items_.size());
  const std::uint32_t size = std::min(sizes.draw(bits_), options_.items);
  const auto has = [&](std::uint32_t item) {
    return std::find(pattern_items_.begin() + first, pattern_items_.end(), item) !=
           pattern_items_.end();
  };
  if (!patterns_.empty()) {
    const Pattern& before = patterns_.back();
    const double share = std::min(1.0, options_.correlation * exponential_weight(bits_));
    const auto taken = std::min<std::uint32_t>(
        before.size, static_cast<std::uint32_t>(std::lround(share * static_cast<double>(size))));
    picked_.assign(pattern_items_.begin() + before.first,
                   pattern_items_.begin() + before.first + before.size);
    for (std::uint32_t i = 0; i < taken; ++i) {
      std::swap(picked_[i], picked_[i + below(bits_, before.size - i)]);
      pattern_items_.push_back(picked_[i]);
    }
  }
  // Weights may be almost zero: after many failed tries the pattern stays smaller.
  for (std::uint32_t tries = 0; pattern_items_.size() - first < size && tries < 100 * size;
       ++tries) {
    if (const std::uint32_t item = items.draw(bits_); !has(item)) {
      pattern_items_.push_back(item);
    }
  }
  const double corrupted = options_.corruption + std::sqrt(corruption_variance) * normal(bits_);
  patterns_.push_back({first, static_cast<std::uint32_t>(pattern_items_.size()) - first,
                       chance(std::clamp(corrupted, 0.0, 1.0))});
}

void Quest::pick_pattern() {
  const Pattern& pattern = patterns_[choice_.draw(bits_)];
  picked_.assign(pattern_items_.begin() + pattern.first,
                 pattern_items_.begin() + pattern.first + pattern.size);
  while (!picked_.empty()) {
    const std::uint64_t word = bits_.word();
    if (static_cast<std::uint32_t>(word) >= pattern.corrupted) {
      return;
    }
    picked_[((word >> 32U) * picked_.size()) >> 32U] = picked_.back();
    picked_.pop_back();
  }
}

void Quest::add_picked() {
  for (const std::uint32_t item : picked_) {
    if (seen_in_[item] != number_) {
      seen_in_[item] = number_;
      transaction_.push_back(item);
    }
  }
}

std::span<const std::uint32_t> Quest::next() {
  ++number_;
  transaction_.clear();
  const std::size_t size = std::min<std::size_t>(sizes_.draw(bits_), options_.items);
  // If patterns hold too few distinct items, the transaction stays smaller.
  for (std::size_t tries = 0; transaction_.size() < size && tries < 100 * size + 1000; ++tries) {
    if (!held_over_) {
      pick_pattern();
    }
    held_over_ = false;
    // A pattern that does not fit is added anyway half of the time, else to the next transaction.
    const bool fits = transaction_.size() + picked_.size() <= size;
    if (!fits && !transaction_.empty() && (bits_.word() & 1U) == 0) {
      held_over_ = true;
      break;
    }
    add_picked();
  }
  if (transaction_.empty()) {  // all items of every pattern that was tried were left out
    transaction_.push_back(
        pattern_items_[below(bits_, static_cast<std::uint32_t>(pattern_items_.size()))]);
  }
  std::sort(transaction_.begin(), transaction_.end());
  return transaction_;
}

std::vector<std::int64_t> quest_counts(const QuestOptions& options) {
  Quest quest(options);
  std::vector<std::int64_t> counts(options.items, 0);
  for (std::uint64_t i = 0; i < options.transactions; ++i) {
    for (const std::uint32_t item : quest.next()) {
      ++counts[item];
    }
  }
  return counts;
}

void write_quest(const QuestOptions& options, std::ostream& out) {
  constexpr std::size_t chunk = 1U << 16U;
  constexpr std::size_t longest_number = 10;
  Quest quest(options);
  std::string text;
  for (std::uint64_t i = 0; i < options.transactions && out; ++i) {
    const std::span<const std::uint32_t> items = quest.next();
    std::size_t used = text.size();
    text.resize(used + items.size() * (longest_number + 1));
    for (const std::uint32_t item : items) {
      char* const end = std::to_chars(&text[used], text.data() + text.size(), item).ptr;
      *end = ' ';
      used = static_cast<std::size_t>(end - text.data()) + 1;
    }
    text.resize(used);
    text.back() = '\n';
    if (text.size() >= chunk) {
      out.write(text.data(), static_cast<std::streamsize>(text.size()));
      text.clear();
    }
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace freegap::experiments
