#pragma once

/// @file
/// How the release of a sparse vector is shown, whether its queries came from a file or a stream.

#include <cstddef>
#include <string>
#include <vector>

#include "cli/rendering.hpp"

namespace freegap::cli {

/// The heading of a release of which so many answers are above, of so many that were asked.
std::string answers_title(const Json& document, std::size_t passed, std::size_t asked);

/// How both mechanisms are shown.
std::vector<Renderer> sparse_vector_renderers();

}  // namespace freegap::cli
