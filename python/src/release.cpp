#include "release.hpp"

namespace freegap::python {

Release::Release(questions::Json document)
    : cost_{Rational::parse(document["epsilon"]["reserved"].get<std::string>()),
            Rational::parse(document["epsilon"]["spent"].get<std::string>())},
      document_(std::move(document)) {}

const questions::Json& Release::document() const {
  if (!document_) {
    document_ = write_();
  }
  return *document_;
}

}  // namespace freegap::python
