#include "candidates.hpp"

#include <algorithm>
#include <concepts>
#include <span>
#include <unordered_set>

#include "asking.hpp"
#include "exact.hpp"
#include "freegap/errors.hpp"
#include "sources/number.hpp"
#include "sources/text.hpp"

namespace freegap::python {

namespace nb = nanobind;
using questions::CandidateFacts;

namespace {

/// So many numbers are looked at in less than a microsecond.
constexpr std::size_t quickly_checked = 4096;

/// How a release calls items that nobody listed.
constexpr const char* unknown_mode = "unknown items";

void check_sequence(nb::handle sequence, const char* argument) {
  if (PyUnicode_Check(sequence.ptr()) || PyBytes_Check(sequence.ptr())) {
    throw nb::type_error((std::string(argument) + ": give a list of names").c_str());
  }
}

/// An entry of a sequence as Python has it. Arrow scalars are not str; as_py() converts them.
nb::object plain(nb::handle entry) {
  const bool is_plain = PyUnicode_Check(entry.ptr()) || PyIndex_Check(entry.ptr());
  return is_plain || !nb::hasattr(entry, "as_py") ? nb::borrow(entry) : entry.attr("as_py")();
}

/// A name as one entry of a sequence gives it: a text, or an id.
std::string name_of(nb::handle entry, const char* argument) {
  const nb::object item = plain(entry);
  const bool id = PyIndex_Check(item.ptr()) && !PyBool_Check(item.ptr());
  return id ? digits(item, argument) : name_text(item, argument);
}

/// Whether an entry is a null: None, NA of pandas, or what is not equal to itself, such as NaN and
/// NaT of any type.
bool is_null(nb::handle item) {
  if (item.is_none() || item.type().attr("__name__").equal(nb::str("NAType"))) {
    return true;
  }
  const auto differs = nb::steal<nb::object>(PyObject_RichCompare(item.ptr(), item.ptr(), Py_NE));
  const int truth = differs.is_valid() ? PyObject_IsTrue(differs.ptr()) : -1;
  PyErr_Clear();  // what cannot be compared is no null
  return truth == 1;
}

void check_distinct(const std::vector<std::string>& names, const char* argument) {
  if (std::unordered_set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw InvalidParameter(argument, "name each item once");
  }
}

/// The same as names_of, without nulls and those that a release cannot show.
std::vector<std::optional<std::string>> shown_names_of(nb::handle sequence, const char* argument) {
  check_sequence(sequence, argument);
  std::vector<std::optional<std::string>> names;
  for (const nb::handle entry : nb::iter(sequence)) {
    const nb::object item = plain(entry);
    if (!PyUnicode_Check(item.ptr()) && is_null(item)) {
      names.emplace_back();
      continue;
    }
    try {
      names.emplace_back(name_of(item, argument));
    } catch (const InvalidParameter&) {
      names.emplace_back();
    }
  }
  return names;
}

}  // namespace

const char* const which_items =
    "which items can win? A list taken from the data would itself reveal who is in it. Say "
    "candidates=[...] (a public list), universe=range(low, high) (all integer ids in a range), "
    "items_are_public=True if which items occur is no secret, or, where nobody can list them, "
    "unknown_items=True with delta= and max_items= (top_k and top_k_above). Nothing was spent";

const char* const whose_rows =
    "whose rows are they? Say the column of units, each of whose values counts once per item, or "
    "unit=\"row\" if one row is all that is to be protected. Nothing was spent";

namespace {

/// range(low, high) as the ids from low to high - 1.
Universe universe_of(nb::handle given) {
  if (!given.type().is(nb::handle(reinterpret_cast<PyObject*>(&PyRange_Type)))) {
    throw nb::type_error("universe: give a range, for example range(0, 1000)");
  }
  const auto end = [&](const char* name) {
    int overflow = 0;
    const nb::object number = given.attr(name);
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) {
      throw InvalidParameter("universe", "its ids must fit 64 bits");
    }
    return static_cast<std::int64_t>(value);
  };
  const std::int64_t first = end("start");
  const std::int64_t stop = end("stop");
  if (end("step") != 1 || stop <= first) {
    throw InvalidParameter("universe", "give a range of step 1 that is not empty");
  }
  return {first, stop - 1};
}

/// The names of bare positions and of ids.
std::vector<std::string> as_digits(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) {
    names.push_back(std::to_string(item.id));
  }
  return names;
}

