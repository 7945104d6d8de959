#pragma once

/// @file
/// How the release of a sparse vector is shown, whether its queries came from a file or a stream.

#include <vector>

#include "cli/rendering.hpp"

namespace freegap::cli {

/// How both mechanisms are shown.
std::vector<Renderer> sparse_vector_renderers();

}  // namespace freegap::cli
