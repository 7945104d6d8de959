#include "sources/contribution.hpp"

#include <openssl/evp.h>

#include <algorithm>

#include "freegap/errors.hpp"
#include "sources/item_table.hpp"

namespace freegap::sources {
namespace {

void expect(bool done) {
  if (!done) {
    throw MachineFault("SHA-256 is not available");
  }
}

}  // namespace

struct ItemRanks::Hash {
  struct Free {
    void operator()(EVP_MD* fetched) const { EVP_MD_free(fetched); }
    void operator()(EVP_MD_CTX* made) const { EVP_MD_CTX_free(made); }
  };
  std::unique_ptr<EVP_MD, Free> method{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

ItemRanks::ItemRanks(BitStream& bits) : hash_(std::make_unique<Hash>()) {
  expect(hash_->method && hash_->context);
  constexpr std::string_view digits = "0123456789abcdef";
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t word = bits.word();
    for (unsigned shift = 64; shift > 0; shift -= 4) {
      key_ += digits[(word >> (shift - 4)) & 0xfU];
    }
  }
}

ItemRanks::~ItemRanks() = default;

ItemRanks::Rank ItemRanks::of(std::string_view unit, std::string_view item) const {
  EVP_MD_CTX* const context = hash_->context.get();
  const auto add = [&](std::string_view bytes) {
    expect(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
  };
  expect(EVP_DigestInit_ex2(context, hash_->method.get(), nullptr) == 1);
  add(key_);
  for (const std::string_view name : {unit, item}) {
    add(std::to_string(name.size()) + ":");
    add(name);
  }
  Rank rank{};
  expect(EVP_DigestFinal_ex(context, rank.data(), nullptr) == 1);
  return rank;
}

std::unique_ptr<BitStream> Cut::bits(const std::optional<std::uint64_t>& insecure_seed) {
  if (!insecure_seed) {
    return std::make_unique<SecureBits>();
  }
  constexpr std::uint64_t apart_from_noise = 0xc075'0f0f'75ee'dedb;
  return std::make_unique<InsecureSeededBits>(*insecure_seed ^ apart_from_noise);
}

void Cut::units(PairSet::Pairs& pairs, const ItemTable& units, const ItemTable& items) const {
  const ItemRanks ranks(bits_);
  std::vector<std::pair<ItemRanks::Rank, std::uint64_t>> ranked;
  const auto unit_of = [](std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32U); };
  auto kept = pairs.begin();
  for (auto begin = pairs.begin(); begin != pairs.end();) {
    const std::uint32_t unit = unit_of(*begin);
    const auto end =
        std::find_if(begin, pairs.end(), [&](std::uint64_t pair) { return unit_of(pair) != unit; });
    if (static_cast<std::uint64_t>(end - begin) <= most_) {
      kept = std::copy(begin, end, kept);
    } else {
      ranked.clear();
      for (auto pair = begin; pair != end; ++pair) {
        const auto item = static_cast<std::uint32_t>(*pair);
        ranked.emplace_back(ranks.of(units.name(unit), items.name(item)), *pair);
      }
      std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most_),
                       ranked.end());
      for (std::uint64_t i = 0; i < most_; ++i) {
        *kept++ = ranked[i].second;
      }
    }
    begin = end;
  }
  pairs.erase(kept, pairs.end());
}

}  // namespace freegap::sources
