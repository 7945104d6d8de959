#pragma once

/// @file
/// The candidates of a release: their labels, which are public, and their numbers, which are
/// secret.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "freegap/candidates.hpp"
#include "questions/options.hpp"
#include "questions/question.hpp"
#include "sources/number.hpp"

namespace freegap::questions {

/// Length and hash of a list of names.
CandidateList described(const std::vector<std::string>& labels);

/// Refuses names that are not among the candidates, where these were declared: both are public, and
/// a mistyped name would be measured as noise around 0. Throws InvalidParameter. Returns the list
/// that was read from a file, if any.
std::optional<CandidateList> check_named(const std::vector<std::string>& names,
                                         const CandidateOptions& options);

/// The numbers of public labels, in their order: `numbers[i]` is that of `items[i]`. What is
/// outside the list is left out, record by record; a label that no item has gets `absent`.
template <class Number, class Numbers>
std::vector<Number> numbers_listed(const std::vector<std::string>& labels,
                                   const std::vector<std::string>& items, const Numbers& numbers,
                                   Number absent) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    places.emplace(labels[i], i);
  }
  std::vector<Number> result(labels.size(), absent);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto place = places.find(items[i]); place != places.end()) {
      result[place->second] = static_cast<Number>(numbers[i]);
    }
  }
  return result;
}

/// Ids of a universe, with their numbers.
struct ListedIds {
  std::vector<std::int64_t> ids;      ///< those among the items
  std::vector<std::int64_t> numbers;  ///< their numbers
};

/// The ids among items. What is outside the universe is left out, record by record.
template <class Numbers>
ListedIds ids_listed(const Universe& universe, const std::vector<std::string>& items,
                     const Numbers& numbers) {
  ListedIds result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto id = sources::parse_id(items[i]);
    if (id && *id >= universe.first && *id <= universe.last) {
      result.ids.push_back(*id);
      result.numbers.push_back(static_cast<std::int64_t>(numbers[i]));
    }
  }
  return result;
}

/// What is public about the candidates of a release.
struct CandidateFacts {
  std::string mode;                        ///< how they were declared
  std::uint64_t count = 0;                 ///< how many they are; 0 where that is secret
  std::string value_column = {};           ///< of ready-made numbers; empty for what is counted
  std::optional<Universe> universe = {};   ///< the range of ids, where that was declared
  std::optional<CandidateList> list = {};  ///< the list, where one was named
  bool unknown = false;  ///< nobody listed them: how many there are is secret, and is not told

  /// Adds how they were declared, and how many they are, to the parameters of a release.
  void describe(Json& parameters) const;
  /// Adds the column that ready-made numbers stand in; nothing for what is counted.
  void describe_value(Json& parameters) const;
};

/// The public names of candidates, in the order of the items. Called once per release, after the
/// draw.
using NamesOf = std::function<std::vector<std::string>(const std::vector<Item>&)>;

/// Candidates with their labels. Nothing that is said about a label depends on whether it is in the
/// data.
class LabelledCandidates {
 public:
  /// Reads the data and declares the candidates. Refuses a list of candidates that was not declared
  /// public, unless the data is no secret.
  LabelledCandidates(const CandidateOptions& options, const sources::DataSource& source,
                     Secrecy secrecy);
  /// Reads the data; the candidates are `labels`, which are public.
  LabelledCandidates(std::vector<std::string> labels, const sources::DataSource& source);
  /// Candidates in memory, which must outlive this. `names` says what they are called, in
  /// `longest_name` bytes each at most.
  LabelledCandidates(const sources::DataSource& source, CandidateFacts facts, Candidates candidates,
                     NamesOf names, std::uint64_t longest_name);
  LabelledCandidates(const LabelledCandidates&) = delete;
  LabelledCandidates& operator=(const LabelledCandidates&) = delete;
  ~LabelledCandidates() = default;

  /// The candidates.
  [[nodiscard]] const Candidates& candidates() const { return *candidates_; }
  /// The public names of some candidates.
  [[nodiscard]] std::vector<std::string> labels(const std::vector<Item>& items) const;
  /// Where they come from.
  [[nodiscard]] const sources::DataSource& source() const { return source_; }
  /// What is public about them.
  [[nodiscard]] const CandidateFacts& facts() const { return facts_; }
  /// The most winners there can be of so many that are asked for. A public number.
  [[nodiscard]] std::uint64_t at_most(std::uint64_t asked) const;
  /// The most bytes that the names of so many candidates can have. A public number.
  [[nodiscard]] std::uint64_t name_bytes(std::uint64_t count) const;

 private:
  void take_all(sources::Values values);
  void drop_absent();
  void take_ids(const sources::Values& values);
  void take_listed(const sources::Values& values);
  void sort_by_label();
  void view_all();
  [[nodiscard]] Candidates view() const;
  [[nodiscard]] Candidates view_unbounded() const;

  sources::DataSource source_;
  CandidateFacts facts_;
  std::vector<std::string> labels_;  // without a universe
  std::vector<std::int64_t> ids_;    // with a universe: those in the data
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::optional<Candidates> candidates_;  // a view of the above
  NamesOf names_;                         // of candidates in memory
  std::uint64_t longest_name_ = 0;        // of candidates in memory
};

}  // namespace freegap::questions
