#include "verify/mechanisms/sparse_vector_skipping.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>

#include "verify/loss_rows.hpp"

namespace freegap::verify {
namespace {

const std::string mechanism = "sparse vector";

// Rows: the same distribution.

/// The cases with their reference distributions, which rows share: the first row that needs one
/// enumerates it.
class Reference {
 public:
  using Enumerate = OutcomeDistribution (*)(const SkippingCase& c, Asking asking);

  Reference(std::vector<SkippingCase> cases, Enumerate enumerate)
      : cases_(std::move(cases)), enumerate_(enumerate), parts_(2 * cases_.size()) {}

  [[nodiscard]] const std::vector<SkippingCase>& cases() const { return cases_; }
  const OutcomeDistribution& of(std::size_t i, Asking asking) {
    Part& part = parts_[2 * i + (asking == Asking::shuffled ? 1 : 0)];
    std::call_once(part.once, [&] { part.distribution = enumerate_(cases_[i], asking); });
    return part.distribution;
  }

 private:
  struct Part {
    std::once_flag once;
    OutcomeDistribution distribution;
  };
  std::vector<SkippingCase> cases_;
  Enumerate enumerate_;
  std::vector<Part> parts_;
};

using DistributionOfWay = std::function<OutcomeDistribution(const SkippingCase& c)>;

/// The first case that tells a way from the reference.
std::optional<std::string> difference(Reference& reference, Asking asking, std::size_t most_answers,
                                      const DistributionOfWay& way) {
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    const SkippingCase& c = reference.cases()[i];
    if (c.answers.size() <= most_answers && way(c) != reference.of(i, asking)) {
      return text(c);
    }
  }
  return std::nullopt;
}

struct Way {
  const char* name;
  Asking asking;
  std::shared_ptr<Reference> reference;
  DistributionOfWay distribution;
  std::size_t most_answers = 4;
};

RowTask row_of(const Way& way) {
  return [way] {
    Row row;
    row.mechanism = mechanism;
    row.variant = way.name;
    const auto found = difference(*way.reference, way.asking, way.most_answers, way.distribution);
    row.same_distribution = !found;
    row.problem = found ? "the distribution differs from that of noise for every query: " + *found
                        : std::string();
    return row;
  };
}

/// Sizes that make every kind of skip occur on a few queries.
constexpr detail::AboveSizes small_sizes{{2, 1}, 1, 8, {3, 3}};
constexpr detail::SkipSizes small_skips{2, 2};

template <class Wrap>
OutcomeDistribution scanned(const SkippingCase& c, Asking asking) {
  detail::ScanCounters counters;
  return list_distribution<Wrap>(c, asking, small_sizes, counters);
}

/// Cases with a lower cut, for ways that draw more.
std::vector<SkippingCase> shorter(std::vector<SkippingCase> cases, std::uint64_t by) {
  for (SkippingCase& c : cases) {
    c.cut -= by + (c.answers.size() > 3 || c.branches > 1 ? 1U : 0U);
  }
  return cases;
}

/// Cases with few orders, for ways that draw noise for every branch of every query.
std::vector<SkippingCase> shortest(std::vector<SkippingCase> cases) {
  for (SkippingCase& c : cases) {
    const std::uint64_t most = two_sided(c.distribution) ? 4 : 5;
    c.cut = std::min(c.cut, c.answers.size() * c.branches > 4 ? most - 2 : most);
  }
  return cases;
}

std::vector<Way> ways(bool longer) {
  const std::vector<SkippingCase> cases = skipping_cases();
  const auto reference =
      std::make_shared<Reference>(shorter(cases, longer ? 0 : 2), drawn_distribution);
  const auto small = std::make_shared<Reference>(shorter(cases, 4), drawn_distribution);
  const auto all = std::make_shared<Reference>(shorter(cases, 3), drawn_distribution_of_all);
  const auto shortest_cases = std::make_shared<Reference>(shortest(cases), drawn_distribution);
  const auto ids =
      std::make_shared<Reference>(shorter(cases, longer ? 3 : 4), drawn_distribution_of_ids);
  const auto shortest_ids = std::make_shared<Reference>(shortest(cases), drawn_distribution_of_ids);
  const Asking given = Asking::as_given;
  const Asking shuffled = Asking::shuffled;
  using Plain = Sound<SeriesNoise>;
  using Bulk = DrawsInBulk<SeriesNoise>;
  using Few = FewTrials<SeriesNoise>;
  const auto online = [](const SkippingCase& c) {
    return online_distribution<Plain>(c, small_skips);
  };
  const auto online_usual = [](const SkippingCase& c) {
    return online_distribution<Few>(c, detail::SparseVectorState<Few>::usual_sizes);
  };
  const auto online_bulk = [](const SkippingCase& c) {
    return online_distribution<Bulk>(c, small_skips);
  };
  return {
      {"one by one, skipping", given, reference, online},
      {"one by one, usual sizes", given, reference, online_usual},
      {"one by one, bulk draws", given, small, online_bulk, DrawsInBulk<SeriesNoise>::drawn},
      {"list, skipping", given, reference,
       [](const SkippingCase& c) { return scanned<Plain>(c, Asking::as_given); }},
      {"list, skipping, shuffled", shuffled, reference,
       [](const SkippingCase& c) { return scanned<Plain>(c, Asking::shuffled); }},
      {"list, bulk draws", given, small,
       [](const SkippingCase& c) { return scanned<Bulk>(c, Asking::as_given); },
       DrawsInBulk<SeriesNoise>::drawn},
      {"sparse_vector_above", given, reference,
       [](const SkippingCase& c) { return public_distribution<Few>(c, Asking::as_given); }},
      {"sparse_vector_above, shuffled", shuffled, reference,
       [](const SkippingCase& c) { return public_distribution<Few>(c, Asking::shuffled); }},
      {"sparse_vector", given, all,
       [](const SkippingCase& c) { return public_distribution_of_all<Few>(c, Asking::as_given); }},
      {"sparse_vector, shuffled", shuffled, all,
       [](const SkippingCase& c) { return public_distribution_of_all<Few>(c, Asking::shuffled); }},
      {"sparse_vector_above, universe", shuffled, ids,
       [](const SkippingCase& c) { return universe_distribution<Few>(c, false); }},
      {"one by one, constant work", given, shortest_cases, constant_work_online_distribution},
      {"list, constant work", given, shortest_cases,
       [](const SkippingCase& c) { return constant_work_distribution(c, Asking::as_given); }},
      {"list, constant work, shuffled", shuffled, shortest_cases,
       [](const SkippingCase& c) { return constant_work_distribution(c, Asking::shuffled); }},
      {"universe, constant work", shuffled, shortest_ids,
       [](const SkippingCase& c) { return universe_distribution<Plain>(c, true); }}};
}

// Losses through the public function.

Rational reserved_of(const ListSetting& s) { return 1 + 2 * factor_of(s.kind); }

SparseVectorOptions options_of(const ListSetting& s) {
  return {.k = 1,
          .epsilon = Epsilon(reserved_of(s)),
          .threshold = 0,
          .noise = s.distribution,
          .branches = s.branches,
          .theta = Rational(1) / reserved_of(s),
          .sigma = 1,
          .tick = 1,
          .asking = s.asking};
}

Seen seen_of(const SparseVectorRelease& release) {
  return {answers_above(release), in_units(release.cost.spent, 1)};
}

template <class Ask>
Distributions distributions_by(const ListSetting& s, std::uint64_t cut, const Ask& ask) {
  return Distributions([=](const Vector& q) {
    const Candidates candidates = candidates_of(q, s.kind);
    return seen_distribution(1, cut, [&](LossNoise& noise) {
      FewTrials<LossNoise> few{noise};
      return seen_of(ask(candidates, options_of(s), few));
    });
  });
}

LossCheck check_of(const ListSetting& s, std::uint64_t cut, double at_least) {
  const std::string name =
      s.asking == Asking::shuffled ? "list, above only, shuffled" : "list, above only, as given";
  return {mechanism,
          variant_of((s.branches > 1 ? std::to_string(s.branches) + " branches, " : "") + name,
                     s.kind, s.distribution),
          at_least,
          [=] { return distributions_of(s, cut).worst(all_vectors(2, -1, 1), moves_of(s.kind)); }};
}

std::vector<LossCheck> losses(bool longer) {
  std::vector<LossCheck> checks;
  for (const Kind kind : {Kind::general, Kind::counts}) {
    for (const Asking asking : {Asking::as_given, Asking::shuffled}) {
      const std::uint64_t more = longer ? 4 : 0;
      // In random order nothing shows which queries were asked and failed, so less is lost than is
      // charged where there are few.
      checks.push_back(check_of({kind, Distribution::geometric, asking}, 14 + more,
                                asking == Asking::as_given ? 0.97 : 0.39));
      checks.push_back(check_of({kind, Distribution::laplace, asking}, 10 + more, 0));
      if (longer) {
        checks.push_back(check_of({kind, Distribution::geometric, asking, 2}, 16, 0));
      }
    }
  }
  return checks;
}

// Mistakes.

/// A way with a mistake in it, and the reference that must tell it.
struct Mistake {
  const char* name;
  Asking asking;
  DistributionOfWay distribution;
};

std::vector<Mistake> mistakes() {
  const Asking given = Asking::as_given;
  return {{"sparse vector: a skip forgets one query", given,
           [](const SkippingCase& c) {
             return online_distribution<OneForgotten<SeriesNoise>>(c, small_skips);
           }},
          {"sparse vector: a scan forgets one query", given,
           [](const SkippingCase& c) { return scanned<OneForgotten<SeriesNoise>>(c, given); }},
          {"sparse vector: skips with a cutoff one too high", given,
           [](const SkippingCase& c) {
             return online_distribution<CutoffOneTooHigh<SeriesNoise>>(c, small_skips);
           }},
          {"sparse vector: a scan with a cutoff one too high", given,
           [](const SkippingCase& c) { return scanned<CutoffOneTooHigh<SeriesNoise>>(c, given); }},
          {"sparse vector: noise drawn in bulk is used twice", given,
           [](const SkippingCase& c) { return scanned<SameInBulk<SeriesNoise>>(c, given); }},
          {"sparse vector: a list in file order, called shuffled", Asking::shuffled,
           [](const SkippingCase& c) {
             return public_distribution<NotShuffled<SeriesNoise>>(c, Asking::shuffled);
           }}};
}

/// A scan of a universe that asks the ids without a count first, instead of in random order.
BadVariantCheck ids_without_counts_first() {
  return [](const SuiteOptions& /*options*/) {
    Reference reference(shorter(skipping_cases(), 4), drawn_distribution_of_ids);
    const auto found = difference(reference, Asking::shuffled, 3, [](const SkippingCase& c) {
      return universe_distribution<NotShuffled<SeriesNoise>>(c, false);
    });
    return BadRow{"sparse vector: a universe in a fixed order", false, found.has_value(),
                  found ? "another distribution: " + *found : ""};
  };
}

BadVariantCheck check_of(const Mistake& mistake) {
  return [mistake](const SuiteOptions& /*options*/) {
    Reference reference(shorter(skipping_cases(), 3), drawn_distribution);
    const auto found = difference(reference, mistake.asking, 3, mistake.distribution);
    return BadRow{mistake.name, false, found.has_value(),
                  found ? "another distribution: " + *found : ""};
  };
}

BadVariantCheck telling_how_many_were_asked() {
  return [](const SuiteOptions& /*options*/) {
    const ListSetting s{Kind::counts, Distribution::geometric, Asking::shuffled};
    const Worst worst =
        telling_distributions_of(s, 10).worst(all_vectors(2, -1, 1), moves_of(s.kind));
    return BadRow{
        "sparse vector: tells how many were asked where the list is crowded", false,
        worst.excess > slack,
        "exceeds its stated cost by " + std::to_string(worst.excess) + " units: " + worst.where};
  };
}

}  // namespace

