#include "cli/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <istream>
#include <limits>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/interruption.hpp"
#include "cli/program.hpp"
#include "freegap/errors.hpp"
#include "questions/sparse_vector_document.hpp"
#include "report/visible_text.hpp"
#include "sources/text.hpp"

namespace freegap::cli {
namespace {

/// What is about all answers together, or about measurements, which a stream has not.
const std::vector<std::string> of_many{"simultaneous", "simultaneous_low", "simultaneous_high",
                                       "measured"};

/// The members of a row, in order: those of an answer but for what takes many answers.
std::vector<std::string> stream_columns() {
  std::vector<std::string> columns;
  for (const std::string& column : answer_columns()) {
    if (std::find(of_many.begin(), of_many.end(), column) == of_many.end()) {
      columns.push_back(column);
    }
  }
  columns.emplace_back("error");
  return columns;
}

/// One line of the stream: a name and a number, or what is wrong with it.
struct Line {
  std::string name;
  Answer value = 0;
  const char* problem = nullptr;
};

/// So many bytes of answers may be added between two looks at the room for them.
constexpr std::uint64_t room_at_a_time = std::uint64_t{1} << 20U;

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
  std::string text = cut(visible(row["query"].get<std::string>()), 30) + ": ";
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

/// How a line was read.
enum class Ending : std::uint8_t {
  line_feed,  ///< whole
  end,        ///< without a line feed
  too_long,   ///< and passed over
  nothing     ///< there was no line
};

/// Reads a line into `text`, in bounded memory.
Ending read_line(std::istream& in, std::string& text) {
  text.resize(longest_line + 2);
  in.getline(text.data(), static_cast<std::streamsize>(text.size()));
  const auto got = static_cast<std::size_t>(in.gcount());
  if (in.bad() || (in.eof() && got == 0)) {
    return Ending::nothing;
  }
  if (in.eof()) {
    text.resize(got);
    return Ending::end;
  }
  if (in.fail()) {
    in.clear();
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    return in.bad() ? Ending::nothing : Ending::too_long;
  }
  text.resize(got - 1);
  return Ending::line_feed;
}

/// The answer just given, by itself.
Json row_of(const SparseVectorRelease& blank, const SparseVectorAnswer& answer,
            const std::string& name, Estimator& estimator, double confidence) {
  SparseVectorRelease alone = blank;
  alone.answers = {answer};
  Json row = answers(alone, std::nullopt, {name}, estimator, confidence).front();
  for (const std::string& member : of_many) {
    row.erase(member);
  }
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
  bool skip_bad_records;
  std::shared_ptr<HoldRoom> hold_room;
  std::string stored = {};   // answers, as JSON
  DrawnAnswers drawn = {};   // answers, for a page
  std::uint64_t room = 0;    // that is held for them
  std::string no_room = {};  // why there is no more

  void write(const std::string& text) const { context.out << text << std::flush; }

  void write_row(const Json& row) const {
    if (format == OutputFormat::table) {
      write(table_line(row));
    } else {
      write(is_csv(format) ? csv_line(row, stream_columns(), format) : line_of(row) + "\n");
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

  /// Whether one more answer can be stored.
  bool has_room() {
    if (stored.size() + room_at_a_time <= room) {
      return true;
    }
    try {
      const std::uint64_t wanted = stored.size() + 2 * room_at_a_time;
      if (*hold_room) {
        (*hold_room)(wanted);
      }
      room = wanted;
    } catch (const std::exception& problem) {
      no_room = problem.what();
    }
    return no_room.empty();
  }

  /// Answers until there is a reason to stop. Whether that was the end of the input.
  bool answer_lines(SparseVector<ExactNoise>& vector) {
    std::string text;
    for (std::uint64_t number = 1; vector.open() && context.out.good() && has_room(); ++number) {
      const Ending ending = context.in ? read_line(context.in, text) : Ending::nothing;
      if (interrupted()) {
        return false;  // what was read may be the beginning of a line only
      }
      if (ending == Ending::nothing) {
        return true;
      }
      const Line line = checked(ending, text);
      if (line.problem == nullptr) {
        answer(vector, line);
      } else if (!skip_bad_records) {
        write_row(
            {{"error", "line " + std::to_string(number) + ": " + line.problem}, {"line", number}});
      }
    }
    return false;
  }

  [[nodiscard]] Line checked(Ending ending, const std::string& text) const {
    if (ending == Ending::too_long) {
      return bad("the line is too long; it may have 4096 bytes");
    }
    // A line without its end may have been cut off: half a number is another number.
    return ending == Ending::end
               ? bad("the line must end in a line feed; without one it may be cut off")
               : parse(text, source);
  }

  void answer(SparseVector<ExactNoise>& vector, const Line& line) {
    const Json row = row_of(plan.blank, vector.ask(line.value), line.name, estimator, confidence);
    stored += (stored.empty() ? "" : ",") + line_of(row);
    drawn.add(row);
    write_row(row);
  }

  [[nodiscard]] Stopped why(const SparseVectorRelease& release, bool input_ended) const {
    if (context.in.bad()) {
      return Stopped::fault;
    }
    if (interrupted()) {
      return Stopped::interrupted;
    }
    if (!no_room.empty()) {
      return Stopped::room;
    }
    return context.out.good() ? why_stopped(release, input_ended) : Stopped::output;
  }

  Outcome draw(ExactNoise& noise) {
    watch_for_interruption();
    SparseVector<ExactNoise> vector(plan, noise);
    if (is_csv(format)) {
      write(csv(Json::array(), stream_columns()));
    }
    const bool input_ended = answer_lines(vector);
    const SparseVectorRelease& release = vector.release();
    const Stopped stopped = why(release, input_ended);
    Outcome outcome{head(mechanism(release), parameters, release.cost), release.cost.spent,
                    stopped == Stopped::fault ? "cannot read standard input" : no_room};
    add_answers(outcome.document, release, Json::array(), stopped);
    outcome.answers = std::move(stored);
    outcome.drawn = std::move(drawn);
    return outcome;
  }
};

}  // namespace

Question stream_question(const sources::DataSource& source, const SparseVectorOptions& options,
                         const Json& parameters, const EstimateOptions& estimates,
                         const OutputOptions& output, const Context& context,
                         bool skip_bad_records) {
  if (!standard_input_is_open()) {
    throw InvalidParameter("INPUT", "- answers lines from standard input, and that is closed");
  }
  const SparseVectorPlan plan = plan_sparse_vector(source.queries(), options, source.whole());
  const auto stream = std::make_shared<Stream>(
      Stream{source, parameters, plan, output.confidence, Estimator(estimates),
             format_or_default(output.format, context), context, skip_bad_records,
             std::make_shared<HoldRoom>()});
  return {.verb = "above",
          .source = source,
          .reserved = plan.blank.cost.reserved,
          .parameters = parameters,
          .draw = [stream](ExactNoise& noise) { return stream->draw(noise); },
          .rest = [stream](const Json& document) { return stream->rest(document); },
          .largest_release = 2 * room_at_a_time,
          .hold_room = stream->hold_room};
}

}  // namespace freegap::cli
