// The cipher of the lab: AES-256 in counter mode, as FIPS 197 describes it, without a library. Its
// stream is that of libgcrypt, so a seed gives the same noise here and in the program. INSECURE: a
// page has no business with secret keys, and this code takes time that depends on them. There are
// no SecureBits beside it, so nothing here can make a release.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "noise/cipher.hpp"

namespace freegap::detail {
namespace {

using Block = std::array<std::uint8_t, 16>;
using RoundKeys = std::array<Block, 15>;

/// Multiplication by x in GF(2^8).
constexpr std::uint8_t doubled(std::uint8_t a) {
  return static_cast<std::uint8_t>((a << 1U) ^ ((a >> 7U) * 0x1b));
}

/// The S-box, from powers of the generator 3 and its inverse 0xf6.
constexpr std::array<std::uint8_t, 256> make_substitution() {
  std::array<std::uint8_t, 256> box{};
  std::uint8_t p = 1;
  std::uint8_t q = 1;
  const auto rotated = [](std::uint8_t x, unsigned by) {
    return static_cast<std::uint8_t>((x << by) | (x >> (8 - by)));
  };
  do {
    p = static_cast<std::uint8_t>(p ^ doubled(p));
    q = static_cast<std::uint8_t>(q ^ (q << 1U));
    q = static_cast<std::uint8_t>(q ^ (q << 2U));
    q = static_cast<std::uint8_t>(q ^ (q << 4U));
    q = static_cast<std::uint8_t>(q ^ ((q >> 7U) * 0x09U));
    box[p] = static_cast<std::uint8_t>(q ^ rotated(q, 1) ^ rotated(q, 2) ^ rotated(q, 3) ^
                                       rotated(q, 4) ^ 0x63U);
  } while (p != 1);
  box[0] = 0x63;
  return box;
}
constexpr std::array<std::uint8_t, 256> substitution = make_substitution();

/// One column of SubBytes and MixColumns: what a byte contributes, as the first row of its column.
constexpr std::array<std::uint32_t, 256> make_mixed() {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint8_t s = substitution[i];
    const std::uint8_t twice = doubled(s);
    const auto thrice = static_cast<std::uint8_t>(twice ^ s);
    table[i] = std::uint32_t{twice} | (std::uint32_t{s} << 8U) | (std::uint32_t{s} << 16U) |
               (std::uint32_t{thrice} << 24U);
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> mixed = make_mixed();

std::uint32_t column(const Block& block, std::size_t c) {
  std::uint32_t word = 0;
  std::memcpy(&word, block.data() + 4 * c, sizeof word);
  return word;
}

RoundKeys expand(const Key& key) {
  std::array<std::uint8_t, sizeof(RoundKeys)> bytes{};
  std::copy(key.begin(), key.end(), bytes.begin());
  std::uint8_t constant = 1;
  for (std::size_t i = key.size(); i < bytes.size(); i += 4) {
    std::array<std::uint8_t, 4> word{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i) - 4, 4, word.begin());
    const std::size_t place = i % key.size();
    if (place == 0) {
      std::rotate(word.begin(), word.begin() + 1, word.end());
    }
    if (place % 16 == 0) {
      for (std::uint8_t& byte : word) {
        byte = substitution[byte];
      }
    }
    if (place == 0) {
      word[0] = static_cast<std::uint8_t>(word[0] ^ constant);
      constant = doubled(constant);
    }
    for (std::size_t j = 0; j < word.size(); ++j) {
      bytes[i + j] = static_cast<std::uint8_t>(bytes[i + j - key.size()] ^ word[j]);
    }
  }
  RoundKeys keys{};
  std::memcpy(keys.data(), bytes.data(), bytes.size());
  return keys;
}

Block encrypted(Block block, const RoundKeys& keys) {
  constexpr std::size_t rounds = std::tuple_size_v<RoundKeys> - 1;
  const auto add = [&block](const Block& key) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = static_cast<std::uint8_t>(block[i] ^ key[i]);
    }
  };
  const auto turned = [](std::uint32_t x, unsigned by) { return (x << by) | (x >> (32 - by)); };
  add(keys[0]);
  for (std::size_t round = 1; round < rounds; ++round) {
    Block next;
    for (std::size_t c = 0; c < 4; ++c) {
      const std::uint32_t word = mixed[block[4 * c]] ^ turned(mixed[block[(4 * c + 5) % 16]], 8) ^
                                 turned(mixed[block[(4 * c + 10) % 16]], 16) ^
                                 turned(mixed[block[(4 * c + 15) % 16]], 24) ^
                                 column(keys[round], c);
      std::memcpy(next.data() + 4 * c, &word, sizeof word);
    }
    block = next;
  }
  Block last;
  for (std::size_t i = 0; i < last.size(); ++i) {
    last[i] = substitution[block[(i + 4 * (i % 4)) % 16]];
  }
  block = last;
  add(keys[rounds]);
  return block;
}

}  // namespace

/// Nothing is kept between two calls.
struct Cipher::State {};

Cipher::Cipher() = default;
Cipher::~Cipher() = default;

void Cipher::stretch(Key& key, std::span<std::uint64_t> words) {
  const RoundKeys keys = expand(key);
  Block counter{};
  const auto next = [&] {
    const Block block = encrypted(counter, keys);
    for (std::size_t i = counter.size(); i-- > 0 && ++counter[i] == 0;) {
    }
    return block;
  };
  for (std::size_t i = 0; i < key.size(); i += sizeof(Block)) {
    const Block block = next();
    std::copy(block.begin(), block.end(), key.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 0; i < words.size(); i += sizeof(Block) / sizeof words[0]) {
    const Block block = next();
    std::memcpy(words.data() + i, block.data(), block.size());
  }
}

}  // namespace freegap::detail
