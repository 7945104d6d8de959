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

/// Its name among the given data sets, or nothing if it is not among them.
std::optional<std::string> known_among(const std::vector<Dataset>& datasets) {
  for (const Dataset& data : datasets) {
    const auto paper = paper_dataset(data);
    if (paper && paper->name == known_data) {
      return data.name;
    }
  }
  return std::nullopt;
}

std::string rounded(const std::string& number, int decimals) {
  return number.empty() ? number : fixed(std::stod(number), decimals);
}

std::string with_its_error(const std::string& value, const std::string& error, int decimals) {
  return value.empty() ? value : rounded(value, decimals) + " ± " + rounded(error, decimals);
}

/// A number to compare: its place in the tables, and its known values.
struct Line {
  std::string what;
  std::string table;
  std::vector<std::pair<std::string, std::string>> where;
  std::string value;   ///< column
  std::string error;   ///< column
  std::string theory;  ///< column; empty if there is none
  int decimals = 0;
  std::string authors;  ///< result of the authors' program on `known_data`; empty if not known
};

std::vector<Line> reduction_lines() {
  struct Known {
    const char* mechanism;
    std::array<const char*, 3> authors;
  };
  const std::array<const char*, 3> ks{"4", "10", "24"};
  std::vector<Line> lines;
  for (const Known& known : {Known{"sparse vector", {"42.5", "52–53", "57–58"}},
                             Known{"top-k", {"49–50", "59–60", "64"}}}) {
    for (std::size_t i = 0; i < ks.size(); ++i) {
      lines.push_back({std::string(known.mechanism) +
                           ", exponential noise: squared error saved by linear estimates, %",
                       "reduction-k",
                       {{"mechanism", known.mechanism}, {"noise", "exponential"}, {"k", ks[i]}},
                       "linear_percent",
                       "linear_standard_error",
                       "linear_theory_percent",
                       1,
                       known.authors[i]});
    }
  }
  for (const char* mechanism : {"sparse vector", "top-k"}) {
    for (const char* k : ks) {
      lines.push_back(
          {std::string(mechanism) + ", exponential noise: squared error saved by likelihood, %",
           "reduction-k",
           {{"mechanism", mechanism}, {"noise", "exponential"}, {"k", k}},
           "likelihood_percent",
           "likelihood_standard_error",
           "likelihood_theory_percent",
           1,
           ""});
    }
  }
  return lines;
}

std::vector<Line> adaptive_lines() {
  struct Way {
    const char* table;
    const char* name;
    const char* what;
  };
  const std::vector<Way> ways{
      {"adaptive", "classic", "classic"},
      {"adaptive", "adaptive", "adaptive, as in the paper"},
      {"choices", "the first three together", "adaptive, with the authors' choices"},
      {"choices", "as long as a branch can be paid for", "adaptive, the library's stop rule"}};
  std::vector<Line> lines;
  for (const Way& way : ways) {
    const bool authors = way.name == std::string("the first three together");
    for (const char* k : {"10", "24"}) {
      const auto add = [&](const char* what, const char* value, const char* error, int decimals,
                           const char* known) {
        lines.push_back({std::string(way.what) + ": " + what,
                         way.table,
                         {{"way", way.name}, {"k", k}},
                         value,
                         error,
                         "",
                         decimals,
                         authors && k == std::string("10") ? known : ""});
      };
      if (way.name != std::string("classic")) {
        add("answers", "answers", "answers_error", 2, "17.8");
        add("budget left after k answers, %", "left_percent", "left_error", 2, "38.3");
      }
      add("precision", "precision", "precision_error", 4, "");
      add("F-measure", "f_measure", "f_measure_error", 3, "");
    }
  }
  return lines;
}

/// Names of the data in the order of a table.
std::vector<std::string> data_of(const Table& table) {
  const Reader reader(table);
  std::vector<std::string> names;
  for (const std::vector<std::string>& row : table.rows) {
    const std::string& name = reader.at(row, "data");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

void add_line(const Line& line, const Table& from, const std::optional<std::string>& known,
              Table& result) {
  const Reader reader(from);
  std::vector<std::string> cells(result.columns.size());
  cells[0] = line.what;
  for (const std::vector<std::string>& row : reader.where(line.where)) {
    cells[1] = reader.at(row, "k");
    const auto column =
        std::find(result.columns.begin(), result.columns.end(), reader.at(row, "data"));
    cells[static_cast<std::size_t>(column - result.columns.begin())] =
        with_its_error(reader.at(row, line.value), reader.at(row, line.error), line.decimals);
    if (!line.theory.empty()) {
      cells[2] = rounded(reader.at(row, line.theory), line.decimals);
    }
    if (reader.at(row, "data") == known) {
      cells.back() = line.authors;
    }
  }
  result.rows.push_back(std::move(cells));
}

}  // namespace

std::optional<Chapter> comparison_chapter(const std::vector<Dataset>& datasets,
                                          const std::vector<Chapter>& chapters) {
  Table result{"comparison", "Found, expected and known: ε = 0.7, counts", {}, {}};
  std::vector<Line> lines = reduction_lines();
  for (Line& line : adaptive_lines()) {
    lines.push_back(std::move(line));
  }
  for (const Line& line : lines) {
    const Table* const from = find(chapters, line.table);
    if (from == nullptr) {
      continue;
    }
    if (result.columns.empty()) {
      result.columns = {"what", "k", "theory"};
      for (std::string& name : data_of(*from)) {
        result.columns.push_back(std::move(name));
      }
      result.columns.push_back(std::string("authors' program, ") + known_data);
    }
    add_line(line, *from, known_among(datasets), result);
  }
  if (result.rows.empty()) {
    return std::nullopt;
  }
  return Chapter{"At a glance",
                 "Found: mean ± one standard error. Theory: for well-separated counts; "
                 "there is none for adaptive runs on real data. The "
                 "authors' program: as this "
                 "project found when it ran it on the item counts of the paper's T40I10D100K.",
                 {},
                 {result},
                 {result}};
}

}  // namespace freegap::experiments
