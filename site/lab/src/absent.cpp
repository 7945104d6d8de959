// What a page does not have: databases, compressed files, lists of candidates and contribution
// bounds (whose hash is OpenSSL's), the ledger. The layers above are compiled as they are, so the
// names must exist; who calls them is told.

#include <algorithm>
#include <string>
#include <utility>

#include "freegap/errors.hpp"
#include "ledger/digest.hpp"
#include "sources/bytes.hpp"
#include "sources/contribution.hpp"
#include "sources/hash.hpp"
#include "sources/readers.hpp"

namespace freegap {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InvalidParameter(what, "the lab does not read it; the program does");
}

}  // namespace

namespace sources {

// Random keys keep others from choosing items that collide in a table. A page reads what its reader
// gives it, and items come out in the order of the file whatever the keys.
void draw_keys(std::span<std::uint64_t> keys) {
  std::fill(keys.begin(), keys.end(), 0x9e3779b97f4a7c15);
}

std::unique_ptr<BitStream> Cut::bits(const std::optional<std::uint64_t>& /*insecure_seed*/) {
  refuse("--max-items");
}
void Cut::units(PairSet::Pairs& /*pairs*/, const ItemTable& /*units*/,
                const ItemTable& /*items*/) const {}

std::unique_ptr<Bytes> decompressed(std::unique_ptr<Bytes> inner, std::string /*name*/) {
  return inner;
}
std::unique_ptr<Bytes> surely_decompressed(std::unique_ptr<Bytes> /*inner*/,
                                           const std::string& name) {
  refuse(name);
}
Values read_database(const Input& /*input*/, Problems& /*problems*/, Cut* /*cut*/) {
  refuse("--sqlite");
}
Values read_duckdb(const Input& /*input*/, Problems& /*problems*/, const std::string& where) {
  refuse(where);
}

}  // namespace sources

namespace ledger {

struct Digest::State {};
Digest::Digest() { refuse("--candidates"); }
Digest::~Digest() = default;
void Digest::add(std::string_view /*bytes*/) {}
std::string Digest::hex() { return {}; }

}  // namespace ledger
}  // namespace freegap