/// Whether one is below 0, by the signs of all of them together. Four chains side by side take a
/// third of the time of one.
template <std::integral Number>
bool any_negative(std::span<const Number> values) {
  Number first = 0;
  Number second = 0;
  Number third = 0;
  Number fourth = 0;
  for (; values.size() >= 4; values = values.subspan(4)) {
    first |= values[0];
    second |= values[1];
    third |= values[2];
    fourth |= values[3];
  }
  for (const Number value : values) {
    first |= value;
  }
  return (first | second | third | fourth) < 0;
}

bool any_negative(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return value < 0; });
}

void check_counts(const Answers& answers, const char* argument) {
  if (answers.visit([](const auto& values) { return any_negative(values); })) {
    throw InvalidParameter(argument, "a count must not be negative");
  }
}

void check_whole(const Answers& answers) {
  if (!answers.whole()) {
    throw InvalidParameter("values",
                           "counts are whole numbers, and these are floats. Give int64 (for "
                           "example values.astype(\"int64\")), or say kind=\"general\" and "
                           "sensitivity=...");
  }
}

Candidates dense(const Answers& answers, const Queries& queries) {
  if (queries.kind == Kind::general) {
    return Candidates::general(answers, queries.neighbours, queries.sensitivity);
  }
  check_whole(answers);
  return Candidates::growing(answers, queries.neighbours, queries.sensitivity);
}

/// Numbers in the order of public names.
void take_listed(Data& data, const std::vector<std::string>& order) {
  data.numbers.visit([&](const auto& values) {
    if (data.source->whole()) {
      data.whole =
          questions::numbers_listed(order, data.labels, values, data.source->absent_whole());
    } else {
      data.real = questions::numbers_listed(order, data.labels, values, data.source->absent_real());
    }
  });
}

/// The ids among the names, with their numbers.
void take_ids(Data& data, const Queries& queries) {
  if (queries.kind != Kind::counts || !data.source->whole()) {
    throw InvalidParameter("universe",
                           "ids that are not in the data count 0, so it goes with "
                           "whole numbers and kind=\"counts\"; use candidates=[...]");
  }
  if (data.source->absent_whole() != 0) {
    throw InvalidParameter("range", "ids that are not in the data count 0, so it must hold 0");
  }
  const Universe& universe = *data.facts.universe;
  data.numbers.visit([&](const auto& values) {
    questions::ListedIds listed = questions::ids_listed(universe, data.labels, values);
    data.ids = std::move(listed.ids);
    data.whole = std::move(listed.numbers);
  });
  data.candidates =
      Candidates::universe(universe, data.ids, data.whole, queries.neighbours, queries.sensitivity);
}

/// Copies the numbers, each clamped into the declared range.
void clamp_all(Data& data) {
  const sources::Clamp clamp = data.source->clamp();
  data.numbers.visit([&](const auto& values) {
    for (const auto value : values) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
        data.clamped_real.push_back(clamp.real(value));
      } else {
        data.clamped_whole.push_back(clamp.whole(value));
      }
    }
  });
  data.numbers = data.source->whole() ? Answers(std::span<const std::int64_t>(data.clamped_whole))
                                      : Answers(std::span<const double>(data.clamped_real));
}

}  // namespace

