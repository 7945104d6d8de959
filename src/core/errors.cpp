#include "freegap/errors.hpp"

namespace freegap {

InvalidParameter::InvalidParameter(const std::string& argument, const std::string& problem)
    : std::invalid_argument(argument + ": " + problem) {}

}  // namespace freegap
