#include "experiments/dataset.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include "experiments/quest.hpp"
#include "freegap/errors.hpp"

namespace freegap::experiments {
namespace {

constexpr std::size_t fewest_items = 200;

constexpr std::array<PaperDataset, 3> paper_table{
    {{"BMS-POS", 515'597, 1'657}, {"kosarak", 990'002, 41'270}, {"T40I10D100K", 100'000, 942}}};

/// Letters and digits alone, in lower case.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return result;
}

std::optional<PaperDataset> row_named(std::string_view name) {
  for (const PaperDataset& row : paper_table) {
    if (plain(row.name) == plain(name)) {
      return row;
    }
  }
  return std::nullopt;
}

Dataset quest_dataset(const char* preset) {
  const QuestOptions options = *quest_preset(preset);
  return make_dataset(std::string("Quest ") + preset, quest_counts(options), options.transactions,
                      "made by this program's Quest generator, seed 1");
}

Dataset zipf_dataset() {
  constexpr std::int64_t items = 2000;
  constexpr std::int64_t largest = 100'000;
  std::vector<std::int64_t> counts;
  for (std::int64_t rank = 1; rank <= items; ++rank) {
    counts.push_back(largest / rank);
  }
  return make_dataset("Zipf", std::move(counts), std::nullopt,
                      "100,000 / rank for 2,000 items, rounded down");
}

}  // namespace

Dataset make_dataset(std::string name, std::vector<std::int64_t> counts,
                     std::optional<std::uint64_t> records, std::string origin) {
  std::erase_if(counts, [](std::int64_t count) { return count <= 0; });
  if (counts.size() < fewest_items) {
    throw InvalidParameter(name, "the experiments need at least 200 items with a count above 0");
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return {std::move(name), std::move(counts), records, std::move(origin)};
}

std::vector<Dataset> embedded_datasets() {
  return {quest_dataset("T40I10D100K"), quest_dataset("T10I4D100K"), zipf_dataset()};
}

std::optional<PaperDataset> paper_dataset(const Dataset& data) {
  const auto row = row_named(data.name);
  const bool same =
      row && data.counts.size() == row->items && (!data.records || *data.records == row->records);
  return same ? row : std::nullopt;
}

std::string compared_with_paper(const Dataset& data) {
  const auto row = row_named(data.name);
  if (!row) {
    return {};
  }
  if (paper_dataset(data)) {
    return data.records ? "as in the paper" : "as many items as in the paper";
  }
  return "not the paper's: it has " +
         (data.records ? std::to_string(row->records) + " records, " : "") +
         std::to_string(row->items) + " items";
}

}  // namespace freegap::experiments
