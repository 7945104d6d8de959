#include "freegap/queries.hpp"

namespace freegap {

const char* name(Kind kind) { return kind == Kind::counts ? "counts" : "general"; }

const char* name(Neighbours neighbours) {
  return neighbours == Neighbours::replace ? "replace" : "add-remove";
}

}  // namespace freegap