std::optional<sources::Range> take_range(Keywords& keywords) {
  const nb::handle given = keywords.take("range");
  if (!given.is_valid()) {
    return std::nullopt;
  }
  if (PySequence_Check(given.ptr()) == 0 || PySequence_Size(given.ptr()) != 2 ||
      PyUnicode_Check(given.ptr())) {
    PyErr_Clear();
    throw nb::type_error("range: give two numbers, for example range=(0, 1000)");
  }
  return sources::Range{exact(given[0], "range"), exact(given[1], "range")};
}

namespace {

Answers listed(const Data& data) {
  return data.source->whole() ? Answers(std::span<const std::int64_t>(data.whole))
                              : Answers(std::span<const double>(data.real));
}

struct Declared {
  std::optional<std::vector<std::string>> list;
  std::optional<Universe> universe;
  bool items_are_public = false;
};

Declared take_declared(Keywords& keywords, bool unknown_items) {
  Declared declared;
  if (const nb::handle list = keywords.take("candidates"); list.is_valid()) {
    declared.list = names_of(list, "candidates");
  }
  if (const nb::handle universe = keywords.take("universe"); universe.is_valid()) {
    declared.universe = universe_of(universe);
  }
  if (const nb::handle items = keywords.take("items_are_public"); items.is_valid()) {
    declared.items_are_public = flag(items, "items_are_public");
  }
  const int said = static_cast<int>(declared.list.has_value()) +
                   static_cast<int>(declared.universe.has_value()) +
                   static_cast<int>(declared.items_are_public);
  if (said > 0 && unknown_items) {
    throw InvalidParameter("unknown_items",
                           "the items are declared already, which needs no δ; leave it out");
  }
  if (said > 1) {
    throw InvalidParameter("candidates", "say one of candidates=, universe= and items_are_public=");
  }
  return declared;
}

/// Gives the candidates their contribution bound, if there is one.
void bound(Data& data, const Queries& queries) {
  if (queries.max_items) {
    data.candidates = data.candidates->bounded(*queries.max_items);
  }
}

/// The names and counts of items nobody listed: see docs/proofs/unknown_items.md. What a release
/// cannot show, and what counts 0, is dropped one by one: a message would tell that it occurs.
void take_unknown(Data& data, nb::handle labels, const Queries& queries) {
  if (!queries.max_items) {
    throw InvalidParameter("bounded_by",
                           "unknown_items=True needs it: the most items that one unit brings in. "
                           "Without a bound one unit could bring in any number of items, and δ "
                           "would promise nothing. Ready-made counts can only be declared to have "
                           "been bounded when they were counted");
  }
  check_whole(data.numbers);
  const std::vector<std::optional<std::string>> names = shown_names_of(labels, "labels");
  if (names.size() != data.values->size()) {
    throw InvalidParameter("labels", "there must be one for each value");
  }
  data.numbers.visit([&](const auto& values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] && values[i] > 0) {
        data.labels.push_back(*names[i]);
        data.whole.push_back(static_cast<std::int64_t>(values[i]));
      }
    }
  });
  check_distinct(data.labels, "labels");
  data.facts.mode = unknown_mode;
  data.candidates = Candidates::unknown(data.whole, *queries.max_items);
}

/// Refuses names to measure that are not among the declared candidates.
void check_named(const std::vector<std::string>& named, const Declared& declared) {
  const auto in_universe = [&](const std::string& name) {
    const std::optional<std::int64_t> id = sources::parse_id(name);
    return id && declared.universe->first <= *id && *id <= declared.universe->last;
  };
  for (const std::string& name : named) {
    if ((declared.list &&
         std::find(declared.list->begin(), declared.list->end(), name) == declared.list->end()) ||
        (declared.universe && !in_universe(name))) {
      throw InvalidParameter(
          "items", "\"" + name + "\" is not among the declared candidates. Nothing was spent");
    }
  }
}

