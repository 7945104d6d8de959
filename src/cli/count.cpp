#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <ostream>

#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "freegap/version.hpp"
#include "report/visible_text.hpp"

namespace freegap::cli {
namespace {

constexpr const char* example = R"(Example:
  freegap quest T10I4D100K --transactions 5000 --out sample.dat
  freegap count sample.dat --format csv > counts.csv

Counts how many transactions, rows or units each item is in. The result is
EXACT, NOT PRIVATE: it is for the owner of the data. --check lists malformed
records.)";

struct CountOptions {
  sources::Input input;
  std::optional<OutputFormat> format;
  bool check = false;
  /// The input, whose ready-made numbers must be counts.
  [[nodiscard]] sources::DataSource source() const {
    return {input, {.queries = {.kind = Kind::counts}, .secret = false, .numbers_said = true}};
  }
  /// How many records were read; null where DuckDB read and counted them.
  [[nodiscard]] Json records_of(const sources::Values& values) const {
    const bool elsewhere = (input.duckdb || input.parquet) && input.item && !input.value;
    return elsewhere ? Json() : Json(values.records);
  }
};

/// Largest count first, then by name.
std::vector<std::size_t> by_count(const sources::Values& values) {
  std::vector<std::size_t> order(values.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values.whole[a] != values.whole[b] ? values.whole[a] > values.whole[b]
                                              : values.items[a] < values.items[b];
  });
  return order;
}

void count(const CountOptions& options, const Context& context) {
  const sources::DataSource source = options.source();
  sources::Values values;
  {
    Progress progress(context.err, context.terminal);
    progress.start("counting " + visible(options.input.path));
    values = source.read();
  }
  const OutputFormat format = format_or_default(options.format, context);
  if (format == OutputFormat::json) {
    Json head{{"freegap", version}, {"verb", "count"}, {"private", false}};
    head["unit"] = source.unit() ? Json(*source.unit()) : Json();
    head["records"] = options.records_of(values);
    if (source.queries().max_items) {
      head["max_items"] = *source.queries().max_items;
    }
    const std::string open = line_of(head);
    context.out << open.substr(0, open.size() - 1) << ",\"counts\":[";
  } else {
    context.out << (is_csv(format) ? "item,count\n" : "     count  item\n");
  }
  const char* separator = "";
  for (const std::size_t i : by_count(values)) {
    if (format == OutputFormat::json) {
      context.out << separator << "{\"item\":" << line_of(values.items[i])
                  << ",\"count\":" << values.whole[i] << '}';
      separator = ",";
    } else if (is_csv(format)) {
      context.out << csv_text(values.items[i], format) << ',' << values.whole[i] << '\n';
    } else {
      const std::string number = std::to_string(values.whole[i]);
      context.out << std::string(10 - std::min<std::size_t>(10, number.size()), ' ') << number
                  << "  " << visible(values.items[i]) << '\n';
    }
  }
  show(context, format == OutputFormat::json ? "]}\n" : "");
  context.err << "freegap: these counts are exact, not private; keep them as safe as the data\n";
}

void list_bad_records(const CountOptions& options, const Context& context) {
  const sources::Values values = options.source().check();
  Json rows = Json::array();
  for (const sources::BadRecord& bad : values.bad) {
    rows.push_back({{"line", bad.line}, {"problem", bad.problem}});
  }
  const OutputFormat format = format_or_default(options.format, context);
  if (format == OutputFormat::json) {
    show(context, line_of({{"freegap", version},
                           {"verb", "count --check"},
                           {"private", false},
                           {"records", options.records_of(values)},
                           {"malformed", rows}}) +
                      "\n");
  } else if (is_csv(format)) {
    show(context, csv(rows, {"line", "problem"}, format));
  } else {
    show(context, rows.empty() ? "No malformed records.\n"
                               : table(rows, {{"line", "line"}, {"problem", "problem", 66, true}}));
  }
}

}  // namespace

void add_count(CLI::App& app, const Context& context) {
  auto options = std::make_shared<CountOptions>();
  CLI::App* verb =
      app.add_subcommand("count", "Exact counts of the items in the data: NOT private");
  add_input(*verb, options->input);
  add_max_items(*verb, options->input.max_items,
                "Contribution bound: a unit that brings more items keeps so many of them, chosen "
                "at random. For `top --bounded-by`");
  add_format(*verb, options->format);
  verb->add_flag("--check", options->check, "List malformed records instead");
  verb->footer(example);
  verb->callback([options, &context] {
    options->check ? list_bad_records(*options, context) : count(*options, context);
  });
}

}  // namespace freegap::cli
