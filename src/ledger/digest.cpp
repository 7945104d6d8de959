#include "ledger/digest.hpp"

#include <openssl/evp.h>

#include <array>

#include "freegap/errors.hpp"

namespace freegap::ledger {
namespace {

void expect(bool done) {
  if (!done) {
    throw MachineFault("ledger: SHA-256 is not available");
  }
}

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

struct Digest::State {
  std::unique_ptr<EVP_MD_CTX, FreeDigest> context{EVP_MD_CTX_new()};
};

Digest::Digest() : state_(std::make_unique<State>()) {
  expect(state_->context != nullptr &&
         EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  expect(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

std::string Digest::hex() {
  std::array<unsigned char, hex_length / 2> raw{};
  expect(EVP_DigestFinal_ex(state_->context.get(), raw.data(), nullptr) == 1);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned byte : raw) {
    text += digits[byte >> 4U];
    text += digits[byte & 0xfU];
  }
  return text;
}

}  // namespace freegap::ledger