void take_labelled(Data& data, const Declared& declared, const Setting& setting,
                   const std::vector<std::string>* named) {
  if (data.labels.size() != data.values->size()) {
    throw InvalidParameter("labels", "there must be one for each value");
  }
  if (named != nullptr) {
    check_named(*named, declared);
  }
  if (declared.list || named != nullptr) {
    std::vector<std::string> order = named != nullptr ? *named : *declared.list;
    data.facts.mode = named != nullptr ? "named items" : "public list";
    if (declared.list) {
      data.facts.list = questions::described(*declared.list);
    }
    if (setting.sorted) {
      std::sort(order.begin(), order.end());
    }
    take_listed(data, order);
    data.labels = std::move(order);
    data.candidates = dense(listed(data), setting.queries);
  } else if (declared.universe) {
    data.facts.mode = "universe";
    data.facts.universe = declared.universe;
    take_ids(data, setting.queries);
  } else if (declared.items_are_public || !setting.secret) {
    data.facts.mode = "public items";
    if (setting.sorted) {
      std::vector<std::string> order = data.labels;
      std::sort(order.begin(), order.end());
      take_listed(data, order);
      data.labels = std::move(order);
      data.candidates = dense(listed(data), setting.queries);
    } else {
      data.candidates = dense(data.numbers, setting.queries);
    }
  } else {
    throw InvalidParameter("candidates", which_items);
  }
}

}  // namespace

std::vector<std::string> names_of(nb::handle sequence, const char* argument) {
  check_sequence(sequence, argument);
  std::vector<std::string> names;
  for (const nb::handle item : nb::iter(sequence)) {
    names.push_back(name_of(item, argument));
  }
  check_distinct(names, argument);
  return names;
}

Setting take_setting(Keywords& keywords, bool secret, Kind by_default, bool needs_unit,
                     const char* value) {
  Setting setting{take_queries(keywords, by_default), std::nullopt, secret, value};
  if (const nb::handle unit = keywords.take("unit"); unit.is_valid()) {
    setting.unit = name_text(unit, "unit");
  }
  setting.range = take_range(keywords);
  if (const nb::handle counted = keywords.take("_counted"); counted.is_valid()) {
    setting.counted = flag(counted, "_counted");
    setting.value = "";
    keywords.take("input");
    keywords.take("sql");
  }
  if (setting.unit == "row" && !setting.counted) {
    throw InvalidParameter("unit",
                           "an entry of ready-made numbers is an item, and no one's presence. Say "
                           "what the numbers count, for example unit=\"customer\"");
  }
  if (needs_unit && !setting.unit) {
    throw InvalidParameter("unit",
                           "what do the numbers count? With a ledger say, for example, "
                           "unit=\"customer\": whose presence in the data is protected");
  }
  if (setting.queries.kind == Kind::general && setting.value == std::string_view("count")) {
    setting.value = "value";
  }
  return setting;
}

void Data::finish() {
  questions::NamesOf names;
  std::uint64_t longest = 20;  // of a number
  if (lookup) {
    longest = sources::longest_text;
    names = [find = lookup, caught = raised](const std::vector<Item>& items) {
      if (items.empty()) {
        return std::vector<std::string>();  // an engine need not know how to look up nothing
      }
      const nb::gil_scoped_acquire gil;
      try {
        nb::list asked;
        for (const Item& item : items) {
          asked.append(nb::make_tuple(item.id, item.member));
        }
        std::vector<std::string> found = names_of((*find)(asked), "lookup");
        if (found.size() != items.size()) {
          throw InvalidParameter("lookup", "it must return one name for each item");
        }
        return found;
      } catch (nb::python_error& error) {
        *caught = exception_of(error);
        throw std::runtime_error("the winners could not be looked up");
      }
    };
  } else if (!labels.empty() && !facts.universe) {
    longest = 0;
    for (const std::string& label : labels) {
      longest = std::max<std::uint64_t>(longest, label.size());
    }
    names = [this](const std::vector<Item>& items) {
      std::vector<std::string> found;
      for (const Item& item : items) {
        found.push_back(labels[static_cast<std::size_t>(item.id)]);
      }
      return found;
    };
  } else {
    names = as_digits;
  }
  labelled = std::make_shared<const questions::LabelledCandidates>(*source, facts, *candidates,
                                                                   std::move(names), longest);
}

