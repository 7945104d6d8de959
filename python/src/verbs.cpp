#include "verbs.hpp"

#include <nanobind/stl/string.h>

#include <unordered_set>

#include "asking.hpp"
#include "candidates.hpp"
#include "exact.hpp"
#include "freegap/errors.hpp"
#include "questions/choose.hpp"
#include "questions/measure.hpp"
#include "questions/top.hpp"
#include "sources/contribution.hpp"

namespace freegap::python {

namespace nb = nanobind;
using namespace questions;  // NOLINT(google-build-using-namespace)

namespace {

/// Runs and seed of a simulation; none of a release.
struct Simulation {
  std::uint64_t runs = 1;
  std::uint64_t seed = 0;
};

std::optional<Simulation> take_simulation(Keywords& keywords, bool simulate) {
  if (!simulate) {
    return std::nullopt;
  }
  Simulation simulation;
  if (const nb::handle runs = keywords.take("runs"); runs.is_valid()) {
    simulation.runs = whole(runs, "runs", 1, UINT64_MAX);
  }
  const nb::handle seed = keywords.take("seed");
  if (!seed.is_valid()) {
    keywords.missing("seed= must be given: a simulation is not a release");
  }
  simulation.seed = whole(seed, "seed", 0, UINT64_MAX);
  return simulation;
}

/// How a call ends: charged and released, or simulated.
struct Ending {
  Ending(Keywords& keywords, bool simulate)
      : simulation(take_simulation(keywords, simulate)),
        ledger(simulate ? LedgerOptions{{}, {}, {}, true} : take_ledger(keywords)) {}

  nb::object end(Question question, const Data& data, const nb::dict& given) const {
    if (simulation) {
      return simulated(question, simulation->runs, simulation->seed, data);
    }
    question.asked = what_was_asked(given, &data, ledger.note);
    return shown(answered(std::move(question), ledger, &data));
  }

