#include "session.hpp"

#include "freegap/budget.hpp"
#include "requests.hpp"

namespace freegap::lab {
namespace {

std::size_t answers_in(const Json& document) {
  if (document.contains("winners")) {
    return document["winners"].size();
  }
  std::size_t above = 0;
  for (const Json& row : document["answers"]) {
    above += row["above"].get<bool>() ? 1 : 0;
  }
  return above;
}

Json entry_of(const Json& request, Budget& budget) {
  const questions::Question question = question_of(request);
  Json entry = {{"reserved", question.reserved.str()}};
  try {
    Budget::Reservation reservation = budget.reserve(Epsilon(question.reserved));
    InsecureSeededNoise noise(request.at("seed").get<std::uint64_t>());
    const questions::Outcome outcome = question.draw(noise);
    const Cost cost{question.reserved, outcome.spent};
    reservation.settle(cost);
    entry["spent"] = cost.spent.str();
    entry["back"] = cost.left().str();
    entry["answers"] = answers_in(outcome.document);
  } catch (const BudgetExceeded& refused) {
    entry["refused"] = refused.what();
  }
  entry["remaining"] = budget.balance().remaining.str();
  return entry;
}

}  // namespace

Json session(const Json& request) {
  Budget budget(Epsilon::parse(request.at("total").get<std::string>()));
  Json entries = Json::array();
  for (const Json& question : request.at("questions")) {
    entries.push_back(entry_of(question, budget));
  }
  const Balance balance = budget.balance();
  return {{"entries", entries},
          {"total", balance.total.str()},
          {"spent", balance.spent.str()},
          {"remaining", balance.remaining.str()}};
}

}  // namespace freegap::lab