void take_data(Data& data, nb::handle values, Keywords& keywords, const Setting& setting,
               const std::vector<std::string>* named) {
  data.values.emplace(values, "values");
  const nb::handle labels = keywords.take("labels");
  const Declared declared = take_declared(keywords, setting.unknown_items);
  data.facts.value_column = setting.value;
  data.source.emplace(setting.queries, setting.unit, data.values->answers().whole(),
                      setting.counted, setting.range);
  data.numbers = data.values->answers();
  if (!labels.is_valid() && data.values->has_named_index()) {
    throw InvalidParameter("values",
                           "its index names the numbers, and positions would lose the names. Say "
                           "labels=values.index, with candidates=[...], universe= or "
                           "items_are_public=True; or values.to_numpy() if the order is public");
  }
  if (setting.queries.kind == Kind::counts && data.source->whole() &&
      (!setting.in_a_hurry || labels.is_valid() || data.values->size() <= quickly_checked)) {
    check_counts(data.numbers, "values");
  }
  if (setting.range) {
    clamp_all(data);
  }
  if (setting.unknown_items) {
    if (!labels.is_valid()) {
      throw InvalidParameter("labels",
                             "unknown_items=True needs the names of the items, one for each value: "
                             "an array without labels has positions, which are no secret");
    }
    take_unknown(data, labels, setting.queries);
    return;
  }
  if (labels.is_valid()) {
    data.labels = names_of(labels, "labels");
    take_labelled(data, declared, setting, named);
    bound(data, setting.queries);
    return;
  }
  if (declared.list || declared.universe) {
    throw InvalidParameter("labels",
                           "candidates= and universe= declare names: give labels=[...], one for "
                           "each value. An array without labels has the positions 0, 1, 2, ...");
  }
  data.facts.mode = "public list";
  data.candidates = dense(data.numbers, setting.queries);
  bound(data, setting.queries);
}

namespace {

Candidates unknown_groups(const Data& data, const Queries& queries) {
  if (data.facts.universe || data.facts.list) {
    throw InvalidParameter("unknown_items",
                           "the items are declared already, which needs no δ; leave it out");
  }
  if (!queries.max_items) {
    throw InvalidParameter("max_items", "unknown_items=True needs it");
  }
  return Candidates::unknown_grouped(data.values->int64(), data.multiplicity->int64(),
                                     *queries.max_items);
}

}  // namespace

void take_groups(Data& data, nb::handle counts, nb::handle multiplicities, nb::handle lookup,
                 Keywords& keywords, const Setting& setting) {
  data.values.emplace(counts, "counts");
  data.numbers = data.values->answers();
  data.multiplicity.emplace(multiplicities, "multiplicities");
  check_counts(data.values->int64(), "counts");
  data.facts.mode = name_text(keywords.take("mode"), "mode");
  if (const nb::handle universe = keywords.take("universe"); universe.is_valid()) {
    data.facts.universe = universe_of(universe);
  }
  if (const nb::handle list = keywords.take("candidates"); list.is_valid()) {
    data.facts.list = questions::described(names_of(list, "candidates"));
  }
  data.source.emplace(setting.queries, setting.unit, true, true);
  if (setting.unknown_items != (data.facts.mode == unknown_mode)) {
    throw InvalidParameter("mode", "\"unknown items\" goes with unknown_items=True");
  }
  data.candidates =
      setting.unknown_items
          ? unknown_groups(data, setting.queries)
          : Candidates::grouped(data.numbers, data.multiplicity->int64(), setting.queries);
  data.lookup = std::make_shared<nb::object>(nb::borrow(lookup));
  data.raised = std::make_shared<nb::object>();
}

}  // namespace freegap::python
