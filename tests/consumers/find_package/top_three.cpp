// What a program that uses the installed library looks like: the three largest of a few counts.
#include <array>
#include <cstdint>
#include <freegap/freegap.hpp>
#include <freegap/version.hpp>
#include <iostream>

int main() {
  using namespace freegap;
  constexpr std::array<std::int64_t, 6> counts{120000, 5, 90000, 17, 60000, 3};

  SecureNoise noise;
  const auto candidates = Candidates::counting(counts, Neighbours::add_remove);
  const auto release = top_k(candidates, {.k = 3, .epsilon = "1"_eps}, noise);

  std::cout << "freegap " << version << ", winners:";
  for (const Item& winner : release.winners) {
    std::cout << ' ' << winner.id;
  }
  std::cout << '\n';
}
