#include "online.hpp"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <memory>

#include "asking.hpp"
#include "exact.hpp"
#include "freegap/errors.hpp"
#include "options.hpp"
#include "questions/document.hpp"
#include "questions/ledger_entry.hpp"
#include "questions/sparse_vector_document.hpp"

namespace freegap::python {

namespace nb = nanobind;
using namespace questions;  // NOLINT(google-build-using-namespace)

namespace {

/// What is about all answers together, or about measurements, which a stream has not.
constexpr std::array of_many{"simultaneous", "simultaneous_low", "simultaneous_high", "measured"};

/// So many bytes of answers may be added between two looks at the room for them.
constexpr std::uint64_t room_at_a_time = std::uint64_t{1} << 20U;

/// A sparse vector with its entry in the ledger: reserved when it is made, settled at its end. One
/// that is never ended stays charged in full, as when the program is killed.
class Online {
 public:
  explicit Online(const nb::dict& given)
      : keywords_(given, "SparseVector"),
        ledger_(take_ledger(keywords_)),
        options_(take_above(keywords_)),
        confidence_(take_confidence(keywords_)),
        source_(take_source(keywords_)),
        estimator_({.confidence = confidence_, .method = options_.estimator}) {
    keywords_.finish();
    if (options_.measure.sign() != 0) {
      throw InvalidParameter("measure",
                             "a stream is not measured: its gaps already give estimates");
    }
    const SparseVectorOptions asked = sparse_vector_options(options_, options_.epsilon.value());
    plan_ = std::make_unique<SparseVectorPlan>(
        plan_sparse_vector(source_.queries(), asked, source_.whole()));
    parameters_ = selection_parameters(options_, source_);
    add_parameters(parameters_, options_, "as asked");
    parameters_["estimator"] = name(options_.estimator);
    parameters_["confidence"] = confidence_;
    describe_limit(parameters_, source_, {plan_->grid.tick()});
    question_ =
        std::make_unique<Question>(Question{.verb = "above",
                                            .source = source_,
                                            .reserved = plan_->blank.cost.reserved,
                                            .parameters = parameters_,
                                            .draw = {},
                                            .asked = what_was_asked(given, nullptr, ledger_.note),
                                            .largest_release = 2 * room_at_a_time,
                                            .hold_room = std::make_shared<HoldRoom>()});
    noise_ = std::make_unique<SecureNoise>();  // throws without entropy, before the charge
    const nb::gil_scoped_release no_gil;
    entry_ = std::make_unique<LedgerEntry>(ledger_, *question_, raise_interrupt);
    vector_ = std::make_unique<SparseVector<ExactNoise>>(*plan_, *noise_);
  }

  Online(const Online&) = delete;
  Online& operator=(const Online&) = delete;
  ~Online() {
    if (::getpid() != process_) {
      // The open file belongs to the parent, which may go on; SQLite must not touch it here.
      static_cast<void>(entry_.release());
    }
  }

  [[nodiscard]] bool open() const { return !ended_ && vector_->open(); }

  /// The answer to one query, as JSON.
  std::string ask(nb::handle value, nb::handle name) {
    check_process();
    if (ended_) {
      throw Exhausted("the sparse vector is closed; make a new one");
    }
    const Answer answer = answer_of(value);
    const std::string label =
        name.is_none() ? std::to_string(vector_->asked()) : name_text(name, "name");
    hold_room();
    SparseVectorRelease alone = plan_->blank;
    alone.answers = {vector_->ask(answer)};
    Json row = answers(alone, std::nullopt, {label}, estimator_, confidence_).front();
    for (const char* member : of_many) {
      row.erase(member);
    }
    const std::string line = line_of(row);
    stored_ += (stored_.empty() ? "" : ",") + line;
    return line;
  }

  /// Settles, once. `stopped` is why.
  nb::object close(const std::string& stopped) {
    check_process();
    if (ended_) {
      throw Exhausted("the sparse vector is closed");
    }
    const SparseVectorRelease& release = vector_->release();
    const bool open = vector_->open();
    ended_ = true;
    const Stopped why =
        stopped == "interrupted" ? Stopped::interrupted : why_stopped(release, open);
    Outcome outcome{head(mechanism(release), parameters_, release.cost), release.cost.spent};
    add_answers(outcome.document, release, Json::array(), why);
    entry_->state_unit(outcome.document["parameters"]);
    outcome.answers = stored_;
    {
      const nb::gil_scoped_release no_gil;
      entry_->settle(outcome);
    }
    entry_->stamp(outcome.document);
    outcome.document["answers"] = Json::parse("[" + stored_ + "]");
    return shown(Release(std::move(outcome.document)));
  }

 private:
  void check_process() const {
    if (::getpid() != process_) {
      throw Forked(
          "the sparse vector was made before a fork and belongs to the parent process, which may "
          "go on with it");
    }
  }

  /// A stream's numbers are general unless declared otherwise. Where no unit is given, the data set
  /// says it, as on the command line.
  sources::DataSource take_source(Keywords& keywords) const {
    const Queries queries = take_queries(keywords, Kind::general);
    std::optional<std::string> unit;
    if (const nb::handle given = keywords.take("unit"); given.is_valid()) {
      unit = name_text(given, "unit");
    }
    const bool whole =
        queries.kind == Kind::counts || options_.noise.distribution == Distribution::geometric;
    return {queries, unit, whole, false, take_range(keywords)};
  }

  [[nodiscard]] Answer answer_of(nb::handle value) const {
    if (PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
      int overflow = 0;
      const nb::object index = index_of(value, "value");
      const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
      if (overflow != 0) {
        throw InvalidParameter("value", "it must fit 64 bits");
      }
      if (source_.queries().kind == Kind::counts && number < 0) {
        throw InvalidParameter("value", "a count must not be negative");
      }
      const bool real = !source_.whole() && source_.range();
      return real ? Answer(source_.clamp().real(static_cast<double>(number)))
                  : Answer(source_.clamp().whole(static_cast<std::int64_t>(number)));
    }
    if (!PyFloat_Check(value.ptr())) {
      throw nb::type_error("value: give an int or a float");
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (source_.whole()) {
      throw InvalidParameter("value",
                             "counts, and what gets geometric noise, are whole: give an int");
    }
    if (!std::isfinite(number)) {
      throw InvalidParameter("value", "it must be a finite number");
    }
    return source_.clamp().real(number);
  }

  /// Makes sure that one more answer can be stored.
  void hold_room() {
    if (stored_.size() + room_at_a_time > room_ && *question_->hold_room) {
      room_ = stored_.size() + 2 * room_at_a_time;
      (*question_->hold_room)(room_);
    }
  }

  Keywords keywords_;
  LedgerOptions ledger_;
  AboveOptions options_;
  double confidence_;
  sources::DataSource source_;
  Estimator estimator_;
  Json parameters_;
  std::unique_ptr<SparseVectorPlan> plan_;
  std::unique_ptr<Question> question_;
  std::unique_ptr<SecureNoise> noise_;
  std::unique_ptr<LedgerEntry> entry_;
  std::unique_ptr<SparseVector<ExactNoise>> vector_;
  std::string stored_;
  std::uint64_t room_ = 2 * room_at_a_time;
  bool ended_ = false;
  pid_t process_ = ::getpid();
};

}  // namespace

void bind_online(nb::module_& module) {
  nb::class_<Online>(module, "Online")
      .def(nb::init<const nb::dict&>())
      .def_prop_ro("open", &Online::open)
      .def("ask", &Online::ask, nb::arg("value").none(), nb::arg("name").none())
      .def("close", &Online::close);
}

}  // namespace freegap::python
