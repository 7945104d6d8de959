#include "ledger/row.hpp"

#include <openssl/evp.h>

#include <memory>
#include <utility>

#include "freegap/errors.hpp"

namespace freegap::ledger {
namespace {

constexpr std::size_t hash_bytes = 32;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// Computes a SHA-256 piece by piece.
class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new()) {
    expect(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(std::string_view bytes) {
    expect(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }
  std::string hex() {
    std::array<unsigned char, hash_bytes> raw{};
    expect(EVP_DigestFinal_ex(context_.get(), raw.data(), nullptr) == 1);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned byte : raw) {
      text += digits[byte >> 4U];
      text += digits[byte & 0xfU];
    }
    return text;
  }

 private:
  static void expect(bool done) {
    if (!done) {
      throw MachineFault("ledger: SHA-256 is not available");
    }
  }
  std::unique_ptr<EVP_MD_CTX, FreeDigest> context_;
};

std::optional<std::string> decimal(std::optional<std::int64_t> number) {
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

std::optional<std::int64_t> number(const std::optional<std::string>& text) {
  return text ? std::optional<std::int64_t>(std::stoll(*text)) : std::nullopt;
}

}  // namespace

bool is_integer_column(std::size_t column) {
  const std::string_view name = hashed_columns.at(column);
  return name == "sequence" || name == "entry" || name == "time";
}

std::array<std::optional<std::string>, hashed_columns.size()> fields(const Row& row) {
  return {decimal(row.sequence), row.kind,           row.dataset,       row.total,  row.unit,
          row.neighbours,        decimal(row.entry), decimal(row.time), row.who,    row.verb,
          row.parameters,        row.reserved,       row.spent,         row.release};
}

Row row_of(std::array<std::optional<std::string>, hashed_columns.size()> values) {
  auto& v = values;
  return {.sequence = number(v[0]).value_or(0),
          .kind = std::move(v[1]).value_or(""),
          .dataset = std::move(v[2]),
          .total = std::move(v[3]),
          .unit = std::move(v[4]),
          .neighbours = std::move(v[5]),
          .entry = number(v[6]),
          .time = number(v[7]),
          .who = std::move(v[8]),
          .verb = std::move(v[9]),
          .parameters = std::move(v[10]),
          .reserved = std::move(v[11]),
          .spent = std::move(v[12]),
          .release = std::move(v[13]),
          .hash = {}};
}

const std::string& initial_hash() {
  static const std::string zeros(2 * hash_bytes, '0');
  return zeros;
}

std::string hash_of(const std::string& previous, const Row& row) {
  Digest digest;
  digest.add(previous);
  for (const std::optional<std::string>& field : fields(row)) {
    if (field) {
      digest.add(std::to_string(field->size()));
      digest.add(":");
      digest.add(*field);
      digest.add(",");
    } else {
      digest.add("-,");
    }
  }
  return digest.hex();
}

Row dataset_row(const Dataset& dataset) {
  Row row;
  row.kind = kind_dataset;
  row.dataset = dataset.name;
  row.total = dataset.total.str();
  row.unit = dataset.unit;
  row.neighbours = name(dataset.neighbours);
  return row;
}

Row reserve_row(std::int64_t entry, std::int64_t time, const Request& request) {
  Row row;
  row.kind = kind_reserve;
  row.dataset = request.dataset;
  row.entry = entry;
  row.time = time;
  row.who = request.who;
  row.verb = request.verb;
  row.parameters = request.parameters;
  row.reserved = request.reserved.str();
  return row;
}

Row settle_row(std::int64_t entry, const Rational& spent, const std::string& release) {
  Row row;
  row.kind = kind_settle;
  row.entry = entry;
  row.spent = spent.str();
  row.release = release;
  return row;
}

}  // namespace freegap::ledger
