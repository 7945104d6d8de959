#pragma once

/// @file
/// The data of the experiments: counts of items, which the paper's queries ask for. All of it is
/// public.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace freegap::experiments {

/// Item counts, largest first.
struct Dataset {
  std::string name;                      ///< in tables and figures
  std::vector<std::int64_t> counts;      ///< one per item, in falling order
  std::optional<std::uint64_t> records;  ///< number of transactions, if known
  std::string origin;                    ///< where it comes from, as a phrase
};

/// A data set from counts in any order. Items that occur in no record are left out, as in the
/// paper. Throws InvalidParameter if fewer than 200 items are left: thresholds are drawn from the
/// top 8k, for k up to 24.
Dataset make_dataset(std::string name, std::vector<std::int64_t> counts,
                     std::optional<std::uint64_t> records, std::string origin);

/// The data sets that need no files: Quest's T40I10D100K and T10I4D100K, and counts that fall like
/// 1/rank.
std::vector<Dataset> embedded_datasets();

/// One row of the paper's table of data sets.
struct PaperDataset {
  std::string_view name;
  std::uint64_t records = 0;
  std::uint64_t items = 0;
};

/// The paper's row for this data set: the name agrees up to case and punctuation, and so do the
/// numbers of items and, if known, of records. Nothing for another data set of the same name.
std::optional<PaperDataset> paper_dataset(const Dataset& data);

/// How a data set compares with the paper's table. Empty if the paper has none of this name.
std::string compared_with_paper(const Dataset& data);

}  // namespace freegap::experiments
