#include "questions/user.hpp"

#include <pwd.h>
#include <unistd.h>

#include <vector>

namespace freegap::questions {

std::string user() {
  std::vector<char> buffer(4096);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    return found->pw_name;
  }
  return "uid " + std::to_string(geteuid());
}

}  // namespace freegap::questions
