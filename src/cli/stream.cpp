#include "stream.hpp"

#include <istream>
#include <ostream>
#include <utility>

#include "freegap/errors.hpp"
#include "interruption.hpp"
#include "present.hpp"
#include "program.hpp"
#include "sources/number.hpp"
#include "sources/text.hpp"
#include "sparse_vector_document.hpp"

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

/// A name and a number, separated by the line's last comma. The number is put on the grid as those
/// of a file are.
Line parse(std::string_view text, const StreamQuestion& question) {
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
  if (!question.whole) {
    const auto real = sources::parse_real(number);
    return real ? Line{std::string(name), sources::floor_to_step(*real, question.step), nullptr}
                : bad("the value must be a finite number");
  }
  const auto whole = sources::parse_whole(number);
  if (!whole || (question.queries.kind == Kind::counts && *whole < 0)) {
    return bad("the value must be a whole number, and a count must not be negative");
  }
  return {std::string(name), *whole, nullptr};
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

/// Shows the rows as they come.
class Writer {
 public:
  Writer(std::string format, const Context& context)
      : format_(std::move(format)), context_(context) {}
  /// What stands above the rows.
  void begin() {
    if (format_ == "csv") {
      write(csv(Json::array(), columns));
    }
  }
  void row(const Json& row) {
    write(format_ == "table" ? table_line(row)
                             : (format_ == "csv" ? csv_line(row, columns) : line_of(row) + "\n"));
  }
  /// What there is to say at the end, besides the answers.
  void end(Json document) {
    if (format_ != "json") {
      context_.err << "freegap: stopped (" << document["stopped"].get<std::string>()
                   << "); spent ε " << document["epsilon"]["spent"].get<std::string>() << " of "
                   << document["epsilon"]["reserved"].get<std::string>() << " reserved\n";
      return;
    }
    document.erase("answers");
    write(line_of(document) + "\n");
  }
  /// Whether everything has got there so far.
  [[nodiscard]] bool good() const { return context_.out.good(); }

 private:
  void write(const std::string& text) { context_.out << text << std::flush; }

  std::string format_;
  const Context& context_;
};

/// The answer just given, by itself.
Json row_of(const SparseVectorRelease& blank, const SparseVectorAnswer& answer,
            const std::string& name, Estimator& estimator, double confidence) {
  SparseVectorRelease alone = blank;
  alone.answers = {answer};
  Json row = answers(alone, std::nullopt, {name}, estimator, confidence).front();
  row.erase("simultaneous");  // it would be about one answer only
  return row;
}

}  // namespace

void answer(const StreamQuestion& question, const LedgerOptions& ledger, const Context& context) {
  const SparseVectorPlan plan =
      plan_sparse_vector(question.queries, question.options, question.whole);
  Estimator estimator({.confidence = question.confidence});
  SecureNoise noise;
  const Job job{"above",
                question.unit,
                question.queries.neighbours,
                plan.blank.cost.reserved,
                question.parameters,
                {}};
  Booking booking(ledger, job);
  watch_for_interruption();
  Writer writer(format_or_default(question.format, context), context);
  Outcome outcome;
  booking.guarded([&] {
    SparseVector<ExactNoise> vector(plan, noise);
    Json rows = Json::array();
    std::string text;
    bool input_ended = false;
    writer.begin();
    for (std::uint64_t number = 1; vector.open() && writer.good(); ++number) {
      std::getline(context.in, text);
      if (interrupted()) {
        break;  // no more answers are wanted, and what was read may be the beginning of a line only
      }
      if (!context.in) {
        input_ended = true;
        break;
      }
      // A line without its end may have been cut off: half a number is another number.
      const Line line = context.in.eof()
                            ? bad("the line must end in a line feed; without one it may be cut off")
                            : parse(text, question);
      if (line.problem != nullptr) {
        writer.row(
            {{"error", "line " + std::to_string(number) + ": " + line.problem}, {"line", number}});
        continue;
      }
      rows.push_back(
          row_of(plan.blank, vector.ask(line.value), line.name, estimator, question.confidence));
      writer.row(rows.back());
    }
    const SparseVectorRelease& release = vector.release();
    outcome = {head(mechanism(release), question.parameters, release.cost), release.cost.spent};
    add_setting(outcome.document, release);
    outcome.document["answers"] = std::move(rows);
    outcome.document["stopped"] =
        context.in.bad() ? "fault"
        : interrupted()  ? "interrupted"
        : !writer.good() ? "output"
                         : why_stopped(release, question.options.stop_after, input_ended);
    booking.settle(outcome);
  });
  booking.stamp(outcome.document);
  writer.end(outcome.document);
  show(context, "", booking.whereabouts());
  if (context.in.bad()) {
    throw MachineFault("cannot read standard input");
  }
}

}  // namespace freegap::cli
