#include "freegap/detail/core/process.hpp"

#include <sys/mman.h>

#include <new>

#include "freegap/errors.hpp"

namespace freegap::detail {
namespace {

using Number = std::atomic<std::uint64_t>;

/// The largest number that was given out in this process and in those it was forked from. In
/// ordinary memory, which a child inherits: the child's number is a new one.
Number last_number{0};

/// A page that the kernel replaces by zeros in a child process, however it is forked. A handler of
/// pthread_atfork would miss clone(2), and process ids are used again.
Number* wiped_page() {
  void* memory =
      mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw MachineFault("no memory to tell a child process from its parent");
  }
  if (madvise(memory, sizeof(Number), MADV_WIPEONFORK) != 0) {
    munmap(memory, sizeof(Number));
    throw MachineFault(
        "a child process cannot be told from its parent (MADV_WIPEONFORK, Linux 4.14 or newer)");
  }
  return ::new (memory) Number{0};
}

/// The number of this process, in a page that lives as long as the process. Zero in a child until
/// it makes an object of its own.
Number& current_number() {
  static Number* const page = wiped_page();
  return *page;
}

/// The number of this process, given out now if it has none: 1 or more.
std::uint64_t number_of_process(Number& current) {
  std::uint64_t number = current.load(std::memory_order_relaxed);
  if (number != 0) {
    return number;
  }
  const std::uint64_t fresh = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  // Another thread may have been faster; then its number, now in `number`, is that of the process.
  return current.compare_exchange_strong(number, fresh, std::memory_order_relaxed) ? fresh : number;
}

}  // namespace

Process::Process() : current_(&current_number()), number_(number_of_process(current_number())) {}

void Process::refuse() {
  throw Forked(
      "this object was made before a fork and belongs to the parent process, which may go on with "
      "it; make a new one, with a budget of its own, in the child");
}

}  // namespace freegap::detail