  std::optional<Simulation> simulation;
  LedgerOptions ledger;
};

/// A selection without ledger, threshold and measurements, of which nothing is written until it is
/// asked for: a release costs microseconds, its document more.
nb::object quick_top(TopOptions&& options, double confidence, Data& data) {
  struct Drawn {
    TopOptions options;
    double confidence;
    sources::DataSource source;
    CandidateFacts facts;
    TopKRelease release;
    std::vector<std::string> labels;
  };
  SecureNoise& noise = thread_noise();
  const TopKOptions top = top_k_options(options);
  std::optional<TopKRelease> release;
  {
    // A smaller scan takes some 30 microseconds, and so do fewer winners.
    constexpr std::uint64_t worth_it = 1 << 17;
    constexpr std::uint64_t many_winners = 100;
    std::optional<nb::gil_scoped_release> no_gil;
    if (data.candidates->size() > worth_it || top.k > many_winners) {
      no_gil.emplace();
    }
    release = top_k(*data.candidates, top, noise);
  }
  data.facts.count = data.candidates->size();
  std::vector<std::string> labels;
  for (const Item& item : release->winners) {
    if (!data.labels.empty() && !data.facts.universe) {
      labels.push_back(data.labels[static_cast<std::size_t>(item.id)]);
    }
  }
  const Cost cost = release->cost;
  auto drawn =
      std::make_shared<Drawn>(Drawn{std::move(options), confidence, *std::move(data.source),
                                    std::move(data.facts), *std::move(release), std::move(labels)});
  return shown(Release(cost, [drawn] {
    std::vector<std::string> names = drawn->labels;
    for (std::size_t i = names.size(); i < drawn->release.winners.size(); ++i) {
      names.push_back(std::to_string(drawn->release.winners[i].id));
    }
    return top_outcome(drawn->options, drawn->confidence, drawn->source, drawn->facts,
                       drawn->release, names)
        .document;
  }));
}

/// The contribution bound: of rows that the package has counted, the one that it applied; of
/// ready-made numbers, the one that is declared.
std::optional<std::uint64_t> take_bound(Keywords& keywords, bool counted) {
  const nb::handle applied = keywords.take("max_items");
  const nb::handle declared = keywords.take("bounded_by");
  if (applied.is_valid() && !counted) {
    throw InvalidParameter("max_items",
                           "ready-made numbers cannot be cut any more. Cut each unit down before "
                           "you count, and say so with bounded_by=; or give a data frame, with "
                           "item= and unit=");
  }
  if (declared.is_valid() && counted) {
    throw InvalidParameter("bounded_by", "it is for ready-made numbers; say max_items=");
  }
  if (!applied.is_valid() && !declared.is_valid()) {
    return std::nullopt;
  }
  return counted ? whole(applied, "max_items", 1, UINT64_MAX)
                 : whole(declared, "bounded_by", 1, UINT64_MAX);
}

nb::object top(nb::handle values, nb::dict given, bool simulate, bool hybrid) {
  Keywords keywords(given, hybrid ? "top_k_above" : "top_k");
  const Ending ending(keywords, simulate);
  TopOptions options = take_top(keywords, hybrid);
  const double confidence = take_confidence(keywords);
  Setting setting =
      take_setting(keywords, !simulate, Kind::counts, !ending.ledger.no_ledger, "count");
  setting.queries.max_items = take_bound(keywords, setting.counted);
  setting.unknown_items = options.data.candidates.unknown_items;
  check_top(options, setting.queries, setting.range);
  setting.in_a_hurry = !simulate && ending.ledger.no_ledger && !hybrid && !setting.unknown_items &&
                       options.measure.sign() == 0;
  Data data;
  take_data(data, values, keywords, setting);
  keywords.finish();
  if (setting.in_a_hurry) {
    return quick_top(std::move(options), confidence, data);
  }
  data.finish();
  return ending.end(top_question(options, confidence, data.labelled), data, given);
}

Order take_order(Keywords& keywords) {
  const nb::handle order = keywords.take("order");
  if (!order.is_valid()) {
    return Order::random;
  }
  for (const Order known : {Order::random, Order::file, Order::label}) {
    if (PyUnicode_Check(order.ptr()) && nb::cast<std::string>(order) == name(known)) {
      return known;
    }
  }
  throw InvalidParameter(
      "order",
      "give \"random\" (the default), \"label\", or \"file\": as given, which declares that the "
      "order is public");
}

nb::object above(nb::handle values, nb::dict given, bool simulate) {
  Keywords keywords(given, "sparse_vector");
  const Ending ending(keywords, simulate);
  AboveOptions options = take_above(keywords);
  options.order = take_order(keywords);
  const double confidence = take_confidence(keywords);
  Setting setting =
      take_setting(keywords, !simulate, Kind::counts, !ending.ledger.no_ledger, "count");
  setting.queries.max_items = take_bound(keywords, setting.counted);
  setting.sorted = options.order == Order::label;
  Data data;
  take_data(data, values, keywords, setting);
  keywords.finish();
  if (data.facts.universe && options.order != Order::random) {
    throw InvalidParameter("order", "the ids of a universe are asked in random order");
  }
  if (setting.sorted && data.labels.empty()) {
    throw InvalidParameter("order", "\"label\" goes with labels=; positions have none");
  }
  data.finish();
  return ending.end(above_question(options, confidence, data.labelled), data, given);
}

/// The caller's own sampler of the exponential mechanism.
std::function<Item()> take_sampler(Keywords& keywords, Data& data) {
  const nb::handle sampler = keywords.take("sampler");
  if (!sampler.is_valid()) {
    return {};
  }
  if (PyCallable_Check(sampler.ptr()) == 0) {
    throw nb::type_error("sampler: give a function that returns a position");
  }
  data.raised = std::make_shared<nb::object>();
  return [call = std::make_shared<nb::object>(nb::borrow(sampler)), caught = data.raised,
          size = data.candidates->size()] {
    const nb::gil_scoped_acquire gil;
    try {
      return Item{static_cast<std::int64_t>(whole((*call)(), "sampler", 0, size - 1)), 0};
    } catch (nb::python_error& error) {
      *caught = exception_of(error);
      throw std::runtime_error("the sampler failed");
    }
  };
}

nb::object choose(nb::handle values, nb::dict given, bool simulate) {
  Keywords keywords(given, "exponential");
  const Ending ending(keywords, simulate);
  ChooseOptions options;
  const nb::handle epsilon = keywords.take("epsilon");
  if (!epsilon.is_valid()) {
    keywords.missing("epsilon= must be given");
  }
  options.epsilon = Epsilon(exact(epsilon, "epsilon"));
  if (const nb::handle tick = keywords.take("tick"); tick.is_valid()) {
    options.tick = exact(tick, "tick");
  }
  if (const nb::handle classic = keywords.take("classic"); classic.is_valid()) {
    options.classic = flag(classic, "classic");
  }
  if (const nb::handle work = keywords.take("constant_work"); work.is_valid()) {
    options.constant_work = flag(work, "constant_work");
  }
  const double confidence = take_confidence(keywords);
  const Setting setting = take_setting(keywords, !simulate, Kind::general, false, "utility");
  if (PyCallable_Check(values.ptr()) != 0) {
    throw nb::type_error(
        "values: give the utilities. A function of your own that chooses one goes to sampler=");
  }
  Data data;
  take_data(data, values, keywords, setting);
  const std::function<Item()> sampler = take_sampler(keywords, data);
  keywords.finish();
  if (sampler && data.facts.universe) {
    throw InvalidParameter("sampler", "it returns positions, and a universe has none");
  }
  data.finish();
  return ending.end(choose_question(options, confidence, data.labelled, sampler), data, given);
}

MeasureOptions take_measure(Keywords& keywords) {
  const nb::handle epsilon = keywords.take("epsilon");
  if (!epsilon.is_valid()) {
    keywords.missing("epsilon= must be given");
  }
  MeasureOptions options{.epsilon = Epsilon(exact(epsilon, "epsilon"))};
  if (const nb::handle tick = keywords.take("tick"); tick.is_valid()) {
    options.tick = exact(tick, "tick");
  }
  if (const nb::handle work = keywords.take("constant_work"); work.is_valid()) {
    options.constant_work = flag(work, "constant_work");
  }
  return options;
}

/// Positions of an array, as a list gives them.
std::vector<Item> positions(nb::handle items, std::uint64_t size) {
  if (PyUnicode_Check(items.ptr()) || PyBytes_Check(items.ptr())) {
    throw nb::type_error("items: give a list of positions, or names with labels=");
  }
  std::vector<Item> found;
  std::unordered_set<std::int64_t> seen;
  for (const nb::handle item : nb::iter(items)) {
    // Winners name positions as texts.
    const nb::object number =
        PyUnicode_Check(item.ptr()) ? nb::steal(PyNumber_Long(item.ptr())) : nb::borrow(item);
    if (!number.is_valid()) {
      PyErr_Clear();
      throw InvalidParameter("items", "numbers without labels= are named by their positions");
    }
    found.push_back({static_cast<std::int64_t>(whole(number, "items", 0, size - 1)), 0});
    if (!seen.insert(found.back().id).second) {
      throw InvalidParameter("items", "name each item once");
    }
  }
  return found;
}

nb::object measuring(nb::handle values, nb::dict given, bool simulate) {
  Keywords keywords(given, "measure");
  const Ending ending(keywords, simulate);
  const MeasureOptions options = take_measure(keywords);
  const nb::handle items = keywords.take("items");
  if (!items.is_valid()) {
    keywords.missing("items= must be given: which ones? A list of names, or of positions");
  }
  const double confidence = take_confidence(keywords);
  Setting setting =
      take_setting(keywords, !simulate, Kind::counts, !ending.ledger.no_ledger, "count");
  setting.queries.max_items = take_bound(keywords, setting.counted);
  Data data;
  std::vector<Item> chosen;
  if (keywords.given("labels")) {
    const std::vector<std::string> names = names_of(items, "items");
    take_data(data, values, keywords, setting, &names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      chosen.push_back({static_cast<std::int64_t>(i), 0});
    }
  } else {
    take_data(data, values, keywords, setting);
    chosen = positions(items, data.candidates->size());
  }
  keywords.finish();
  data.finish();
  return ending.end(measure_question(options, confidence, chosen, data.labelled), data, given);
}

/// Groups that an engine has counted: see freegap/_counted.py.
nb::object release_grouped(const std::string& verb, nb::dict given, nb::handle counts,
                           nb::handle multiplicities, nb::handle lookup) {
  Keywords keywords(given, verb.c_str());
  const Ending ending(keywords, false);
  if (verb != "top_k" && verb != "top_k_above") {
    throw InvalidParameter("verb", "groups serve top_k and top_k_above; give labels and values");
  }
  TopOptions options = take_top(keywords, verb == "top_k_above");
  const double confidence = take_confidence(keywords);
  Setting setting{take_queries(keywords, Kind::counts), std::nullopt, true, ""};
  const nb::handle unit = keywords.take("unit");
  if (!unit.is_valid()) {
    throw InvalidParameter("unit", whose_rows);
  }
  setting.unit = name_text(unit, "unit");
  setting.queries.max_items = take_bound(keywords, true);
  setting.unknown_items = options.data.candidates.unknown_items;
  check_top(options, setting.queries, setting.range);
  Data data;
  take_groups(data, counts, multiplicities, lookup, keywords, setting);
  keywords.take("input");
  keywords.take("sql");
  keywords.finish();
  data.finish();
  return ending.end(top_question(options, confidence, data.labelled), data, given);
}

}  // namespace

void bind_verbs(nb::module_& module) {
  const auto add = [&](const char* name, auto function) {
    module.def(name, function, nb::arg("values").none(), nb::arg("options"));
  };
  add("top_k", [](nb::handle v, nb::dict o) { return top(v, o, false, false); });
  add("top_k_above", [](nb::handle v, nb::dict o) { return top(v, o, false, true); });
  add("sparse_vector", [](nb::handle v, nb::dict o) { return above(v, o, false); });
  add("exponential", [](nb::handle v, nb::dict o) { return choose(v, o, false); });
  add("measure", [](nb::handle v, nb::dict o) { return measuring(v, o, false); });
  add("simulate_top_k", [](nb::handle v, nb::dict o) { return top(v, o, true, false); });
  add("simulate_top_k_above", [](nb::handle v, nb::dict o) { return top(v, o, true, true); });
  add("simulate_sparse_vector", [](nb::handle v, nb::dict o) { return above(v, o, true); });
  add("simulate_exponential", [](nb::handle v, nb::dict o) { return choose(v, o, true); });
  add("simulate_measure", [](nb::handle v, nb::dict o) { return measuring(v, o, true); });
  module.def("release_grouped", &release_grouped);
  module.attr("which_items") = which_items;
  module.attr("whose_rows") = whose_rows;
  module.def("cut_key", [] {
    SecureBits bits;
    return sources::ItemRanks(bits).key();
  });
  const auto add_plan = [&](const char* name, auto function) {
    module.def(name, function, nb::arg("options"), nb::arg("errors_alone") = false);
  };
  add_plan("plan_top_k", [](nb::dict given, bool errors_alone) {
    Keywords keywords(given, "plan.top_k");
    PlanOptions options = take_plan(keywords, "1/2", false);
    keywords.finish();
    options.errors_alone = errors_alone;
    const nb::gil_scoped_release no_gil;
    return line_of(plan_top(options));
  });
  add_plan("plan_sparse_vector", [](nb::dict given, bool errors_alone) {
    Keywords keywords(given, "plan.sparse_vector");
    PlanOptions options = take_plan(keywords, "0", true);
    keywords.finish();
    options.errors_alone = errors_alone;
    const nb::gil_scoped_release no_gil;
    return line_of(plan_above(options));
  });
}

}  // namespace freegap::python
