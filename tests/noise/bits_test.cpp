// Streams of bits: the seeded one is AES-256-CTR as documented. The secure one looks uniform, never
// repeats itself, and differs between processes.
#include "freegap/bits.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/goodness_of_fit.hpp"
#include "support/scale.hpp"

namespace freegap::testing {
namespace {

using Words = std::vector<std::uint64_t>;

Words take(BitStream& bits, std::size_t count) {
  Words words(count);
  for (std::uint64_t& word : words) {
    word = bits.word();
  }
  return words;
}

/// The stream of AES-256 in counter mode from counter 0, one block at a time: 32 bytes of the next
/// key, then so many words, by default the 1022 of a buffer.
std::vector<unsigned char> counter_mode(const std::array<unsigned char, 32>& key,
                                        std::size_t words = 1022) {
  std::vector<unsigned char> stream;
  EVP_CIPHER_CTX* cipher = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(cipher, EVP_aes_256_ecb(), nullptr, key.data(), nullptr);
  for (std::uint64_t block = 0; stream.size() < 32 + words * 8; ++block) {
    std::array<unsigned char, 16> counter{};
    for (unsigned i = 0; i < 8; ++i) {
      counter.at(15 - i) = static_cast<unsigned char>(block >> (8 * i));
    }
    std::array<unsigned char, 32> out{};
    int written = 0;
    EVP_EncryptUpdate(cipher, out.data(), &written, counter.data(), 16);
    stream.insert(stream.end(), out.begin(), out.begin() + 16);
  }
  EVP_CIPHER_CTX_free(cipher);
  return stream;
}

TEST(SeededBits, AreAesInCounterModeWithFreshKeys) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
    InsecureSeededBits bits(seed);
    std::array<unsigned char, 32> key{};
    std::memcpy(key.data(), &seed, sizeof seed);
    for (int refill = 0; refill < 3; ++refill) {
      const std::vector<unsigned char> stream = counter_mode(key);
      std::array<std::uint64_t, 1022> words{};
      std::memcpy(words.data(), stream.data() + 32, sizeof words);
      for (std::size_t i = words.size(); i-- > 0;) {  // handed out from the end
        ASSERT_EQ(bits.word(), words.at(i)) << "seed " << seed << ", word " << i;
      }
      std::memcpy(key.data(), stream.data(), key.size());
    }
  }
}