std::string text(const SkippingCase& c) {
  return text(c.answers) + (two_sided(c.distribution) ? " two-sided" : " one-sided") + ", k " +
         std::to_string(c.k) + ", branches " + std::to_string(c.branches) +
         (c.stop_rule == StopRule::paper ? ", paper" : "");
}

std::vector<SkippingCase> skipping_cases() {
  std::vector<SkippingCase> result;
  for (const Vector& answers : {Vector{-2, 1, -4}, Vector{-1, -1, -1}, Vector{0, -6, -3, -3},
                                Vector{-5, -2, -6, -1}, Vector{-4, -5, 0, -2}}) {
    for (const std::uint64_t k : {1U, 2U}) {
      result.push_back({answers, Distribution::geometric, k, 1, 1, StopRule::afford, 9});
    }
    result.push_back({answers, Distribution::laplace, 1, 1, 1, StopRule::afford, 7});
  }
  for (const Vector& answers : {Vector{-1, -3}, Vector{2, -2, -5}, Vector{-3, -4, -3}}) {
    for (const StopRule rule : {StopRule::afford, StopRule::paper}) {
      result.push_back({answers, Distribution::geometric, 1, 2, 2, rule, 9});
    }
    result.push_back({answers, Distribution::laplace, 1, 2, 2, StopRule::afford, 6});
  }
  result.push_back({{-1, -1, 0}, Distribution::geometric, 2, 1, 1, StopRule::afford, 8, 1});
  return result;
}

