#include "requests.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "freegap/errors.hpp"
#include "freegap/planning.hpp"
#include "memory_files.hpp"
#include "questions/above.hpp"
#include "questions/top.hpp"

namespace freegap::lab {
namespace {

using questions::AboveOptions;
using questions::PlanOptions;
using questions::SelectionOptions;
using questions::TopOptions;

std::map<std::string, std::shared_ptr<const Data>>& all_data() {
  static std::map<std::string, std::shared_ptr<const Data>> data;
  return data;
}

/// The options by which every file of the lab is read: counts, which are no secret here.
SelectionOptions reading(const std::string& name) {
  SelectionOptions options;
  options.data.input.path = name;
  return options;
}

/// Sets an option that a request may leave out.
template <class Option, class Parse>
void set(Option& option, const Json& request, const char* member, const Parse& parse) {
  if (request.contains(member) && !request[member].is_null()) {
    option = parse(request[member]);
  }
}
Rational rational(const Json& text) { return Rational::parse(text.get<std::string>()); }
Epsilon epsilon(const Json& text) { return Epsilon::parse(text.get<std::string>()); }
std::uint64_t whole(const Json& number) { return number.get<std::uint64_t>(); }
bool flag(const Json& truth) { return truth.get<bool>(); }
Rational share(const Json& text) {
  Rational result = rational(text);
  if (result.sign() < 0 || result >= Rational(1)) {
    throw InvalidParameter("share", "it must be at least 0 and below 1, for example 0.5");
  }
  return result;
}

/// The value whose name is the text.
template <class Value>
Value named(const Json& text, std::initializer_list<Value> values) {
  const auto found = std::find_if(values.begin(), values.end(), [&](Value value) {
    return text.get<std::string>() == name(value);
  });
  if (found == values.end()) {
    throw InvalidParameter(text.get<std::string>(), "there is no such choice");
  }
  return *found;
}
Distribution distribution(const Json& text) {
  return named(text, {Distribution::exponential, Distribution::laplace, Distribution::geometric});
}
Prefer preference(const Json& text) {
  using questions::name;
  return text.get<std::string>() == name(Prefer::estimates) ? Prefer::estimates : Prefer::identity;
}

void set_selection(SelectionOptions& options, const Json& request) {
  options.data.input.path = request.at("input").get<std::string>();
  options.k = whole(request.at("k"));
  options.epsilon = epsilon(request.at("epsilon"));
  set(options.measure, request, "measure", share);
  set(options.noise.distribution, request, "noise", distribution);
  set(options.estimator, request, "estimator", [](const Json& text) {
    return named(text, {Method::likelihood, Method::linear, Method::measured});
  });
}

questions::Question ask(const Json& request, const std::optional<Method>& method) {
  const auto candidates = loaded(request.at("input").get<std::string>())->candidates;
  const double confidence = request.value("confidence", 0.95);
  if (request.at("verb") == "top") {
    TopOptions options;
    options.measure = Rational(1, 2);
    set_selection(options, request);
    set(options.above, request, "above", rational);
    set(options.prefer, request, "prefer", preference);
    options.estimator = method.value_or(options.estimator);
    check(options);
    return top_question(options, confidence, candidates);
  }
  if (request.at("verb") != "above") {
    throw InvalidParameter("verb", "it is top or above");
  }
  AboveOptions options;
  set_selection(options, request);
  options.threshold = rational(request.at("threshold"));
  set(options.adaptive, request, "adaptive", flag);
  options.estimator = method.value_or(options.estimator);
  return above_question(options, confidence, candidates);
}

}  // namespace

std::shared_ptr<const Data> load(const std::string& name, const std::string& text) {
  keep_file(name, text);
  const SelectionOptions options = reading(name);
  Data data;
  data.candidates = read_candidates(options, questions::Secrecy::not_secret);
  data.values = data.candidates->source().read();
  const std::vector<std::int64_t>& counts = data.values.whole;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    data.counts.emplace(data.values.items[i], counts[i]);
  }
  data.ranked.resize(counts.size());
  std::iota(data.ranked.begin(), data.ranked.end(), std::size_t{0});
  std::sort(data.ranked.begin(), data.ranked.end(), [&](std::size_t a, std::size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  return all_data()[name] = std::make_shared<const Data>(std::move(data));
}

std::shared_ptr<const Data> loaded(const std::string& name) {
  const auto found = all_data().find(name);
  if (found == all_data().end()) {
    throw InvalidParameter(name, "it was not loaded");
  }
  return found->second;
}

questions::Question question_of(const Json& request) { return ask(request, std::nullopt); }
questions::Question question_of(const Json& request, Method method) { return ask(request, method); }

namespace {

bool about_top(const Json& request) { return request.at("verb") == "top"; }

PlanOptions plan_options(const Json& request) {
  PlanOptions options;
  options.measure = about_top(request) ? Rational(1, 2) : Rational(0);
  set(options.k, request, "k", whole);
  set(options.epsilon, request, "epsilon", epsilon);
  set(options.target_error, request, "target_error",
      [](const Json& number) { return number.get<double>(); });
  set(options.measure, request, "measure", share);
  set(options.noise, request, "noise", distribution);
  set(options.adaptive, request, "adaptive", flag);
  set(options.unknown_items, request, "unknown_items", flag);
  set(options.max_items, request, "max_items", whole);
  set(options.delta, request, "delta",
      [](const Json& text) { return Delta::parse(text.get<std::string>()); });
  return options;
}

template <class Asked>
Json errors_of(Asked question, const PlanOptions& options) {
  question.queries = options.queries.declared(Kind::counts);
  question.k = options.k.value();
  question.epsilon = options.epsilon.value().value();
  question.noise = options.noise;
  question.measuring_share = options.measure;
  const Forecast expected = forecast(question);
  const auto finite = [](double error) { return std::isfinite(error) ? Json(error) : Json(); };
  return {{"with", finite(expected.combined_error)}, {"without", finite(expected.direct_error)}};
}

}  // namespace

Json plan_of(const Json& request) {
  const PlanOptions options = plan_options(request);
  return about_top(request) ? plan_top(options) : plan_above(options);
}

Json forecast_of(const Json& request) {
  const PlanOptions options = plan_options(request);
  if (about_top(request)) {
    return errors_of(TopKQuestion{}, options);
  }
  SparseVectorQuestion question;
  question.branches = options.adaptive ? static_cast<std::size_t>(options.branches) : 1;
  question.sigma = options.sigma;
  question.stop_rule = options.stop_rule;
  return errors_of(question, options);
}

}  // namespace freegap::lab
