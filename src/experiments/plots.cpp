#include "experiments/plots.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace freegap::experiments {
namespace {

// Colours that colour-blind readers can distinguish, each with a shape of its own.
struct Ink {
  const char* colour;
  int shape;  ///< gnuplot's number
};
constexpr std::array<Ink, 7> palette{{{"#0072b2", 7},
                                      {"#d55e00", 5},
                                      {"#009e73", 8},
                                      {"#aa4499", 13},
                                      {"#666666", 11},
                                      {"#b8860b", 4},
                                      {"#000000", 6}}};

constexpr double bar_width = 0.56;  // two stacks stand beside each other between ticks 2 apart

Ink ink_of(const Series& series) { return palette[series.colour % palette.size()]; }

/// A text as gnuplot's data: in single quotes nothing is expanded, a quote is written twice, and a
/// line ends the command whatever is quoted, so control characters become blanks.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    result.append(c == '\'' ? 2 : 1, control ? ' ' : c);
  }
  return result + "'";
}

bool is_bar(const Series& series) {
  return series.style == Style::bars || series.style == Style::stacked;
}

/// Samples as a data block of gnuplot: x, y and two standard errors; for bars also the left, right,
/// low and high ends.
class Blocks {
 public:
  /// Adds a series, and returns the name of its data block.
  std::string add(const Series& series) {
    std::string name = "$data" + std::to_string(number_++);
    text_ += name + " << END\n";
    if (series.style == Style::bars) {
      left_ = left_ < 0 ? 0 : -bar_width;  // the first stack to the left of the tick
      tops_.assign(series.samples.size(), 0);
    }
    for (std::size_t i = 0; i < series.samples.size(); ++i) {
      const Sample& s = series.samples[i];
      if (is_bar(series)) {
        const double low = tops_[i];
        tops_[i] += s.y;
        line({s.x + left_ + bar_width / 2, tops_[i], 2 * s.error, s.x + left_,
              s.x + left_ + bar_width, low, tops_[i]});
      } else {
        line({s.x, s.y, 2 * s.error});
      }
    }
    text_ += "END\n";
    return name;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void line(std::initializer_list<double> numbers) {
    for (const double number : numbers) {
      text_ += shown(number);
      text_.push_back(' ');
    }
    text_.back() = '\n';
  }

  std::string text_;
  int number_ = 0;
  double left_ = 0;
  std::vector<double> tops_;
};

/// Error bars of two standard errors either way. (gnuplot's own error bars would hide what is
/// behind the points.)
std::string error_bars(const std::string& block, const std::string& colour) {
  return block + " using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.2" + colour + " notitle";
}

/// The arguments of `plot` for a series.
std::vector<std::string> plot_parts(const Series& series, const std::string& block) {
  const Ink ink = ink_of(series);
  const std::string colour = std::string(" lc rgb '") + ink.colour + "'";
  const std::string shape = " pt " + std::to_string(ink.shape) + " ps 0.75";
  const std::string title = " title " + quoted(series.title);
  switch (series.style) {
    case Style::line:
      return {block + " using 1:2 with lines lw 1.6" + colour + title};
    case Style::dashed:
      return {block + " using 1:2 with lines lw 1.6 dt 2" + colour + title};
    case Style::points:
      return {error_bars(block, colour), block + " using 1:2 with points" + shape + colour + title};
    case Style::joined:
      return {block + " using 1:2 with lines lw 0.8" + colour + " notitle",
              error_bars(block, colour), block + " using 1:2 with points" + shape + colour + title};
    case Style::bars:
    case Style::stacked:
      return {block +
                  " using 1:2:4:5:6:7 with boxxyerror fs solid 0.75 border lc rgb 'black' lw 0.5" +
                  " fc rgb '" + ink.colour + "'" + title,
              error_bars(block, " lc rgb 'black'")};
  }
  return {};
}

/// Marks of the horizontal axis, if they differ from gnuplot's.
std::string marks(const Panel& panel) {
  constexpr std::size_t few = 8;
  if (panel.series.empty() || panel.series.front().samples.empty()) {
    return {};
  }
  const std::vector<Sample>& samples = panel.series.front().samples;
  if (panel.x_label == "k" && samples.back().x < 30) {
    return "set xtics 4\n";
  }
  if (!panel.log_x || samples.size() > few) {
    return {};
  }
  // gnuplot's own marks are sparse on a logarithmic axis.
  std::string list;
  for (const Sample& sample : samples) {
    list += (list.empty() ? "set xtics (" : ", ") + shown(sample.x);
  }
  return list + ")\n";
}

}  // namespace

std::string gnuplot_script(const Panel& panel) {
  Blocks blocks;
  std::string plot;
  for (const Series& series : panel.series) {
    if (series.samples.empty()) {
      continue;
    }
    for (const std::string& part : plot_parts(series, blocks.add(series))) {
      plot += (plot.empty() ? "plot " : ", \\\n     ") + part;
    }
  }
  std::string script =
      "# Draws figures/" + panel.name + ".svg and .pdf: gnuplot " + "plots/" + panel.name + ".gp\n";
  script += "set encoding utf8\n" + blocks.text();
  script += "set title " + quoted(panel.title) + " noenhanced\n";
  // An empty line below separates the panel from its key.
  script += "set xlabel " + quoted(panel.x_label) + ".\"\\n\" noenhanced\n";
  script += "set ylabel " + quoted(panel.y_label) + " noenhanced\n";
  script += "set key below center horizontal Left reverse noenhanced samplen 2 font ',11'\n";
  script +=
      "set border 3 lc rgb '#444444'\nset tics nomirror out\nset grid ytics lc rgb '#dddddd' lw "
      "0.7\n";
  script += "set autoscale xfix\n";
  script += "set yrange [" + shown(panel.y_low) + ":" + shown(panel.y_high) + "]\n";
  script += marks(panel);
  script += panel.log_x ? "set logscale x\nset offsets graph 0.04, graph 0.04, 0, 0\n"
                        : "set offsets graph 0.02, graph 0.02, 0, 0\n";
  script +=
      "set terminal svg size 480,400 dynamic font 'Arial,13' background rgb "
      "'white'\n";
  script += "set output " + quoted("figures/" + panel.name + ".svg") + "\n" + plot + "\n";
  script += "set terminal pdfcairo size 4.8in,4in font 'Helvetica,10'\n";
  script += "set output " + quoted("figures/" + panel.name + ".pdf") + "\nreplot\nset output\n";
  return script;
}

}  // namespace freegap::experiments
