#pragma once

/// @file
/// What can be said about a question, whoever asks it: the program or another language. Texts were
/// parsed before.

#include <cstdint>
#include <optional>
#include <string>

#include "freegap/candidates.hpp"
#include "freegap/distribution.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "sources/data_source.hpp"

namespace freegap::questions {

/// Whether the data a verb reads is secret. `simulate` works on data that is not.
enum class Secrecy : std::uint8_t { secret, not_secret };

/// A number, and the text it was given as, which stands in the release.
struct WrittenNumber {
  std::string text;  ///< as given
  Rational value;    ///< what it means
  /// Throws InvalidParameter.
  static WrittenNumber parse(const std::string& text) { return {text, Rational::parse(text)}; }
};

/// The number itself, where one was given.
inline std::optional<Rational> value_of(const std::optional<WrittenNumber>& number) {
  return number ? std::optional(number->value) : std::nullopt;
}

/// What the numbers of the data mean.
struct QueryOptions {
  std::optional<Kind> kind;                        ///< none: the verb's default
  Neighbours neighbours = Neighbours::add_remove;  ///< what is protected
  std::optional<Rational> sensitivity;             ///< the most that one unit changes one number
  /// What was declared, `by_default` standing in where no kind was given.
  [[nodiscard]] Queries declared(Kind by_default) const {
    return {kind.value_or(by_default), neighbours, sensitivity.value_or(1)};
  }
};

/// Which items can win.
struct CandidateOptions {
  std::string list;                  ///< file with a public list
  std::optional<Universe> universe;  ///< all ids of a range
  bool items_are_public = false;     ///< declared by the caller
  bool unknown_items = false;        ///< nobody can list them: those that occur, with a δ
  bool sorted = false;               ///< by label, not as in the data
};

/// Where data comes from, what its numbers mean, and which items can win.
struct DataOptions {
  sources::Input input;                 ///< where it is
  QueryOptions queries;                 ///< what its numbers mean
  CandidateOptions candidates;          ///< which items can win
  std::optional<sources::Range> range;  ///< that ready-made numbers are clamped into
  /// What is declared about the input, `by_default` standing in where no kind was given. Numbers
  /// that are not counts need both kind and sensitivity.
  [[nodiscard]] sources::Declaration declaration(Kind by_default, Secrecy secrecy) const {
    return {.queries = queries.declared(by_default),
            .secret = secrecy == Secrecy::secret,
            .numbers_said = queries.kind && queries.sensitivity,
            .range = range};
  }
};

/// How noise is drawn.
struct NoiseOptions {
  Distribution distribution = Distribution::exponential;  ///< its shape
  std::optional<WrittenNumber> tick;                      ///< a power of two; none: fine enough
};

}  // namespace freegap::questions
