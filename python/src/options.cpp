#include "options.hpp"

#include <array>
#include <initializer_list>
#include <unordered_map>

#include "exact.hpp"
#include "freegap/errors.hpp"
#include "sources/text.hpp"

namespace freegap::python {

namespace nb = nanobind;
using namespace questions;  // NOLINT(google-build-using-namespace)

namespace {

/// The Python text of a name, kept: a dictionary finds the same object without comparing texts.
nb::handle interned(const char* name) {
  static auto* const texts = new std::unordered_map<const char*, PyObject*>();
  auto& text = (*texts)[name];
  if (text == nullptr) {
    text = PyUnicode_InternFromString(name);
  }
  return text;
}

/// The value that has this name.
template <class Value>
Value choice(nb::handle given, const char* argument, std::initializer_list<Value> values) {
  std::string names;
  if (PyUnicode_Check(given.ptr())) {
    const std::string text = utf8(given, argument);
    for (const Value value : values) {
      if (text == name(value)) {
        return value;
      }
    }
  }
  for (const Value value : values) {
    names += (names.empty() ? "\"" : ", \"") + std::string(name(value)) + "\"";
  }
  throw InvalidParameter(argument, "give one of " + names);
}

std::optional<WrittenNumber> take_written(Keywords& keywords, const char* name) {
  const nb::handle given = keywords.take(name);
  if (!given.is_valid()) {
    return std::nullopt;
  }
  return WrittenNumber{text_of(given, name), exact(given, name)};
}

Rational take_share(Keywords& keywords, const char* by_default) {
  const nb::handle given = keywords.take("measure");
  Rational share = given.is_valid() ? exact(given, "measure") : Rational::parse(by_default);
  if (share.sign() < 0 || share >= Rational(1)) {
    throw InvalidParameter("measure", "it must be at least 0 and below 1, for example 0.5");
  }
  return share;
}

template <class Target>
void take_number(Keywords& keywords, const char* name, Target& target, std::uint64_t most) {
  if (const nb::handle given = keywords.take(name); given.is_valid()) {
    target = static_cast<typename decltype(std::optional(target))::value_type>(
        whole(given, name, 1, most));
  }
}

void take_flag(Keywords& keywords, const char* name, bool& target) {
  if (const nb::handle given = keywords.take(name); given.is_valid()) {
    target = flag(given, name);
  }
}

template <class Target>
void take_exact(Keywords& keywords, const char* name, Target& target) {
  if (const nb::handle given = keywords.take(name); given.is_valid()) {
    target = exact(given, name);
  }
}

template <class Target, class Value>
void take_choice(Keywords& keywords, const char* argument, Target& target,
                 std::initializer_list<Value> values) {
  if (const nb::handle given = keywords.take(argument); given.is_valid()) {
    target = choice(given, argument, values);
  }
}

void take_delta(Keywords& keywords, std::optional<Delta>& target) {
  if (const nb::handle given = keywords.take("delta"); given.is_valid()) {
    target = Delta(exact(given, "delta"));
  }
}

void take_noise(Keywords& keywords, Distribution& target) {
  take_choice(keywords, "noise", target,
              {Distribution::exponential, Distribution::laplace, Distribution::geometric});
}

void take_branches(Keywords& keywords, bool& adaptive, std::uint64_t& branches, Rational& sigma,
                   StopRule& stop_rule) {
  take_flag(keywords, "adaptive", adaptive);
  const bool said = keywords.given("branches") || keywords.given("sigma");
  take_number(keywords, "branches", branches, UINT64_MAX);
  take_exact(keywords, "sigma", sigma);
  if (said && !adaptive) {
    throw InvalidParameter("branches", "branches and sigma go with adaptive=True");
  }
  take_choice(keywords, "stop_rule", stop_rule, {StopRule::afford, StopRule::paper});
}

}  // namespace

nb::handle Keywords::take(const char* name) {
  if (taken_ == size_) {
    return {};  // nothing is left to be found
  }
  PyObject* const found = PyDict_GetItemWithError(given_.ptr(), interned(name).ptr());
  if (found != nullptr) {
    names_.at(taken_++) = name;
  }
  return found == Py_None ? nb::handle() : nb::handle(found);
}

bool Keywords::given(const char* name) {
  PyObject* const found = PyDict_GetItemWithError(given_.ptr(), interned(name).ptr());
  return found != nullptr && found != Py_None;
}

bool Keywords::present(const char* name) {
  return PyDict_GetItemWithError(given_.ptr(), interned(name).ptr()) != nullptr;
}

void Keywords::finish() {
  if (taken_ == size_) {
    return;
  }
  std::string names;
  for (const auto& [key, value] : given_) {
    bool known = false;
    for (std::size_t i = 0; i < taken_; ++i) {
      known = known || key.equal(interned(names_.at(i)));
    }
    if (!known) {
      names += (names.empty() ? "" : ", ") + std::string(nb::repr(key).c_str());
    }
  }
  throw nb::type_error((std::string(call_) + "() does not take " + names).c_str());
}

void Keywords::missing(const char* message) const {
  const nb::object said =
      nb::module_::import_("freegap._signatures").attr("missing")(call_, given_, message);
  throw nb::type_error(nb::str(said).c_str());
}

bool flag(nb::handle value, const char* name) {
  if (!PyBool_Check(value.ptr())) {
    throw nb::type_error((std::string(name) + ": give True or False").c_str());
  }
  return value.is(Py_True);
}

std::string name_text(nb::handle value, const char* name) {
  const std::string result = utf8(value, name);
  if (result.empty() || result.size() > sources::longest_text ||
      sources::text_problem(result) != nullptr || sources::trimmed(result) != result) {
    throw InvalidParameter(name,
                           "a name is 1 to 1024 bytes of UTF-8 without control characters "
                           "and without blanks around it");
  }
  return result;
}

Queries take_queries(Keywords& keywords, Kind by_default) {
  std::optional<Kind> kind;
  std::optional<Rational> sensitivity;
  Queries queries{by_default, Neighbours::add_remove, 1};
  take_choice(keywords, "kind", kind, {Kind::counts, Kind::general});
  take_choice(keywords, "neighbours", queries.neighbours,
              {Neighbours::add_remove, Neighbours::replace});
  take_exact(keywords, "sensitivity", sensitivity);
  queries.kind = kind.value_or(by_default);
  if (queries.kind == Kind::general && !sensitivity) {
    throw InvalidParameter("sensitivity",
                           "numbers that are not counts need it: say the most that one unit can "
                           "change one of them, for example sensitivity=1");
  }
  queries.sensitivity = sensitivity.value_or(1);
  if (queries.sensitivity.sign() <= 0) {
    throw InvalidParameter("sensitivity", "it must be above 0");
  }
  return queries;
}

double take_confidence(Keywords& keywords) {
  const nb::handle given = keywords.take("confidence");
  const double level = given.is_valid() ? exact(given, "confidence").shown() : 0.95;
  if (!(level > 0 && level < 1)) {
    throw InvalidParameter("confidence", "it must be above 0 and below 1, for example 0.95");
  }
  return level;
}

Method take_method(Keywords& keywords) {
  Method method = Method::likelihood;
  take_choice(keywords, "estimator", method,
              {Method::likelihood, Method::linear, Method::measured});
  return method;
}

void take_selection(Keywords& keywords, SelectionOptions& options, const char* measure) {
  const nb::handle k = keywords.take("k");
  const nb::handle epsilon = keywords.take("epsilon");
  if (!k.is_valid() || !epsilon.is_valid()) {
    keywords.missing("k= and epsilon= must be given");
  }
  options.k = whole(k, "k", 1, UINT64_MAX);
  options.epsilon = Epsilon(exact(epsilon, "epsilon"));
  options.measure = take_share(keywords, measure);
  take_noise(keywords, options.noise.distribution);
  options.noise.tick = take_written(keywords, "tick");
  take_flag(keywords, "classic", options.classic);
  take_flag(keywords, "constant_work", options.constant_work);
  options.estimator = take_method(keywords);
}

TopOptions take_top(Keywords& keywords, bool hybrid) {
  TopOptions options;
  take_selection(keywords, options, "1/2");
  take_number(keywords, "threads", options.threads, 1024);
  bool& unknown_items = options.data.candidates.unknown_items;
  take_flag(keywords, "unknown_items", unknown_items);
  take_delta(keywords, options.delta);
  if (hybrid) {
    take_exact(keywords, "threshold", options.above);
    if (!options.above && !unknown_items) {
      keywords.missing("threshold= must be given");
    }
  }
  take_choice(keywords, "prefer", options.prefer, {Prefer::identity, Prefer::estimates});
  options.theta = take_written(keywords, "theta");
  if (!hybrid && !unknown_items && (options.prefer || options.theta)) {
    throw InvalidParameter(options.prefer ? "prefer" : "theta",
                           "it goes with top_k_above, or with unknown_items=True");
  }
  return options;
}

void check_top(TopOptions& options, const Queries& queries,
               const std::optional<sources::Range>& range) {
  options.data.queries = {queries.kind, queries.neighbours, queries.sensitivity};
  options.data.range = range;
  check(options);
}

AboveOptions take_above(Keywords& keywords) {
  AboveOptions options;
  take_selection(keywords, options, "0");
  const nb::handle threshold = keywords.take("threshold");
  if (!threshold.is_valid()) {
    keywords.missing("threshold= must be given");
  }
  options.threshold = exact(threshold, "threshold");
  take_branches(keywords, options.adaptive, options.branches, options.sigma, options.stop_rule);
  options.theta = take_written(keywords, "theta");
  take_number(keywords, "stop_after", options.stop_after, UINT64_MAX);
  return options;
}

PlanOptions take_plan(Keywords& keywords, const char* measure, bool above) {
  PlanOptions options;
  const Queries queries = take_queries(keywords, Kind::counts);
  options.queries = {queries.kind, queries.neighbours, queries.sensitivity};
  take_noise(keywords, options.noise);
  take_number(keywords, "k", options.k, UINT64_MAX);
  take_number(keywords, "max_items", options.max_items, UINT64_MAX);
  if (const nb::handle epsilon = keywords.take("epsilon"); epsilon.is_valid()) {
    options.epsilon = Epsilon(exact(epsilon, "epsilon"));
  }
  if (const nb::handle target = keywords.take("target_error"); target.is_valid()) {
    options.target_error = exact(target, "target_error").shown();
    if (!(*options.target_error > 0)) {
      throw InvalidParameter("target_error", "it must be above 0");
    }
  }
  options.measure = take_share(keywords, measure);
  if (!above) {
    take_flag(keywords, "unknown_items", options.unknown_items);
    take_delta(keywords, options.delta);
  }
  if (above) {
    take_branches(keywords, options.adaptive, options.branches, options.sigma, options.stop_rule);
    take_exact(keywords, "theta", options.theta);
    take_exact(keywords, "distance", options.distance);
  }
  return options;
}

}  // namespace freegap::python