SparseVectorOptions options_of(const SkippingCase& c, Asking asking) {
  const Rational epsilon(1 + 2 * c.rate * static_cast<std::int64_t>(c.k));
  return {.k = c.k,
          .epsilon = Epsilon(epsilon),
          .threshold = 0,
          .noise = c.distribution,
          .branches = c.branches,
          .theta = Rational(1) / epsilon,
          .sigma = "1/2"_rational,
          .stop_rule = c.stop_rule,
          .stop_after = c.stop_after,
          .tick = 1,
          .asking = asking};
}

Vector answers_above(const SparseVectorRelease& release) {
  Vector seen{release.asked ? static_cast<std::int64_t>(*release.asked) : -1,
              in_units(release.cost.spent, 1)};
  for (const SparseVectorAnswer& answer : release.answers) {
    if (answer.above) {
      seen.insert(seen.end(), {answer.item.id, static_cast<std::int64_t>(answer.branch),
                               answer.gap_ticks.value()});
    }
  }
  return seen;
}

Vector all_answers(const SparseVectorRelease& release) {
  Vector seen{static_cast<std::int64_t>(release.asked.value())};
  for (const SparseVectorAnswer& answer : release.answers) {
    seen.insert(seen.end(), {answer.item.id, static_cast<std::int64_t>(answer.branch),
                             answer.gap_ticks.value_or(-99)});
  }
  seen.push_back(in_units(release.cost.spent, 1));
  return seen;
}

