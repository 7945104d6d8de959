// Counts transactions at the speed of the disk. Bytes are classified 64 at a time. A line of
// printable ASCII is split into tokens at the separators found. A line with other characters is
// checked again, character by character. Tokens are counted in batches, so that the table's memory
// can be prefetched, and only after their whole line was found to be well-formed.

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "sources/item_table.hpp"
#include "sources/readers.hpp"
#include "sources/separation.hpp"
#include "sources/text.hpp"

namespace freegap::sources {
namespace {

static_assert(Blocks::padding >= ItemTable::padding);

class Counter {
 public:
  Counter(Problems& problems, const Reading& reading, Cut* cut)
      : problems_(problems), reading_(reading), cut_(cut) {}

  void add(const Block& block);
  Values finish() {
    Values values;
    values.records = records_;
    values.unit = "transaction";
    values.whole = items_.counts();
    values.items = items_.take_names();
    return values;
  }

 private:
  static constexpr std::size_t batch_tokens = 2048;
  static constexpr std::uint64_t batch_lines = 60'000;  // below 2^16

  void end_line(std::size_t end, bool odd);
  void put_line();
  void cut_by_the_rules(std::string_view line);
  void push(std::size_t begin, std::size_t end);
  void count_batch();

  Problems& problems_;
  Reading reading_;
  Cut* cut_;  // none: all items stay
  ItemTable items_;
  std::vector<Token> tokens_;
  std::vector<Token> long_;              // of lines that may be cut
  std::vector<std::size_t> ends_;        // of these lines, in long_
  std::vector<Token>* into_ = &tokens_;  // where the line goes: where the one before it belonged
  std::string_view text_;                // of the block
  std::size_t line_begin_ = 0;           // in the block
  std::size_t line_tokens_ = 0;          // tokens in front of the line, where it goes
  std::uint64_t line_ = 1;               // its number
  std::uint64_t batch_first_ = 1;        // the number of the batch's first line
  std::uint64_t records_ = 0;
};

void Counter::add(const Block& block) {
  if (block.too_long) {
    problems_.add(line_, "the line is too long");
    ++line_;
    ++batch_first_;
    return;
  }
  text_ = block.text;
  line_begin_ = 0;
  batch_first_ = line_;
  std::size_t token = 0;  // where the next one may begin
  bool odd = false;       // the line needs a second look
  for (std::size_t at = 0; at < text_.size(); at += 64) {
    Strip strip = sort_strip(text_.data() + at);
    if (text_.size() - at < 64) {
      const std::uint64_t inside = (std::uint64_t{1} << (text_.size() - at)) - 1;
      strip.separators &= inside;
      strip.odd &= inside;
    }
    const bool odd_strip = strip.odd != 0;
    odd = odd || odd_strip;
    while (strip.separators != 0) {
      const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(strip.separators));
      strip.separators &= strip.separators - 1;
      if (end > token) {
        odd = odd || end - token > longest_text;
        push(token, end);
      }
      token = end + 1;
      if (text_[end] == '\n') {
        end_line(end, odd);
        odd = odd_strip;  // it may stand in the next line
      } else if (text_[end] == '\r') {
        odd = odd || (end + 1 < text_.size() && text_[end + 1] != '\n');
      }
    }
  }
  if (line_begin_ < text_.size()) {  // the last line of a file, without an end
    if (text_.size() > token) {
      odd = odd || text_.size() - token > longest_text;
      push(token, text_.size());
    }
    end_line(text_.size(), odd);
  }
  count_batch();
}

void Counter::push(std::size_t begin, std::size_t end) {
  into_->push_back({.offset = static_cast<std::uint32_t>(begin),
                    .length = static_cast<std::uint16_t>(end - begin),
                    .line = static_cast<std::uint16_t>(line_ - batch_first_)});
}

void Counter::end_line(std::size_t end, bool odd) {
  const std::string_view line = text_.substr(line_begin_, end - line_begin_);
  if (line.size() > reading_.longest_line) {
    into_->resize(line_tokens_);
    problems_.add(line_, "the line is too long");
  } else if (odd) {
    into_->resize(line_tokens_);
    cut_by_the_rules(line);
  }
  records_ += static_cast<std::uint64_t>(into_->size() > line_tokens_);
  if (cut_ != nullptr) {
    put_line();
  }
  line_begin_ = end + 1;
  line_tokens_ = into_->size();
  ++line_;
  if (tokens_.size() + long_.size() >= batch_tokens || line_ - batch_first_ >= batch_lines) {
    count_batch();
  }
}

/// Puts the tokens of a line where they belong: lines that may be cut are counted apart.
void Counter::put_line() {
  const bool may_be_cut = into_->size() - line_tokens_ > cut_->most();
  std::vector<Token>* const wanted = may_be_cut ? &long_ : &tokens_;
  if (wanted != into_) {
    const auto first = into_->begin() + static_cast<std::ptrdiff_t>(line_tokens_);
    wanted->insert(wanted->end(), first, into_->end());
    into_->erase(first, into_->end());
    into_ = wanted;
  }
  if (may_be_cut) {
    ends_.push_back(long_.size());
  }
}

void Counter::cut_by_the_rules(std::string_view line) {
  line = without_marks(line);
  if (const char* problem = text_problem(line)) {
    problems_.add(line_, problem);
    return;
  }
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end])) {
      ++end;
    }
    if (end - begin > longest_text) {
      into_->resize(line_tokens_);
      problems_.add(line_, "it has an item longer than " + std::to_string(longest_text) + " bytes");
      return;
    }
    if (end > begin) {
      const auto offset = static_cast<std::size_t>(line.data() - text_.data());
      push(offset + begin, offset + end);
    }
    begin = end + 1;
  }
}

void Counter::count_batch() {
  items_.count(text_.data(), tokens_, batch_first_);
  tokens_.clear();
  if (!long_.empty()) {
    items_.count(text_.data(), long_, ends_, batch_first_, *cut_);
    long_.clear();
    ends_.clear();
  }
  line_tokens_ = 0;
  batch_first_ = line_;
}

}  // namespace

Values read_transactions(Bytes& bytes, Problems& problems, const Reading& reading,
                         const std::optional<std::string>& checked, Cut* cut) {
  Blocks blocks(bytes, reading);
  Counter counter(problems, reading, cut);
  bool mixed = false;
  bool first = true;
  while (const std::optional<Block> block = blocks.next()) {
    mixed = first ? mixes_blanks(block->text) : mixed;
    first = false;
    counter.add(*block);
  }
  Values values = counter.finish();
  if (checked) {
    check_separation(values, mixed, *checked);
  }
  return values;
}

}  // namespace freegap::sources
