#include "noise/lazy_uniform.hpp"

#include "freegap/errors.hpp"

namespace freegap::detail {

std::span<const std::uint64_t> LazyUniform::extend() {
  // Most decisions are settled by the first word, so the list of words is made only here.
  if (words_.empty()) {
    words_.push_back(first_);
  }
  if (words_.size() == most_words) {
    throw MachineFault("the random bits are broken: 4096 of them settled nothing");
  }
  words_.push_back(bits_->word());
  return words_;
}

}  // namespace freegap::detail