// A fill is a stream under a key of its own, in order; the odd word comes from the buffer.
TEST(SeededBits, FillsAreAesInCounterModeWithFreshKeys) {
  InsecureSeededBits bits(9);
  std::array<unsigned char, 32> key{9};
  std::vector<unsigned char> stream = counter_mode(key);
  Words buffered(1022);
  std::memcpy(buffered.data(), stream.data() + 32, 1022 * 8);
  EXPECT_EQ(bits.word(), buffered.back());
  for (const std::size_t count : {256U, 257U, 1022U, 5000U, 20'001U}) {
    std::memcpy(key.data(), stream.data(), key.size());
    stream = counter_mode(key, count);
    Words expected(count);
    std::memcpy(expected.data(), stream.data() + 32, count / 2 * 2 * 8);
    Words words(count);
    bits.fill(words);
    if (count % 2 == 1) {
      buffered.pop_back();
      expected.back() = buffered.back();
    }
    ASSERT_EQ(words, expected) << count << " words";
  }
  // A short one comes from the buffer, as if word by word.
  Words few(255);
  bits.fill(few);
  buffered.pop_back();
  EXPECT_EQ(few, Words(buffered.rbegin(), buffered.rbegin() + 255));
}

// The first block of AES-256 under a zero key, from FIPS 197 implementations everywhere.
TEST(SeededBits, TheReferenceIsAes) {
  const std::vector<unsigned char> stream = counter_mode({});
  EXPECT_EQ(stream[0], 0xdc);
  EXPECT_EQ(stream[1], 0x95);
  EXPECT_EQ(stream[15], 0x87);
}

TEST(SeededBits, DifferBySeedAlone) {
  InsecureSeededBits a(7);
  InsecureSeededBits b(7);
  InsecureSeededBits c(8);
  const Words words = take(a, 3000);
  EXPECT_EQ(words, take(b, 3000));
  EXPECT_NE(words, take(c, 3000));
}

// Among 10^5 words of two streams, a repetition has probability 1e-9. A stream that does not change
// its key, or returns a buffer twice, repeats itself at once.
TEST(SecureBits, NeverRepeatAWord) {
  SecureBits a;
  SecureBits b;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 50'000; ++i) {
    seen.insert(a.word());
    seen.insert(b.word());
  }
  EXPECT_EQ(seen.size(), 100'000U);
  for (const std::size_t count : {3U, 256U, 1023U, 20'000U}) {
    for (int i = 0; i < 2; ++i) {
      Words words(count);
      a.fill(words);
      seen.insert(words.begin(), words.end());
      seen.insert(a.word());
    }
  }
  EXPECT_EQ(seen.size(), 100'000U + 2 * 21'282 + 8);
}

/// p-values of the words: each bit position by itself, and bytes.
struct Uniformity {
  double worst_bit = 1;
  double bytes = 1;
};
template <class Next>
Uniformity uniformity(std::size_t words, const Next& next) {
  std::array<std::uint64_t, 64> ones{};
  std::array<std::uint64_t, 256> bytes{};
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = next();
    for (unsigned bit = 0; bit < 64; ++bit) {
      ones.at(bit) += word >> bit & 1U;
    }
    for (unsigned byte = 0; byte < 8; ++byte) {
      ++bytes.at(word >> (8 * byte) & 255U);
    }
  }
  Uniformity result;
  for (const std::uint64_t count : ones) {
    const std::array<std::uint64_t, 2> counts{count, words - count};
    result.worst_bit =
        std::fmin(result.worst_bit, chi_square_p(counts, std::array<double, 2>{0.5, 0.5}));
  }
  std::array<double, 256> equal{};
  equal.fill(1.0 / 256);
  result.bytes = chi_square_p(bytes, equal);
  return result;
}

// 64 bits and the bytes, of words and of fills, each at a 130th of the false-alarm rate. Not
// seeded: the alarm is real.
TEST(SecureBits, LookUniform) {
  const std::size_t words = scaled(500'000, 50'000);
  SecureBits bits;
  Words filled(words);
  bits.fill(filled);
  std::size_t next = 0;
  for (const Uniformity& sound : {uniformity(words, [&] { return bits.word(); }),
                                  uniformity(words, [&] { return filled[next++]; })}) {
    EXPECT_GT(sound.worst_bit, false_alarm_rate / 130);
    EXPECT_GT(sound.bytes, false_alarm_rate / 130);
  }
  if (words < 500'000) {
    return;
  }
  // One bit in 64 that is set one per cent more often than it should is noticed; so is a byte value
  // that comes one per cent more often.
  InsecureSeededBits seeded(5);
  const Uniformity bent = uniformity(words, [&] {
    const std::uint64_t word = seeded.word();
    return seeded.word() % 100 == 0 ? word | 1U << 17U : word;
  });
  EXPECT_LT(bent.worst_bit, false_alarm_rate / 130);
  const Uniformity few = uniformity(words, [&] {
    const std::uint64_t word = seeded.word();
    return seeded.word() % 100 == 0 ? word & ~std::uint64_t{255} : word;
  });
  EXPECT_LT(few.bytes, false_alarm_rate / 130);
}

/// Words in bulk, and some one by one.
Words take_both_ways(BitStream& bits, std::size_t count) {
  Words words(count - 100);
  bits.fill(words);
  const Words more = take(bits, 100);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The words that a child process draws from `bits`, with those of its own child behind where
/// `nested`.
Words words_of_child(BitStream& bits, std::size_t count, bool nested = false) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    throw std::runtime_error("no pipe");
  }
  const pid_t child = fork();
  if (child < 0) {
    throw std::runtime_error("no child process");
  }
  if (child == 0) {
    Words words = take_both_ways(bits, count);
    if (nested) {
      const Words inner = words_of_child(bits, count);
      words.insert(words.end(), inner.begin(), inner.end());
    }
    const auto size = words.size() * sizeof(std::uint64_t);
    const bool written = write(ends[1], words.data(), size) == static_cast<ssize_t>(size);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Words words(nested ? 2 * count : count);
  auto* bytes = reinterpret_cast<char*>(words.data());
  std::size_t filled = 0;
  for (ssize_t got = 1; got > 0 && filled < words.size() * 8;
       filled += static_cast<std::size_t>(got)) {
    got = read(ends[0], bytes + filled, words.size() * 8 - filled);
  }
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0 || filled != words.size() * 8) {
    throw std::runtime_error("the child process failed");
  }
  return words;
}

/// The number of different words among several streams.
std::size_t different(const std::vector<Words>& streams) {
  std::set<std::uint64_t> seen;
  for (const Words& words : streams) {
    seen.insert(words.begin(), words.end());
  }
  return seen.size();
}

constexpr std::size_t some = 1500;  // more than a buffer holds

/// Forks after `drawn_before` words: those, and six times `some` words of parent, children and
/// grandchild.
std::vector<Words> family(BitStream& bits, std::size_t drawn_before) {
  std::vector<Words> streams{take(bits, drawn_before)};
  streams.push_back(words_of_child(bits, some));
  streams.push_back(words_of_child(bits, some));
  streams.push_back(take(bits, some));
  streams.push_back(words_of_child(bits, some, true));
  streams.push_back(take_both_ways(bits, some));
  return streams;
}

// With a full buffer, a half-full one, and one just emptied.
TEST(SecureBits, AreOthersInEveryProcess) {
  for (const std::size_t before : {0U, 1U, 500U, 1022U, 1023U}) {
    SecureBits bits;
    EXPECT_EQ(different(family(bits, before)), before + 6 * some) << before << " words before";
  }
}

TEST(SecureBits, AreOthersInAProcessThatAThreadStarts) {
  SecureBits bits;
  std::vector<Words> streams;
  std::thread([&] { streams = family(bits, 10); }).join();
  EXPECT_EQ(different(streams), 10 + 6 * some);
}

// The test can fail: it detects bits that are not fork-safe.
TEST(SeededBits, AreTheSameInAChild) {
  InsecureSeededBits bits(3);
  EXPECT_LT(different(family(bits, 1)), 1 + 6 * some);
}

}  // namespace
}  // namespace freegap::testing
