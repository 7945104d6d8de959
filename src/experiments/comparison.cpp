#include "experiments/comparison.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace freegap::experiments {
namespace {

/// A table's cells by the names of its columns.
class Reader {
 public:
  explicit Reader(const Table& table) : table_(&table) {}

  [[nodiscard]] const std::string& at(const std::vector<std::string>& row,
                                      const std::string& column) const {
    const auto found = std::find(table_->columns.begin(), table_->columns.end(), column);
    return row.at(static_cast<std::size_t>(found - table_->columns.begin()));
  }
  /// Rows in which the columns have these values.
  [[nodiscard]] std::vector<std::vector<std::string>> where(
      const std::vector<std::pair<std::string, std::string>>& wanted) const {
    std::vector<std::vector<std::string>> rows;
    for (const std::vector<std::string>& row : table_->rows) {
      if (std::all_of(wanted.begin(), wanted.end(),
                      [&](const auto& w) { return at(row, w.first) == w.second; })) {
        rows.push_back(row);
      }
    }
    return rows;
  }

 private:
  const Table* table_;
};

const Table* find(const std::vector<Chapter>& chapters, const std::string& name) {
  for (const Chapter& chapter : chapters) {
    for (const Table& table : chapter.tables) {
      if (table.name == name) {
        return &table;
      }
    }
  }
  return nullptr;
}

/// The data set for which figures of the authors' program are known: the paper's third.
constexpr const char* known_data = "T40I10D100K";

struct Known {
  const char* mechanism;
  const char* k;
  const char* authors;
};
constexpr std::array<Known, 6> known_reductions{{{"sparse vector", "4", "42.5"},
                                                 {"sparse vector", "10", "52–53"},
                                                 {"sparse vector", "24", "57–58"},
                                                 {"top-k", "4", "49–50"},
                                                 {"top-k", "10", "59–60"},
                                                 {"top-k", "24", "64"}}};

std::string rounded(const std::string& number, int decimals) {
  return number.empty() ? number : fixed(std::stod(number), decimals);
}

std::string with_its_error(const std::string& value, const std::string& error, int decimals) {
  return value.empty() ? value : rounded(value, decimals) + " ± " + rounded(error, decimals);
}

void add_reductions(const Table& table, Table& result) {
  const Reader reader(table);
  for (const Known& known : known_reductions) {
    for (const auto& row :
         reader.where({{"mechanism", known.mechanism}, {"noise", "exponential"}, {"k", known.k}})) {
      const bool same_data = reader.at(row, "data") == known_data;
      result.rows.push_back(
          {std::string("reduction, ") + known.mechanism + ", %", reader.at(row, "data"), known.k,
           with_its_error(reader.at(row, "reduction_percent"), reader.at(row, "standard_error"), 1),
           rounded(reader.at(row, "theory_percent"), 1), same_data ? known.authors : ""});
    }
  }
}

struct Measure {
  const char* name;
  const char* value;
  const char* error;
  int decimals;
};
constexpr std::array<Measure, 4> adaptive_measures{
    {{"answers", "answers", "answers_error", 2},
     {"precision", "precision", "precision_error", 4},
     {"F-measure", "f_measure", "f_measure_error", 3},
     {"budget left after k answers, %", "left_percent", "left_error", 2}}};

/// What the authors' program gives with its own cut-off and its cost in doubles, at k = 10.
std::string authors_adaptive(const std::string& data, const std::string& way, const std::string& k,
                             const std::string& measure) {
  if (data != known_data || way != "all four of the authors'" || k != "10") {
    return {};
  }
  return measure == "answers" ? "17.8" : measure == "left_percent" ? "38.3" : "";
}

void add_adaptive(const Table& table, const std::vector<std::string>& ways, Table& result) {
  const Reader reader(table);
  for (const std::string& way : ways) {
    for (const char* k : {"10", "24"}) {
      for (const auto& row : reader.where({{"way", way}, {"k", k}})) {
        const std::string& data = reader.at(row, "data");
        for (const Measure& measure : adaptive_measures) {
          if (way == "classic" && measure.value == std::string("left_percent")) {
            continue;
          }
          result.rows.push_back({way + ": " + measure.name, data, k,
                                 with_its_error(reader.at(row, measure.value),
                                                reader.at(row, measure.error), measure.decimals),
                                 "", authors_adaptive(data, way, k, measure.value)});
        }
      }
    }
  }
}

}  // namespace

std::optional<Chapter> comparison_chapter(const std::vector<Chapter>& chapters) {
  Table table{"comparison",
              "Found, expected and known: ε = 0.7, counts",
              {"what", "data", "k", "found", "theory", "authors' program"},
              {}};
  if (const Table* reductions = find(chapters, "reduction-k")) {
    add_reductions(*reductions, table);
  }
  if (const Table* adaptive = find(chapters, "adaptive")) {
    add_adaptive(*adaptive, {"classic", "adaptive"}, table);
  }
  if (const Table* choices = find(chapters, "choices")) {
    add_adaptive(*choices, {"all four of the authors'", "as long as a branch can be paid for"},
                 table);
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  return Chapter{
      "At a glance",
      "Found: mean ± one standard error. Theory: closed form for well-separated counts; "
      "there is none for adaptive runs on real data. The authors' program is known on the item "
      "counts of the paper's T40I10D100K.",
      {},
      {table},
      {table}};
}

}  // namespace freegap::experiments
