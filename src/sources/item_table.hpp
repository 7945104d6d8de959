#pragma once

/// @file
/// Names, each kept once and counted: an open-addressing table of 32-byte slots. Names of up to
/// eight bytes stand in their slot, so that counting one touches a single line of the cache; longer
/// ones are compared where they are kept. The hash has a key drawn from the system, so that nobody
/// can prepare names that collide; nothing that can be seen depends on it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/contribution.hpp"
#include "sources/huge_pages.hpp"

namespace freegap::sources {

/// Where a name stands in a text.
struct Token {
  std::uint32_t offset = 0;  ///< into the text
  std::uint16_t length = 0;  ///< at least 1, at most `longest_text`
  std::uint16_t line = 0;    ///< counted from the first line of the batch
};

/// Names with numbers, in the order in which they came.
class ItemTable {
 public:
  /// Bytes after a text of tokens that must be readable.
  static constexpr std::size_t padding = 8;

  ItemTable();

  /// Counts each token once per line. The line numbers, `first_line` plus the token's own, must be
  /// above 0 and must not come back in a later batch.
  void count(const char* text, std::span<const Token> tokens, std::uint64_t first_line);
  /// The same for transactions that are cut down, one line each. `ends` has, for each line, how
  /// many tokens there are up to its end. An item that is cut away is in the table all the same.
  void count(const char* text, std::span<const Token> tokens, std::span<const std::size_t> ends,
             std::uint64_t first_line, Cut& cut);
  /// Counts a name once more, unless it was counted last on this very line.
  void count(std::string_view name, std::uint64_t line);
  /// The number of a name, counted from 0; a new one gets the next.
  std::uint32_t id(std::string_view name);
  /// Keeps the line of a name that is new. The line where it first stood, if it is not; else 0.
  std::uint64_t first_line(std::string_view name, std::uint64_t line);

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// How often each name was counted.
  [[nodiscard]] std::vector<std::int64_t> counts() const;
  /// The name of a number.
  [[nodiscard]] std::string_view name(std::uint32_t id) const { return names_[id]; }
  /// All names. The table is empty afterwards.
  std::vector<std::string> take_names();

 private:
  struct Slot {
    std::uint64_t key = 0;     // the name itself, or the hash of a longer one
    std::uint64_t count = 0;   // how often it was counted
    std::uint64_t line = 0;    // where last
    std::uint32_t index = 0;   // into names_
    std::uint32_t length = 0;  // 0: free
  };
  struct Probe {
    std::uint64_t key;
    std::uint64_t hash;
  };

  using Keys = std::array<std::uint64_t, 4>;

  static Probe probe(const char* name, std::size_t length, const Keys& keys);
  static std::uint64_t hash_long(const char* name, std::size_t length, const Keys& keys);
  /// Calls `use(slot, line, i)` for each token i, in their order.
  template <class Use>
  void for_each(const char* text, std::span<const Token> tokens, std::uint64_t first_line, Use use);
  Slot& find_or_insert(const char* name, std::size_t length, const Probe& probe);
  Slot& find_or_insert(std::string_view name);
  void insert(Slot& slot, const char* name, std::size_t length, const Probe& probe);
  void grow();
  std::string_view keep(std::string_view name);

  Keys keys_{};
  std::vector<Slot, HugePages<Slot>> slots_;
  std::size_t mask_ = 0;
  std::vector<std::string_view> names_;
  std::vector<std::vector<char>> text_;  // where names lie, in blocks
  std::size_t room_ = 0;                 // left in the last block
  std::vector<std::int64_t> kept_;       // where lines are cut: how often each name was kept
  std::vector<std::uint32_t> found_;     // and the numbers of the batch's names
};

}  // namespace freegap::sources
