#include "study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "freegap/noise.hpp"

namespace freegap::lab {
namespace {

constexpr std::array<Method, 3> methods = {Method::likelihood, Method::linear, Method::measured};

/// The rows of a release that name a selected item.
template <class Visit>
void for_each_selected(const Json& document, const Visit& visit) {
  if (document.contains("winners")) {
    for (const Json& row : document["winners"]) {
      visit(row, row["item"].get<std::string>());
    }
    return;
  }
  for (const Json& row : document["answers"]) {
    if (row["above"].get<bool>()) {
      visit(row, row["query"].get<std::string>());
    }
  }
}

/// The errors of one way to make estimates.
class Errors {
 public:
  void add(const Json& row, double truth) {
    if (row["estimate"].is_null()) {
      return;
    }
    errors_.push_back(row["estimate"].get<double>() - truth);
    if (const Json& interval = row["interval"]; !interval.is_null()) {
      ++intervals_;
      width_ += interval[1].get<double>() - interval[0].get<double>();
      covered_ += interval[0].get<double>() <= truth && truth <= interval[1].get<double>() ? 1 : 0;
    }
  }

  [[nodiscard]] double root_mean_square() const {
    double sum = 0;
    for (const double error : errors_) {
      sum += error * error;
    }
    return errors_.empty() ? 0 : std::sqrt(sum / static_cast<double>(errors_.size()));
  }

  /// What they come to; the histogram covers `reach` on both sides of 0, and the outer bins all
  /// beyond.
  [[nodiscard]] Json summary(double reach) const {
    std::vector<std::uint64_t> bins(bin_count, 0);
    double sum = 0;
    for (const double error : errors_) {
      sum += error;
      const double place = (error / reach + 1) / 2 * bin_count;
      ++bins[static_cast<std::size_t>(std::clamp(place, 0.0, bin_count - 1.0))];
    }
    const auto mean = [](double total, std::size_t count) {
      return count == 0 ? Json() : Json(total / static_cast<double>(count));
    };
    return {{"estimates", errors_.size()},
            {"error", errors_.empty() ? Json() : Json(root_mean_square())},
            {"bias", mean(sum, errors_.size())},
            {"coverage", mean(static_cast<double>(covered_), intervals_)},
            {"width", mean(width_, intervals_)},
            {"histogram", bins}};
  }

 private:
  static constexpr std::size_t bin_count = 41;
  std::vector<double> errors_;
  std::size_t intervals_ = 0;
  std::size_t covered_ = 0;
  double width_ = 0;
};

/// How well what was selected agrees with the truth, by counts, so that ties are nobody's mistake.
class Selected {
 public:
  Selected(const Json& request, const Data& data) {
    const auto k = request.at("k").get<std::size_t>();
    const std::vector<std::int64_t>& counts = data.values.whole;
    std::size_t wanted = std::min(k, counts.size());
    for (const char* member : {"threshold", "above"}) {
      if (request.contains(member) && !request[member].is_null()) {
        const Rational threshold = Rational::parse(request[member].get<std::string>());
        const auto above = static_cast<std::size_t>(
            std::count_if(counts.begin(), counts.end(),
                          [&](std::int64_t count) { return Rational(count) > threshold; }));
        wanted = std::min(k, above);
        least_ = threshold;
      }
    }
    wanted_ = wanted;
    // `above` asks in random order: whatever is above the threshold is right. `top` wants the
    // largest.
    if (request.at("verb") == "top" && wanted > 0) {
      least_ = std::max(least_.value_or(Rational(counts[data.ranked[wanted - 1]])),
                        Rational(counts[data.ranked[wanted - 1]]));
      strictly_ = false;
    }
  }

  void add(const std::vector<std::int64_t>& truths) {
    std::size_t right = 0;
    for (const std::int64_t truth : truths) {
      right += belongs(truth) ? 1 : 0;
    }
    ++runs_;
    exact_ += right == truths.size() && truths.size() == wanted_ ? 1 : 0;
    right_ += right;
    selected_ += truths.size();
  }

  [[nodiscard]] Json summary() const {
    const auto share = [](std::size_t part, std::size_t whole) {
      return whole == 0 ? Json() : Json(static_cast<double>(part) / static_cast<double>(whole));
    };
    return {{"right", share(exact_, runs_)},
            {"precision", share(right_, selected_)},
            {"recall", share(right_, runs_ * wanted_)},
            {"wanted", wanted_}};
  }

 private:
  [[nodiscard]] bool belongs(std::int64_t truth) const {
    return wanted_ > 0 && (strictly_ ? Rational(truth) > *least_ : Rational(truth) >= *least_);
  }

  std::optional<Rational> least_;
  bool strictly_ = true;
  std::size_t wanted_ = 0;
  std::size_t runs_ = 0;
  std::size_t exact_ = 0;
  std::size_t right_ = 0;
  std::size_t selected_ = 0;
};

/// A question, asked again and again with each way to make estimates: the streams of noise are the
/// same.
class Study {
 public:
  explicit Study(const Json& request)
      : data_(loaded(request.at("input").get<std::string>())), selected_(request, *data_) {
    const auto seed = request.at("seed").get<std::uint64_t>();
    for (const Method method : methods) {
      ways_.push_back(
          {question_of(request, method), std::make_unique<InsecureSeededNoise>(seed), {}});
    }
  }

  /// What it is about.
  [[nodiscard]] const std::shared_ptr<const Data>& data() const { return data_; }

  void run_until(std::uint64_t runs) {
    for (; runs_ < runs; ++runs_) {
      std::vector<std::int64_t> truths;
      for (Way& way : ways_) {
        const Json document = way.question.draw(*way.noise).document;
        truths.clear();
        for_each_selected(document, [&](const Json& row, const std::string& item) {
          truths.push_back(data_->truth(item));
          way.errors.add(row, static_cast<double>(truths.back()));
        });
      }
      selected_.add(truths);
    }
  }

  [[nodiscard]] Json summary() const {
    double reach = 0;
    for (const Way& way : ways_) {
      reach = std::max(reach, 3 * way.errors.root_mean_square());
    }
    Json result = {{"runs", runs_}, {"reach", reach}, {"selection", selected_.summary()}};
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      result["methods"][name(methods[i])] = ways_[i].errors.summary(reach > 0 ? reach : 1);
    }
    return result;
  }

 private:
  struct Way {
    questions::Question question;
    std::unique_ptr<InsecureSeededNoise> noise;
    Errors errors;
  };

  std::shared_ptr<const Data> data_;
  Selected selected_;
  std::vector<Way> ways_;
  std::uint64_t runs_ = 0;
};

}  // namespace

Json look(const Json& request) {
  const auto data = loaded(request.at("input").get<std::string>());
  Json result;
  result["truth"] = Json::object();
  for (const Method method : methods) {
    InsecureSeededNoise noise(request.at("seed").get<std::uint64_t>());
    const Json document = question_of(request, method).draw(noise).document;
    for_each_selected(document, [&](const Json& /*row*/, const std::string& item) {
      result["truth"][item] = data->truth(item);
    });
    result["releases"][name(method)] = document;
  }
  return result;
}

Json study(const Json& request) {
  static std::optional<Study> current;
  static Json current_request;
  Json asked = request;
  asked.erase("runs");
  const auto data = loaded(request.at("input").get<std::string>());
  if (!current || asked != current_request || data != current->data()) {
    current.emplace(asked);
    current_request = asked;
  }
  current->run_until(request.at("runs").get<std::uint64_t>());
  return current->summary();
}

}  // namespace freegap::lab
