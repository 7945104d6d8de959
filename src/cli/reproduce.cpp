#include "experiments/reproduce.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "experiments/names.hpp"
#include "experiments/plots.hpp"
#include "freegap/errors.hpp"
#include "freegap/version.hpp"
#include "report/visible_text.hpp"
#include "sources/source.hpp"

namespace freegap::cli {
namespace {

namespace fs = std::filesystem;
using experiments::Dataset;

constexpr const char* example = R"(Examples:
  freegap reproduce --out results
  freegap reproduce --out quick --runs 200 --figures reduction-k,adaptive
  freegap reproduce --out all --data FOLDER

FOLDER may hold kosarak.dat, BMS-POS.dat, T40I10D100K.dat or others like them.
Writes report.html, tables/*.csv, figures/*.svg and *.pdf, the gnuplot scripts
plots/*.gp they are drawn with, and run.json. The data is public and the noise
comes from a seed: the same seed, runs and data give the same tables, whatever
the number of threads; all but that of speed, which times the machine.)";

struct ReproduceVerb {
  experiments::ReproduceOptions options;
  std::string out;
  std::string data;
  bool without_embedded = false;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Data -------------------------------------------------------------------------------------------

/// "kosarak" for kosarak.dat, kosarak.dat.gz and kosarak-counts.csv.
std::string dataset_name(const fs::path& path) {
  std::string name = path.filename().string();
  name = name.substr(0, name.find('.'));
  const std::string suffix = "-counts";
  if (name.size() > suffix.size() && name.ends_with(suffix)) {
    name.resize(name.size() - suffix.size());
  }
  return name;
}

bool looks_like_data(const fs::path& path) {
  constexpr std::array endings{".dat", ".csv", ".tsv"};
  const std::string name = path.filename().string();
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return name.find(ending) != std::string::npos; });
}

Dataset read_dataset(const fs::path& path) {
  sources::Input input;
  input.path = path.string();
  sources::Values values = sources::read(input);
  const bool transactions = sources::records_of(input) == sources::Records::transactions;
  return experiments::make_dataset(dataset_name(path), std::move(values.whole),
                                   transactions ? std::optional(values.records) : std::nullopt,
                                   "read from " + path.filename().string());
}

/// The name stands in tables, pages and scripts that gnuplot runs. Refuses one that would not be
/// read there as it is written.
void check_name(const fs::path& path) {
  const std::string name = path.filename().string();
  if (visible(name) != name) {
    throw InvalidParameter("--data", "the name of " + visible(path.string()) +
                                         " has characters that cannot be seen; rename the file");
  }
}

/// The files of a folder by name; those that are no data of this kind are left out with a message.
std::vector<Dataset> read_folder(const std::string& folder, const Context& context) {
  if (!fs::is_directory(folder)) {
    throw InvalidParameter("--data", folder + " is not a folder");
  }
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && looks_like_data(entry.path())) {
      check_name(entry.path());
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Dataset> datasets;
  for (const fs::path& path : paths) {
    try {
      datasets.push_back(read_dataset(path));
      const std::string remark = experiments::compared_with_paper(datasets.back());
      context.err << "freegap: " << path.filename().string() << ": "
                  << datasets.back().counts.size() << " items"
                  << (remark.empty() ? "" : ", " + remark) << "\n";
    } catch (const std::invalid_argument& error) {
      context.err << "freegap: left out " << path.filename().string() << ": " << error.what()
                  << "\n";
    }
  }
  return datasets;
}

/// Tables distinguish data sets by their names, and files of figures by the letters and digits of
/// these.
void check_names_differ(const std::vector<Dataset>& datasets) {
  std::map<std::string, const Dataset*> seen;
  for (const Dataset& data : datasets) {
    const auto [known, fresh] = seen.emplace(experiments::file_name(data.name), &data);
    if (!fresh) {
      const Dataset& other = *known->second;
      throw InvalidParameter(
          "--data", "two data sets would go by one name: " + other.name + " (" + other.origin +
                        ") and " + data.name + " (" + data.origin +
                        "); rename a file or take it out of the folder, or, where one is "
                        "embedded, leave that out with --without-embedded");
    }
  }
}

std::vector<Dataset> datasets_for(const ReproduceVerb& asked, const Context& context) {
  std::vector<Dataset> datasets;
  if (!asked.without_embedded) {
    datasets = experiments::embedded_datasets();
  }
  if (!asked.data.empty()) {
    for (Dataset& data : read_folder(asked.data, context)) {
      datasets.push_back(std::move(data));
    }
  }
  check_names_differ(datasets);
  return datasets;
}

// Figures ----------------------------------------------------------------------------------------

std::string quoted_for_shell(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// What gnuplot says of itself; nothing where there is none.
std::string gnuplot_version() {
  FILE* const pipe = popen("gnuplot --version 2>/dev/null", "r");
  if (pipe == nullptr) {
    return {};
  }
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      text.push_back(static_cast<char>(c));
    }
  }
  return pclose(pipe) == 0 ? text : std::string();
}

template <class Visit>
void for_each_panel(const experiments::Reproduction& reproduction, const Visit& visit) {
  for (const experiments::Chapter& chapter : reproduction.chapters) {
    for (const experiments::Figure& figure : chapter.figures) {
      for (const experiments::Panel& panel : figure.panels) {
        visit(panel);
      }
    }
  }
}

/// Draws the panels and returns them as SVG, by name.
std::map<std::string, std::string> draw(const experiments::Reproduction& reproduction,
                                        const fs::path& out, Progress& progress,
                                        const Context& context) {
  std::size_t all = 0;
  for_each_panel(reproduction, [&](const experiments::Panel&) { ++all; });
  progress.start("drawing figures");
  std::map<std::string, std::string> drawings;
  std::size_t done = 0;
  for_each_panel(reproduction, [&](const experiments::Panel& panel) {
    const std::string command = "cd " + quoted_for_shell(out.string()) + " && gnuplot " +
                                quoted_for_shell("plots/" + panel.name + ".gp");
    if (std::system(command.c_str()) == 0) {
      drawings[panel.name] = read_file(out / "figures" / (panel.name + ".svg"));
    } else {
      context.err << "freegap: gnuplot could not draw plots/" << panel.name << ".gp\n";
    }
    progress.show(++done, all);
  });
  return drawings;
}

// The folder -------------------------------------------------------------------------------------

Json record(const experiments::Reproduction& reproduction, const std::string& gnuplot) {
  Json json;
  json["freegap"] = version;
  json["finished"] = utc(std::time(nullptr));
  json["seed"] = reproduction.options.seed;
  json["runs"] = reproduction.options.runs;
  json["threads"] = reproduction.options.threads;
  json["figures"] = reproduction.options.figures.empty() ? experiments::experiment_names()
                                                         : reproduction.options.figures;
  json["seconds"] = reproduction.seconds;
  json["compiler"] = __VERSION__;
  json["gnuplot"] = gnuplot.empty() ? Json() : Json(gnuplot);
  for (const Dataset& data : reproduction.datasets) {
    json["data"].push_back({{"name", data.name},
                            {"items", data.counts.size()},
                            {"records", data.records ? Json(*data.records) : Json()},
                            {"origin", data.origin},
                            {"paper", experiments::compared_with_paper(data)}});
  }
  return json;
}

std::vector<std::string> facts(const experiments::Reproduction& reproduction,
                               const std::string& gnuplot) {
  std::vector<std::string> lines{
      std::string("freegap ") + version + ", compiled by " + __VERSION__,
      "seed " + std::to_string(reproduction.options.seed) + ", " +
          std::to_string(reproduction.options.runs) +
          " runs per point; each point's noise comes from the seed and the point's name, whatever "
          "the number of threads",
      "finished " + utc(std::time(nullptr)) + " after " +
          std::to_string(std::lround(reproduction.seconds)) + " seconds on " +
          std::to_string(reproduction.options.threads) + " threads"};
  lines.push_back(gnuplot.empty() ? "figures not drawn: there was no gnuplot"
                                  : "figures drawn by " + gnuplot);
  return lines;
}

void write_tables(const experiments::Reproduction& reproduction, const fs::path& out) {
  write_file(out / "tables" / "datasets.csv",
             experiments::table_of_datasets(reproduction.datasets).csv());
  for (const experiments::Chapter& chapter : reproduction.chapters) {
    for (const experiments::Table& table : chapter.tables) {
      write_file(out / "tables" / (table.name + ".csv"), table.csv());
    }
  }
  for_each_panel(reproduction, [&](const experiments::Panel& panel) {
    write_file(out / "plots" / (panel.name + ".gp"), experiments::gnuplot_script(panel));
  });
}

/// Makes sure that the folder can be made, without making it, or that it can be written to.
void check_folder(const fs::path& out) {
  std::error_code absent;  // what cannot be looked at counts as not there
  fs::path there = fs::absolute(out);
  while (!fs::exists(there, absent) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!fs::is_directory(there, absent) || access(there.c_str(), W_OK) != 0) {
    throw InvalidParameter("--out", "cannot make " + out.string());
  }
  if (fs::exists(out, absent)) {
    check_output("--out", out / "run.json");
    check_output("--out", out / "report.html");
  }
}

/// Makes the folders, and makes sure that files can be written to them.
void prepare(const fs::path& out) {
  std::error_code problem;
  for (const char* folder : {"tables", "plots", "figures"}) {
    fs::create_directories(out / folder, problem);
    if (problem) {
      throw InvalidParameter("--out", "cannot make " + (out / folder).string());
    }
    check_output("--out", out / folder / "file");
  }
}

void reproduce_all(const ReproduceVerb& asked, const Context& context) {
  const fs::path out = asked.out;
  check_folder(out);
  const std::vector<Dataset> datasets = datasets_for(asked, context);
  prepare(out);
  Progress progress(context.err, context.terminal);
  progress.start("simulating");
  experiments::ReproduceOptions options = asked.options;
  options.progress = [&](std::size_t finished, std::size_t all) { progress.show(finished, all); };
  const experiments::Reproduction reproduction = experiments::reproduce(datasets, options);
  write_tables(reproduction, out);
  const std::string gnuplot = gnuplot_version();
  const auto drawings = gnuplot.empty() ? std::map<std::string, std::string>()
                                        : draw(reproduction, out, progress, context);
  write_file(out / "run.json", record(reproduction, gnuplot).dump(2) + "\n");
  write_file(out / "report.html",
             experiments::as_html(reproduction, drawings, facts(reproduction, gnuplot)));
  if (gnuplot.empty()) {
    context.err << "freegap: there is no gnuplot, so no figures were drawn; the tables are there. "
                   "Install it (Debian: gnuplot-nox) and run this again for the whole report, or "
                   "`gnuplot plots/NAME.gp` in that folder for one figure\n";
  }
  context.out << (out / "report.html").string() << "\n";
}

}  // namespace

void add_reproduce(CLI::App& app, const Context& context) {
  auto asked = std::make_shared<ReproduceVerb>();
  asked->options.threads = std::max(1U, std::thread::hardware_concurrency());
  CLI::App* verb =
      app.add_subcommand("reproduce", "Run the paper's experiments, and some beyond it");
  verb->add_option("--out", asked->out, "Folder to write to; made if it is not there")->required();
  add_number(*verb, "--runs", asked->options.runs, "Runs of each point (10000)", 2,
             std::uint64_t{1} << 40U);
  verb->add_option("--figures", asked->options.figures, "Which experiments (all)")
      ->delimiter(',')
      ->check(CLI::IsMember(experiments::experiment_names()));
  add_number(*verb, "--seed", asked->options.seed,
             "The same seed gives the same tables, all but speed's (1)", 0);
  verb->add_option("--data", asked->data,
                   "Folder with .dat files of transactions or item,count tables, to be used "
                   "besides the embedded data");
  verb->add_flag("--without-embedded", asked->without_embedded,
                 "With --data: leave out the embedded data");
  add_number(*verb, "--threads", asked->options.threads, "Threads to work with (all cores)", 1,
             1024);
  verb->footer(example);
  verb->callback([asked, &context] { reproduce_all(*asked, context); });
}

}  // namespace freegap::cli
