#include "cli/progress.hpp"

#include <ostream>

namespace freegap::cli {
namespace {

constexpr const char* wipe = "\r\x1b[K";
constexpr std::size_t bar_width = 30;

}  // namespace

Progress::~Progress() {
  if (terminal_) {
    err_ << wipe << std::flush;
  }
}

void Progress::start(const std::string& name) {
  name_ = name;
  show(0, 1);
}

void Progress::show(std::size_t done, std::size_t all) {
  if (!terminal_ || all == 0) {
    return;
  }
  const std::size_t filled = bar_width * done / all;
  err_ << wipe << std::string(filled, '#') << std::string(bar_width - filled, '.') << " " << name_
       << std::flush;
}

}  // namespace freegap::cli