OutcomeDistribution drawn_distribution(const SkippingCase& c, Asking asking) {
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates = candidates_of(c);
  return outcomes(c, answers_above, [&](SeriesNoise& noise) {
    DrawsOnly<SeriesNoise> draws(noise);
    SparseVectorRelease release = ask_one_by_one(
        candidates, plan, asking, [](const SparseVectorAnswer& /*answer*/) {}, draws);
    if (asking == Asking::shuffled) {
      release.asked.reset();
    }
    return release;
  });
}

OutcomeDistribution constant_work_distribution(const SkippingCase& c, Asking asking) {
  SparseVectorOptions options = options_of(c, asking);
  options.constant_work = true;
  const Candidates candidates = candidates_of(c);
  return outcomes(c, answers_above, [&](SeriesNoise& noise) {
    return sparse_vector_above(candidates, options, noise);
  });
}

OutcomeDistribution constant_work_online_distribution(const SkippingCase& c) {
  SparseVectorPlan plan = plan_of(c);
  plan.constant_work = true;
  return outcomes(c, answers_above, [&](SeriesNoise& noise) {
    SparseVector<SeriesNoise> vector(plan, noise);
    for (std::size_t i = 0; i < c.answers.size() && vector.open(); ++i) {
      vector.ask(c.answers[i]);
    }
    return vector.release();
  });
}

