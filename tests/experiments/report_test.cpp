// Tables, scripts and the page show the results unchanged, whatever characters they contain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "experiments/comparison.hpp"
#include "experiments/plots.hpp"
#include "experiments/reproduce.hpp"
#include "freegap/errors.hpp"

namespace freegap::experiments {
namespace {

TEST(Table, QuotesWhereCsvNeedsIt) {
  const Table table{"t", "T", {"a", "b,c"}, {{"1", "say \"hi\""}, {"", "x\ny"}}};
  EXPECT_EQ(table.csv(), "a,\"b,c\"\n1,\"say \"\"hi\"\"\"\n,\"x\ny\"\n");
}

TEST(Table, NumbersAreShort) {
  EXPECT_EQ(shown(1.0 / 3), "0.333333");
  EXPECT_EQ(shown(1e-9), "1e-09");
  EXPECT_EQ(shown(NAN), "");
  EXPECT_EQ(fixed(2.345, 1), "2.3");
}

TEST(Plots, ScriptsHoldTheirData) {
  Panel panel{"name", "it's", "k", "y", 0, 10, false, {}};
  panel.series = {{"bars", Style::bars, 0, {{2, 3, 0.5}}},
                  {"other", Style::bars, 1, {{2, 1, 0}}},
                  {"on top", Style::stacked, 2, {{2, 4, 0}}},
                  {"dots", Style::points, 3, {{2, 7, 0.25}}}};
  const std::string script = gnuplot_script(panel);
  EXPECT_NE(script.find("set title 'it''s'"), std::string::npos);
  EXPECT_NE(script.find("2 7 0.5\n"), std::string::npos);  // two standard errors
  EXPECT_NE(script.find("1.72 3 1 1.44 2 0 3\n"),
            std::string::npos);  // the first stack, on the left
  EXPECT_NE(script.find("2.28 5 0 2 2.56 1 5\n"),
            std::string::npos);  // 4 on top of 1, on the right
  EXPECT_NE(script.find("figures/name.svg"), std::string::npos);
  EXPECT_NE(script.find("figures/name.pdf"), std::string::npos);
}

Reproduction tiny() {
  Chapter chapter{"A & B", "One.\n\nTwo <three>.", {}, {}, {}};
  chapter.figures = {
      {"f",
       "F",
       "caption",
       {{"p", "panel", "x", "y", 0, 1, false, {}}, {"q", "other", "x", "y", 0, 1, false, {}}},
       {"t"}}};
  chapter.shown = {{"t", "T", {"a_b"}, {{"<1>"}}}};
  return {{}, embedded_datasets(), {chapter}, 1};
}

TEST(Plots, NamesAreData) {
  Panel panel{"name", "it's\nsystem('touch x')\r`y`", "k\nz", "y\tlabel", 0, 1, false, {}};
  panel.series.push_back({"one\ntwo", Style::line, 0, {{1, 2, 0}}});
  const std::string script = gnuplot_script(panel);
  // A line of a name never is a line of the script, and a quote ends nothing.
  EXPECT_NE(script.find("set title 'it''s system(''touch x'') `y`' noenhanced\n"),
            std::string::npos);
  EXPECT_NE(script.find("set xlabel 'k z'.\"\\n\" noenhanced\n"), std::string::npos);
  EXPECT_NE(script.find("set ylabel 'y label' noenhanced\n"), std::string::npos);
  EXPECT_NE(script.find("title 'one two'"), std::string::npos);
}

TEST(Report, EscapesTextAndEmbedsDrawings) {
  const std::string page = as_html(tiny(), {{"p", "<svg/>"}}, {"fact & fiction"});
  EXPECT_NE(page.find("A &amp; B"), std::string::npos);
  EXPECT_NE(page.find("<p>Two &lt;three&gt;.</p>"), std::string::npos);
  EXPECT_NE(page.find("fact &amp; fiction"), std::string::npos);
  EXPECT_NE(page.find("data:image/svg+xml;base64,PHN2Zy8+"), std::string::npos);
  EXPECT_NE(page.find("other: not drawn"), std::string::npos);
  EXPECT_NE(page.find("<th scope=\"col\">a b</th>"), std::string::npos);
  EXPECT_NE(page.find("width=device-width"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);  // nothing is loaded from elsewhere
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST(Report, EmbeddedDataIsWhatItIsCalled) {
  const std::vector<Dataset> data = embedded_datasets();
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].name, "Quest T40I10D100K");
  EXPECT_EQ(data[0].records, 100'000U);
  EXPECT_EQ(data[2].counts.front(), 100'000);
  EXPECT_EQ(data[2].counts.back(), 50);
  for (const Dataset& one : data) {
    EXPECT_TRUE(std::is_sorted(one.counts.rbegin(), one.counts.rend()));
    EXPECT_EQ(compared_with_paper(one), "");
  }
}

TEST(Report, DataIsComparedWithThePapersTable) {
  const auto of = [](const char* name, std::size_t items, std::optional<std::uint64_t> records) {
    return compared_with_paper(
        make_dataset(name, std::vector<std::int64_t>(items, 5), records, "here"));
  };
  EXPECT_EQ(of("kosarak", 41'270, 990'002), "as in the paper");
  EXPECT_EQ(of("KOSARAK", 41'270, std::nullopt), "as many items as in the paper");
  EXPECT_EQ(of("bms_pos", 1657, 515'597), "as in the paper");
  EXPECT_EQ(of("T40I10D100K", 942, 99'999), "not the paper's: it has 100000 records, 942 items");
  EXPECT_EQ(of("T40I10D100K", 941, std::nullopt), "not the paper's: it has 942 items");
  EXPECT_EQ(of("retail", 500, 5), "");
  EXPECT_THROW(of("small", 199, 5), InvalidParameter);
}

TEST(Report, UnknownExperimentsAreRefused) {
  EXPECT_THROW(reproduce(embedded_datasets(), {.runs = 2, .figures = {"no such"}}),
               InvalidParameter);
  EXPECT_THROW(reproduce({}, {.runs = 2}), InvalidParameter);
}

TEST(Comparison, NothingToCompareMakesNoTable) {
  EXPECT_FALSE(comparison_chapter({}, {}).has_value());
}

/// The authors' figure in the comparison of one number found on a data set.
std::string authors_beside(const Dataset& data) {
  const Table found{
      "reduction-k",
      "",
      {"data", "mechanism", "noise", "k", "linear_percent", "linear_standard_error",
       "linear_theory_percent", "likelihood_percent", "likelihood_standard_error",
       "likelihood_theory_percent"},
      {{data.name, "top-k", "exponential", "24", "63.5", "0.25", "63.9", "67.2", "0.3", "67.4"}}};
  const Table table =
      comparison_chapter({data}, {{"Chapter", "", {}, {found}, {}}})->tables.front();
  const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [](const auto& cells) { return cells[1] == "24"; });
  EXPECT_EQ(row->at(3), "63.5 ± 0.2");
  return row->back();
}

TEST(Comparison, TheAuthorsFiguresStandBesideThePapersOwnData) {
  const auto data = [](const char* name, std::size_t items, std::optional<std::uint64_t> records) {
    return make_dataset(name, std::vector<std::int64_t>(items, 5), records, "here");
  };
  EXPECT_EQ(authors_beside(data("T40I10D100K", 942, 100'000)), "64");
  EXPECT_EQ(authors_beside(data("t40i10d100k", 942, std::nullopt)), "64");
  // The same name, other data.
  EXPECT_EQ(authors_beside(data("T40I10D100K", 941, std::nullopt)), "");
  EXPECT_EQ(authors_beside(data("T40I10D100K", 942, 99'999)), "");
  EXPECT_EQ(authors_beside(data("kosarak", 41'270, std::nullopt)), "");
}

}  // namespace
}  // namespace freegap::experiments
