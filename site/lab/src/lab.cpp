// The one function that the page calls: a request in JSON, an answer in JSON. README.md lists the
// requests.

#include <algorithm>
#include <exception>
#include <map>
#include <string>

#include "experiments/quest.hpp"
#include "freegap/errors.hpp"
#include "freegap/noise.hpp"
#include "requests.hpp"
#include "session.hpp"
#include "study.hpp"

namespace freegap::lab {
namespace {

/// What the page shows of a file: its size, and its largest counts.
Json description(const Data& data) {
  constexpr std::size_t most_shown = 200;
  Json largest = Json::array();
  for (std::size_t i = 0; i < std::min(data.ranked.size(), most_shown); ++i) {
    const std::size_t place = data.ranked[i];
    largest.push_back({data.values.items[place], data.values.whole[place]});
  }
  return {{"items", data.values.items.size()}, {"largest", largest}};
}

Json load_text(const Json& request) {
  return description(
      *load(request.at("name").get<std::string>(), request.at("text").get<std::string>()));
}

/// Made-up transactions, counted: the data set that the page starts with.
Json load_quest(const Json& request) {
  experiments::QuestOptions options;
  options.transactions = request.at("transactions").get<std::uint64_t>();
  options.seed = request.at("seed").get<std::uint64_t>();
  std::string text = "item,count\n";
  const std::vector<std::int64_t> counts = experiments::quest_counts(options);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += std::to_string(i) + "," + std::to_string(counts[i]) + "\n";
  }
  Json result = description(*load(request.at("name").get<std::string>(), text));
  result["text"] = text;
  return result;
}

/// The lines that `freegap simulate` prints.
std::string simulate(const Json& request) {
  const questions::Question question = question_of(request);
  const auto seed = request.at("seed").get<std::uint64_t>();
  const auto runs = request.value("runs", std::uint64_t{1});
  InsecureSeededNoise noise(seed);
  std::string lines;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    Json document = question.draw(noise).document;
    document["simulated"] = {{"seed", seed}, {"run", run}};
    lines += questions::line_of(document) + "\n";
  }
  return lines;
}

/// Several requests at once, from the member of this name; in place of what is refused, why.
template <Json (*Answer)(const Json&)>
Json each(const Json& requests) {
  Json result = Json::array();
  for (const Json& request : requests) {
    try {
      result.push_back(Answer(request));
    } catch (const std::invalid_argument& refused) {
      result.push_back({{"error", refused.what()}});
    }
  }
  return result;
}
Json plans(const Json& request) { return each<plan_of>(request.at("plans")); }
Json forecasts(const Json& request) { return each<forecast_of>(request.at("forecasts")); }

std::string answer(const std::string& text) {
  const Json request = Json::parse(text);
  const std::string ask = request.at("ask").get<std::string>();
  if (ask == "simulate") {
    return simulate(request);
  }
  const std::map<std::string, Json (*)(const Json&)> others = {
      {"load", load_text}, {"quest", load_quest}, {"look", look},           {"study", study},
      {"plan", plan_of},   {"plans", plans},      {"forecasts", forecasts}, {"session", session}};
  return questions::line_of(others.at(ask)(request));
}

}  // namespace
}  // namespace freegap::lab

/// Answers a request. The text is valid until the next call. What is refused gives an object with
/// the member `error`.
extern "C" const char* freegap_ask(const char* request) {
  static std::string text;
  try {
    text = freegap::lab::answer(request);
  } catch (const std::exception& error) {
    text = freegap::questions::line_of({{"error", error.what()}});
  }
  return text.c_str();
}
