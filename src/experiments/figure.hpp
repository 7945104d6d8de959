#pragma once

/// @file
/// The results of experiments: tables of numbers, and figures drawn from them.

#include <cstdint>
#include <string>
#include <vector>

namespace freegap::experiments {

/// A number in a table: six significant digits.
std::string shown(double value);
/// A number with this many decimals.
std::string fixed(double value, int decimals);

/// A table, written as CSV and shown in the report.
struct Table {
  std::string name;                            ///< of its file, without ending
  std::string title;                           ///< one line
  std::vector<std::string> columns;            ///< names
  std::vector<std::vector<std::string>> rows;  ///< as many cells as columns

  /// As CSV with a header.
  [[nodiscard]] std::string csv() const;
};

/// One point of a series.
struct Sample {
  double x = 0;      ///< horizontal coordinate
  double y = 0;      ///< vertical coordinate
  double error = 0;  ///< standard error, drawn as a bar of two of them either way; 0 for theory
};

/// How a series is drawn.
enum class Style : std::uint8_t {
  line,    ///< theory: a thin line
  dashed,  ///< theory: the same, broken
  points,  ///< measured: points with error bars
  joined,  ///< measured: the same, joined by a thin line
  bars,    ///< measured: bars, standing beside those of other stacks
  stacked  ///< measured: on top of the bars of the series before it
};

/// A sequence of samples.
struct Series {
  std::string title;    ///< in the key
  Style style;          ///< how it is drawn
  unsigned colour = 0;  ///< index in the palette; series that belong together share it
  std::vector<Sample> samples;
};

/// One pair of axes.
struct Panel {
  std::string name;     ///< of its file, without ending
  std::string title;    ///< above it
  std::string x_label;  ///< below it
  std::string y_label;  ///< beside it
  double y_low = 0;     ///< the axis reaches at least from here
  double y_high = 1;    ///< to here
  bool log_x = false;   ///< whether the horizontal axis is logarithmic
  std::vector<Series> series;
};

/// Panels with a caption.
struct Figure {
  std::string name;                 ///< in the report
  std::string title;                ///< one line
  std::string caption;              ///< explains the figure, in sentences
  std::vector<Panel> panels;        ///< two or three side by side
  std::vector<std::string> tables;  ///< names of the tables behind it
};

/// One part of the report.
struct Chapter {
  std::string title;            ///< a heading
  std::string text;             ///< sentences; paragraphs are separated by blank lines
  std::vector<Figure> figures;  ///< in order
  std::vector<Table> tables;    ///< the data of the figures; written to files
  std::vector<Table> shown;     ///< small tables that the report shows as well
};

}  // namespace freegap::experiments
