// Noise must not stay in memory: neither a word that was returned, nor noise drawn ahead, nor noisy
// values. An attacker who reads it later could subtract the noise from a release.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "freegap/bits.hpp"
#include "freegap/detail/core/wiped.hpp"
#include "freegap/detail/mechanisms/above_universe.hpp"
#include "freegap/detail/mechanisms/constant_work_branches.hpp"
#include "freegap/detail/mechanisms/ranking.hpp"
#include "freegap/detail/mechanisms/skip_sampler.hpp"

namespace freegap {
namespace {

/// Returns 5, 4, ..., 1 from a buffer that the test can read.
class OpenBits final : public BitStream {
 public:
  OpenBits() { use(buffer_); }
  [[nodiscard]] std::uint64_t kept(std::size_t i) const { return buffer_.words[i]; }
  static constexpr std::uint64_t batch = 5;

 private:
  void refill(Buffer& buffer) override {
    for (std::uint64_t i = 0; i < batch; ++i) {
      buffer.words[i] = i + 1;
    }
    buffer.available = batch;
  }

  Buffer buffer_{};
};

TEST(BitStream, ForgetsAWordAsItHandsItOut) {
  OpenBits bits;
  for (std::uint64_t left = OpenBits::batch; left > 0; --left) {
    EXPECT_EQ(bits.word(), left);
    for (std::uint64_t i = 0; i < OpenBits::batch; ++i) {
      EXPECT_EQ(bits.kept(i), i + 1 < left ? i + 1 : 0);
    }
  }
}

TEST(BitStream, ForgetsWordsAsItFillsWithThem) {
  for (const std::size_t count : {3U, 258U, 1003U}) {  // three more than whole batches
    OpenBits bits;
    std::vector<std::uint64_t> words(count);
    bits.fill(words);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(words[i], OpenBits::batch - i % OpenBits::batch);
    }
    for (std::uint64_t i = 0; i < OpenBits::batch; ++i) {
      EXPECT_EQ(bits.kept(i), i < 2 ? i + 1 : 0);
    }
  }
}

constexpr std::int64_t secret = 0x5ec7e75ec7e7;

/// Draws the same secret, in bulk and one by one, and nothing else.
struct SecretNoise {
  static std::int64_t geometric(const Rate& /*rate*/) { return secret; }
  static std::int64_t laplace(const Rate& /*rate*/) { return secret; }
  static void geometric(const Rate& /*rate*/, std::span<std::int64_t> out) {
    std::fill(out.begin(), out.end(), secret);
  }
  static void laplace(const Rate& /*rate*/, std::span<std::int64_t> out) {
    std::fill(out.begin(), out.end(), secret);
  }
  static std::uint64_t below(std::uint64_t /*n*/) { return 0; }
  static std::uint64_t key() { return 0; }
  static bool reaches(const Rate& /*rate*/, Distance /*d*/) { return false; }
  static std::uint64_t skips(const Rate& /*rate*/, Distance /*d*/, std::uint64_t limit) {
    return std::min(static_cast<std::uint64_t>(secret), limit);
  }
  static bool above_zero(const Rate& /*rate*/) { return true; }
};

std::size_t secrets_in(std::span<const std::byte> memory) {
  std::size_t found = 0;
  for (std::size_t i = 0; i + sizeof secret <= memory.size(); ++i) {
    found += std::memcmp(memory.data() + i, &secret, sizeof secret) == 0 ? 1U : 0U;
  }
  return found;
}

/// How often the secret is in the memory of an object that `use` has used, before and after it is
/// destroyed.
template <class T, class Make, class Use>
std::array<std::size_t, 2> secrets_of(const Make& make, const Use& use) {
  alignas(T) static std::array<std::byte, sizeof(T)> memory;
  memory.fill(std::byte{0});
  T* object = make(memory.data());
  use(*object);
  const std::size_t before = secrets_in(memory);
  std::destroy_at(object);
  __asm__ volatile("" : : "g"(memory.data()) : "memory");
  return {before, secrets_in(memory)};
}

TEST(Forgetting, ANoisyValue) {
  using detail::NoisyCandidate;
  const auto seen = secrets_of<NoisyCandidate>(
      [](void* at) {
        return new (at) NoisyCandidate{{1, 0}, detail::Position{secret}, {}};
      },
      [](const NoisyCandidate& /*candidate*/) {});
  EXPECT_EQ(seen, (std::array<std::size_t, 2>{1, 0}));
}

TEST(Forgetting, NoiseDrawnAheadAndTrials) {
  SecretNoise noise;
  const detail::TickNoise distribution(Distribution::exponential, Rational(1, 1000), 1);
  const auto ahead = secrets_of<detail::DrawnAhead<SecretNoise>>(
      [&](void* at) { return new (at) detail::DrawnAhead<SecretNoise>(distribution, noise); },
      [](auto& drawn) { drawn.next(); });
  EXPECT_EQ(ahead, (std::array<std::size_t, 2>{63, 0}));  // the one in use is gone already
  using Sampler = detail::SkipSampler<SecretNoise>;
  const auto sampler = secrets_of<Sampler>(
      [&](void* at) {
        return new (at) Sampler(distribution, {std::uint64_t{1} << 62U, 5}, noise);
      },
      [](Sampler& used) {
        used.further();
        EXPECT_EQ(used.known_far_failures(), static_cast<std::uint64_t>(secret));
      });
  EXPECT_EQ(sampler, (std::array<std::size_t, 2>{63 + 1, 0}));
}

/// What is in memory when it is freed.
struct Watch {
  const void* memory = nullptr;
  std::size_t bytes = 0;
  std::size_t secrets = 0;
  bool freed = false;
  bool everything = false;  ///< counts the secrets in whatever is freed
};
Watch watched;

TEST(Forgetting, NoisyAnswersOfAUniverse) {
  using Passes = detail::ZeroPasses<SecretNoise>;
  const auto pass = secrets_of<Passes::Pass>(
      [](void* at) {
        return new (at) Passes::Pass{1, 0, detail::Position{secret}};
      },
      [](const Passes::Pass& /*pass*/) {});
  EXPECT_EQ(pass, (std::array<std::size_t, 2>{1, 0}));

  // A threshold so low that ids which count 0 pass it with noise of their own.
  SecretNoise noise;
  const SparseVectorPlan plan =
      plan_sparse_vector({Kind::counts, Neighbours::add_remove, 1},
                         {.k = 2, .epsilon = "1"_eps, .threshold = 0, .branches = 2}, true);
  watched = {};
  watched.everything = true;
  {
    Passes passes(3, plan, -(std::int64_t{1} << 40U), {1, 2}, noise);
    const auto first = passes.next(3, plan.steps.size());
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(detail::Position{first->position}, detail::Position{secret});
  }
  watched.everything = false;
  EXPECT_TRUE(watched.freed);
  EXPECT_EQ(watched.secrets, 0U);
}

TEST(Forgetting, AListThatGrowsAndIsFreed) {
  {
    detail::SecretVector<std::int64_t> values(100, secret);
    watched = {values.data(), 800, 0, false};
    EXPECT_EQ(secrets_in(std::as_bytes(std::span(values))), 100U);
    values.resize(1000, secret);
    EXPECT_TRUE(watched.freed);
    EXPECT_EQ(watched.secrets, 0U);
    watched = {values.data(), 8000, 0, false};
  }
  EXPECT_TRUE(watched.freed);
  EXPECT_EQ(watched.secrets, 0U);
  {
    std::vector<std::int64_t> ordinary(100, secret);
    watched = {ordinary.data(), 800, 0, false};
  }
  EXPECT_TRUE(watched.freed);
  EXPECT_GT(watched.secrets, 90U) << "this test is blind";
}

}  // namespace

/// Looks at memory before it is freed.
void look(void* memory) {
  if (memory != nullptr && watched.everything) {
    watched.secrets +=
        secrets_in({static_cast<const std::byte*>(memory), malloc_usable_size(memory)});
    watched.freed = true;
    return;
  }
  if (memory != nullptr && memory == watched.memory) {
    watched.secrets = secrets_in({static_cast<const std::byte*>(memory), watched.bytes});
    watched.freed = true;
    watched.memory = nullptr;
  }
}

}  // namespace freegap

// The whole program's, so that the test sees what is freed.
void* operator new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
void operator delete(void* memory) noexcept {
  freegap::look(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  freegap::look(memory);
  std::free(memory);
}