// Counts need half the noise of general queries, so the same noise costs half.
CountedIds::CountedIds(const SkippingCase& c) : options(options_of(c, Asking::shuffled)) {
  const std::int64_t least = *std::min_element(c.answers.begin(), c.answers.end());
  for (std::size_t i = 0; i < c.answers.size(); ++i) {
    counts.push_back(c.answers[i] - least);
    if (counts.back() > 0) {
      ids.push_back(static_cast<std::int64_t>(i));
      listed.push_back(counts.back());
    }
  }
  const Rational epsilon(1 + c.rate * static_cast<std::int64_t>(c.k));
  options.epsilon = Epsilon(epsilon);
  options.theta = Rational(1) / epsilon;
  options.threshold = -least;
}

OutcomeDistribution drawn_distribution_of_ids(const SkippingCase& c, Asking asking) {
  const CountedIds counted(c);
  const Candidates candidates = counted.list();
  const SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), counted.options, true);
  return outcomes(
      c, answers_above,
      [&](SeriesNoise& noise) {
        DrawsOnly<SeriesNoise> draws(noise);
        SparseVectorRelease release = ask_one_by_one(
            candidates, plan, asking, [](const SparseVectorAnswer& /*answer*/) {}, draws);
        release.asked.reset();
        return release;
      },
      orders_of_ids);
}

OutcomeDistribution drawn_distribution_of_all(const SkippingCase& c, Asking asking) {
  const SparseVectorPlan plan = plan_of(c);
  const Candidates candidates = candidates_of(c);
  return outcomes(c, all_answers, [&](SeriesNoise& noise) {
    DrawsOnly<SeriesNoise> draws(noise);
    std::vector<SparseVectorAnswer> answers;
    SparseVectorRelease release = ask_one_by_one(
        candidates, plan, asking,
        [&](const SparseVectorAnswer& answer) { answers.push_back(answer); }, draws);
    release.answers = std::move(answers);
    return release;
  });
}

Distributions distributions_of(const ListSetting& setting, std::uint64_t cut) {
  return distributions_by(
      setting, cut,
      [](const Candidates& candidates, const SparseVectorOptions& options, auto& noise) {
        return sparse_vector_above(candidates, options, noise);
      });
}

Distributions telling_distributions_of(const ListSetting& setting, std::uint64_t cut) {
  return distributions_by(
      setting, cut,
      [](const Candidates& candidates, const SparseVectorOptions& options, auto& noise) {
        SparseVectorPlan plan = plan_sparse_vector(candidates.queries(), options, true);
        return detail::worth_scanning(candidates, plan, options.asking)
                   ? sparse_vector_above(candidates, options, noise)
                   : ask_one_by_one(
                         candidates, std::move(plan), options.asking,
                         [](const SparseVectorAnswer& /*answer*/) {}, noise);
      });
}

void add_skipping_checks(MechanismChecks& checks, bool longer) {
  for (const Way& way : ways(longer)) {
    checks.enumerations.push_back(row_of(way));
  }
  for (RowTask& task : tasks_of(losses(longer))) {
    checks.enumerations.push_back(std::move(task));
  }
  for (const Mistake& mistake : mistakes()) {
    checks.bad_variants.push_back(check_of(mistake));
  }
  checks.bad_variants.push_back(ids_without_counts_first());
  checks.bad_variants.push_back(telling_how_many_were_asked());
}

}  // namespace freegap::verify
