#include "sources/item_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "freegap/errors.hpp"
#include "sources/hash.hpp"

namespace freegap::sources {
namespace {

constexpr std::size_t short_name = 8;
constexpr std::size_t block_size = std::size_t{1} << 18U;
constexpr std::size_t smallest_table = 1024;

/// The first `length` of eight readable bytes, at most eight, then zeros.
std::uint64_t load_short(const char* bytes, std::size_t length) {
  static_assert(std::endian::native == std::endian::little);
  return load_word(bytes) & (~std::uint64_t{0} >> (8 * (short_name - length)));
}

}  // namespace

ItemTable::ItemTable() : slots_(smallest_table), mask_(smallest_table - 1) {
  draw_keys(keys_);
  keys_[1] |= 1U;  // odd, so that multiplication by it is a bijection
}

ItemTable::Probe ItemTable::probe(const char* name, std::size_t length, const Keys& keys) {
  if (length <= short_name) {
    const std::uint64_t key = load_short(name, length);
    return {key, mix(key ^ keys[0], keys[1])};
  }
  const std::uint64_t hash = hash_long(name, length, keys);
  return {hash, hash};
}

/// For names longer than eight bytes: sixteen at a time, the last sixteen or eight overlapping.
std::uint64_t ItemTable::hash_long(const char* name, std::size_t length, const Keys& keys) {
  std::uint64_t state = keys[2] ^ length;
  const char* const last = name + length - 8;
  while (name + 8 < last) {
    state = mix(load_word(name) ^ keys[3], load_word(name + 8) ^ state);
    name += 16;
  }
  const std::uint64_t first = name <= last ? load_word(name) : 0;
  state = mix(first ^ keys[3], load_word(last) ^ state);
  return mix(state ^ keys[0], keys[1]);
}

template <class Use>
void ItemTable::for_each(const char* text, std::span<const Token> tokens, std::uint64_t first_line,
                         Use use) {
  // A slot is prefetched some tokens before it is used. Members are copied to locals, so that the
  // compiler knows that counting does not change them.
  constexpr std::size_t ahead = 32;
  std::array<Probe, ahead> probes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const Keys keys = keys_;
  Slot* slots = slots_.data();
  std::size_t mask = mask_;
  const auto ask_for = [&](std::size_t i) {
    const Probe asked = probe(text + tokens[i].offset, tokens[i].length, keys);
    probes[i % ahead] = asked;
    __builtin_prefetch(slots + (asked.hash & mask), 1);
  };
  for (std::size_t i = 0; i < std::min(ahead, tokens.size()); ++i) {
    ask_for(i);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token token = tokens[i];
    const Probe& asked = probes[i % ahead];
    Slot* slot = slots + (asked.hash & mask);
    if (slot->key != asked.key || slot->length != token.length || token.length > short_name) {
      slot = &find_or_insert(text + token.offset, token.length, asked);
      slots = slots_.data();
      mask = mask_;
    }
    use(*slot, first_line + token.line, i);
    if (i + ahead < tokens.size()) {
      ask_for(i + ahead);
    }
  }
}

void ItemTable::count(const char* text, std::span<const Token> tokens, std::uint64_t first_line) {
  for_each(text, tokens, first_line, [](Slot& slot, std::uint64_t line, std::size_t) {
    slot.count += static_cast<std::uint64_t>(slot.line != line);
    slot.line = line;
  });
}

void ItemTable::count(const char* text, std::span<const Token> tokens,
                      std::span<const std::size_t> ends, std::uint64_t first_line, Cut& cut) {
  constexpr std::uint32_t repeated = std::numeric_limits<std::uint32_t>::max();  // no number
  // Slots move when the table grows, so what is kept is counted by the numbers of the names.
  found_.resize(tokens.size());
  std::uint32_t* const found = found_.data();
  std::size_t repetitions = 0;
  for_each(text, tokens, first_line, [&](Slot& slot, std::uint64_t line, std::size_t i) {
    const bool again = slot.line == line;
    found[i] = again ? repeated : slot.index;
    repetitions += static_cast<std::size_t>(again);
    slot.line = line;
  });
  kept_.resize(names_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::uint32_t* const distinct =
        repetitions == 0 ? found + end : std::remove(found + begin, found + end, repeated);
    cut.unit(std::span(found + begin, distinct),
             [kept = kept_.data()](std::uint32_t index) { ++kept[index]; });
    begin = end;
  }
}

void ItemTable::count(std::string_view name, std::uint64_t line) {
  Slot& slot = find_or_insert(name);
  slot.count += static_cast<std::uint64_t>(slot.line != line);
  slot.line = line;
}

std::uint32_t ItemTable::id(std::string_view name) { return find_or_insert(name).index; }

std::uint64_t ItemTable::first_line(std::string_view name, std::uint64_t line) {
  Slot& slot = find_or_insert(name);
  if (slot.line != 0) {
    return slot.line;
  }
  slot.line = line;
  return 0;
}

ItemTable::Slot& ItemTable::find_or_insert(std::string_view name) {
  if (name.size() > short_name) {
    return find_or_insert(name.data(), name.size(), probe(name.data(), name.size(), keys_));
  }
  std::array<char, padding> padded{};
  std::memcpy(padded.data(), name.data(), name.size());
  return find_or_insert(padded.data(), name.size(), probe(padded.data(), name.size(), keys_));
}

ItemTable::Slot& ItemTable::find_or_insert(const char* name, std::size_t length,
                                           const Probe& probe) {
  for (std::size_t at = probe.hash & mask_;; at = (at + 1) & mask_) {
    Slot& slot = slots_[at];
    if (slot.key == probe.key && slot.length == length &&
        (length <= short_name || std::memcmp(names_[slot.index].data(), name, length) == 0)) {
      return slot;
    }
    if (slot.length == 0) {
      if (4 * (names_.size() + 1) > 3 * slots_.size()) {
        grow();
        return find_or_insert(name, length, probe);
      }
      insert(slot, name, length, probe);
      return slot;
    }
  }
}

void ItemTable::insert(Slot& slot, const char* name, std::size_t length, const Probe& probe) {
  if (names_.size() == std::numeric_limits<std::uint32_t>::max()) {
    throw MachineFault("there are more than 2^32 distinct names");
  }
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back(keep({name, length}));
  slot = {.key = probe.key,
          .count = 0,
          .line = 0,
          .index = index,
          .length = static_cast<std::uint32_t>(length)};
}

void ItemTable::grow() {
  decltype(slots_) larger(2 * slots_.size());
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.length == 0) {
      continue;
    }
    const std::uint64_t hash =
        slot.length <= short_name ? mix(slot.key ^ keys_[0], keys_[1]) : slot.key;
    std::size_t at = hash & mask;
    while (larger[at].length != 0) {
      at = (at + 1) & mask;
    }
    larger[at] = slot;
  }
  slots_.swap(larger);
  mask_ = mask;
}

std::string_view ItemTable::keep(std::string_view name) {
  if (name.size() > room_) {
    text_.emplace_back(block_size);
    room_ = block_size;
  }
  char* const place = text_.back().data() + (block_size - room_);
  std::memcpy(place, name.data(), name.size());
  room_ -= name.size();
  return {place, name.size()};
}

std::vector<std::int64_t> ItemTable::counts() const {
  std::vector<std::int64_t> counts(names_.size());
  for (const Slot& slot : slots_) {
    if (slot.length != 0) {
      counts[slot.index] = static_cast<std::int64_t>(slot.count);
    }
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    counts[i] += kept_[i];
  }
  return counts;
}

std::vector<std::string> ItemTable::take_names() {
  slots_ = decltype(slots_)(smallest_table);
  mask_ = smallest_table - 1;
  std::vector<std::string> names(names_.begin(), names_.end());
  names_.clear();
  text_.clear();
  kept_.clear();
  room_ = 0;
  return names;
}

}  // namespace freegap::sources
