#pragma once

/// @file
/// Many runs of one question about data that is no secret: how far estimates are off, how often
/// intervals hold the truth, how often the right items win. Each way to make estimates sees the
/// same releases.

#include "requests.hpp"

namespace freegap::lab {

/// One run with each way to make estimates, and the truth about the items in it.
Json look(const Json& request);

/// Goes on with the study of a request until so many runs are made as its member `runs` says, and
/// sums them up. The study of another request starts afresh.
Json study(const Json& request);

}  // namespace freegap::lab
