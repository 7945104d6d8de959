#include "cli/stream.hpp"

#include <istream>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/interruption.hpp"
#include "cli/program.hpp"
#include "cli/sparse_vector_document.hpp"
#include "sources/text.hpp"

namespace freegap::cli {
namespace {

const std::vector<std::string> columns{"query",    "above",          "branch", "gap",
                                       "estimate", "standard_error", "lower",  "p_not_above",
                                       "spent",    "error"};

/// One line of the stream: a name and a number, or what is wrong with it.
struct Line {
  std::string name;
  Answer value = 0;
  const char* problem = nullptr;
};

Line bad(const char* problem) { return {{}, 0, problem}; }

/// A name and a number, separated by the line's last comma.
Line parse(std::string_view text, const sources::DataSource& source) {
  if (!text.empty() && text.back() == '\r') {
    text.remove_suffix(1);
  }
  const std::size_t comma = text.rfind(',');
  if (comma == std::string_view::npos) {
    return bad("write name,value");
  }
  const std::string_view name = sources::trimmed(text.substr(0, comma));
  const std::string_view number = sources::trimmed(text.substr(comma + 1));
  if (name.empty()) {
    return bad("the name is missing; write name,value");
  }
  if (name.size() > sources::longest_text || sources::text_problem(text) != nullptr) {
    return bad("the name must be UTF-8 without control characters, at most 1024 bytes");
  }
  if (const std::optional<Answer> value = source.number(number)) {
    return {std::string(name), *value, nullptr};
  }
  return bad(source.whole() ? "the value must be a whole number, and a count must not be negative"
                            : "the value must be a finite number");
}

std::string table_line(const Json& row) {
  if (row.contains("error")) {
    return row["error"].get<std::string>() + "\n";
  }
  std::string text = cut(row["query"].get<std::string>(), 30) + ": ";
  if (!row["above"].get<bool>()) {
    return text + "below\n";
  }
  text += "above";
  if (!row["gap"].is_null()) {
    text += " by " + shown(row["gap"]) + ", estimate " + shown(row["estimate"]) + " ± " +
            shown(row["standard_error"]);
  }
  return text + ", spent " + row["spent"].get<std::string>() + "\n";
}

/// The answer just given, by itself.
Json row_of(const SparseVectorRelease& blank, const SparseVectorAnswer& answer,
            const std::string& name, Estimator& estimator, double confidence) {
  SparseVectorRelease alone = blank;
  alone.answers = {answer};
  Json row = answers(alone, std::nullopt, {name}, estimator, confidence).front();
  row.erase("simultaneous");  // it would be about one answer only
  return row;
}

/// A stream about to be answered.
struct Stream {
  sources::DataSource source;
  Json parameters;
  SparseVectorPlan plan;
  double confidence;
  Estimator estimator;
  OutputFormat format;
  const Context& context;

  void write(const std::string& text) const { context.out << text << std::flush; }

  void write_row(const Json& row) const {
    if (format == OutputFormat::table) {
      write(table_line(row));
    } else {
      write(format == OutputFormat::csv ? csv_line(row, columns) : line_of(row) + "\n");
    }
  }

  /// What remains to be shown at the end, besides the answers.
  [[nodiscard]] std::string rest(Json document) const {
    if (format != OutputFormat::json) {
      context.err << "freegap: stopped (" << document["stopped"].get<std::string>() << "); spent ε "
                  << document["epsilon"]["spent"].get<std::string>() << " of "
                  << document["epsilon"]["reserved"].get<std::string>() << " reserved\n";
      return {};
    }
    document.erase("answers");
    return line_of(document) + "\n";
  }

  /// Answers until there is a reason to stop. Whether that was the end of the input.
  bool answer_lines(SparseVector<ExactNoise>& vector, Json& rows) {
    std::string text;
    for (std::uint64_t number = 1; vector.open() && context.out.good(); ++number) {
      std::getline(context.in, text);
      if (interrupted()) {
        return false;  // what was read may be the beginning of a line only
      }
      if (!context.in) {
        return true;
      }
      // A line without its end may have been cut off: half a number is another number.
      const Line line = context.in.eof()
                            ? bad("the line must end in a line feed; without one it may be cut off")
                            : parse(text, source);
      if (line.problem != nullptr) {
        write_row(
            {{"error", "line " + std::to_string(number) + ": " + line.problem}, {"line", number}});
        continue;
      }
      rows.push_back(row_of(plan.blank, vector.ask(line.value), line.name, estimator, confidence));
      write_row(rows.back());
    }
    return false;
  }

  [[nodiscard]] Stopped why(const SparseVectorRelease& release, bool input_ended) const {
    if (context.in.bad()) {
      return Stopped::fault;
    }
    if (interrupted()) {
      return Stopped::interrupted;
    }
    return context.out.good() ? why_stopped(release, plan.stop_after, input_ended)
                              : Stopped::output;
  }

  Outcome draw(ExactNoise& noise) {
    watch_for_interruption();
    SparseVector<ExactNoise> vector(plan, noise);
    Json rows = Json::array();
    if (format == OutputFormat::csv) {
      write(csv(Json::array(), columns));
    }
    const bool input_ended = answer_lines(vector, rows);
    const SparseVectorRelease& release = vector.release();
    const Stopped stopped = why(release, input_ended);
    Outcome outcome{head(mechanism(release), parameters, release.cost), release.cost.spent,
                    stopped == Stopped::fault ? "cannot read standard input" : ""};
    add_answers(outcome.document, release, std::move(rows), stopped);
    return outcome;
  }
};

}  // namespace

Question stream_question(const sources::DataSource& source, const SparseVectorOptions& options,
                         const Json& parameters, const OutputOptions& output,
                         const Context& context) {
  const SparseVectorPlan plan = plan_sparse_vector(source.queries(), options, source.whole());
  const auto stream = std::make_shared<Stream>(Stream{
      source, parameters, plan, output.confidence, Estimator({.confidence = output.confidence}),
      format_or_default(output.format, context), context});
  return {.verb = "above",
          .source = source,
          .reserved = plan.blank.cost.reserved,
          .parameters = parameters,
          .draw = [stream](ExactNoise& noise) { return stream->draw(noise); },
          .rest = [stream](const Json& document) { return stream->rest(document); }};
}

}  // namespace freegap::cli
