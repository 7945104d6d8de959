#pragma once

/// @file
/// The data of the experiments: counts of items, as the paper's queries ask for them. All of it is
/// public.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace freegap::experiments {

/// Item counts, largest first.
struct Dataset {
  std::string name;                      ///< as shown
  std::vector<std::int64_t> counts;      ///< of its items, falling
  std::optional<std::uint64_t> records;  ///< transactions behind them, where known
  std::string origin;                    ///< a phrase: where it comes from
};

/// A data set from counts in any order; items that occur in no record are left out, as in the
/// paper. Throws InvalidParameter where fewer than 200 are left: thresholds are drawn from the top
/// 8k, for k up to 24.
Dataset make_dataset(std::string name, std::vector<std::int64_t> counts,
                     std::optional<std::uint64_t> records, std::string origin);

/// The data that needs no files: Quest's T40I10D100K and T10I4D100K, and counts that fall like
/// 1/rank.
std::vector<Dataset> embedded_datasets();

/// What the paper's table says of a data set.
struct PaperDataset {
  std::string_view name;
  std::uint64_t records = 0;
  std::uint64_t items = 0;
};

/// The paper's row for this data set: it has its name, whatever the case and punctuation, as many
/// items, and as many records where they are known. None for another one of the same name.
std::optional<PaperDataset> paper_dataset(const Dataset& data);

/// How a data set compares with the paper's table: empty where the paper uses none of this name.
std::string compared_with_paper(const Dataset& data);

}  // namespace freegap::experiments
