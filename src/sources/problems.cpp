#include "sources/problems.hpp"

#include <utility>

#include "freegap/errors.hpp"

namespace freegap::sources {

void Problems::stand_in(std::string where, std::string record) {
  where_ = std::move(where);
  record_ = std::move(record);
}

void Problems::add(std::uint64_t line, const std::string& problem) {
  switch (policy_) {
    case Policy::refuse:
      throw InvalidParameter(where_ + ", " + record_ + " " + std::to_string(line),
                             problem +
                                 "; mend it, or drop all such records with "
                                 "--skip-bad-records (freegap count --check lists them)");
    case Policy::drop:
      return;
    case Policy::note:
      if (bad_.size() < most_) {
        bad_.push_back({line, problem});
      }
      return;
  }
}

}  // namespace freegap::sources
