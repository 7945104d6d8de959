#include "freegap/item.hpp"

namespace freegap {

bool operator<(const Item& a, const Item& b) {
  return a.id != b.id ? a.id < b.id : a.member < b.member;
}

}  // namespace freegap
