#include "estimates/level_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace freegap::detail {
namespace {

constexpr double negligible = 3e-4;    // what is below this share of the tail is left out
constexpr double log_change = 7;       // largest change of the log density within a panel
constexpr double log_curvature = 0.8;  // largest departure from a line within a panel
constexpr double mild_change = 1.5;    // the same for panels that need fewer nodes
constexpr double mild_curvature = 0.1;
constexpr double log_minor = 6;         // panels below e^-6 of the largest need fewer nodes, too
constexpr std::size_t most_breaks = 3;  // of one kind between panels; more are thinned out
// Given the level, a winner's distribution function bends once within the scale of its noise. So
// panels are cut into pieces of at most so many of the shortest scale, but not into many more than
// so many pieces in all.
constexpr double widest_in_scales = 1.8;
constexpr double most_pieces = 64;
constexpr int deepest = 60;                // bisections of one panel
constexpr std::size_t most_points = 2000;  // of refinement, where rounding looks like bends

/// A Gauss-Legendre rule on [-1, 1].
struct GaussNode {
  double place;
  double weight;
};
constexpr std::array<GaussNode, 6> six_points{{{-0.9324695142031521, 0.1713244923791704},
                                               {-0.6612093864662645, 0.3607615730481386},
                                               {-0.2386191860831969, 0.4679139345726910},
                                               {0.2386191860831969, 0.4679139345726910},
                                               {0.6612093864662645, 0.3607615730481386},
                                               {0.9324695142031521, 0.1713244923791704}}};
constexpr std::array<GaussNode, 3> three_points{
    {{-0.7745966692414834, 5.0 / 9}, {0, 8.0 / 9}, {0.7745966692414834, 5.0 / 9}}};

struct Point {
  double level;
  double log_density;
};

/// The log density of the level, up to a constant, at many levels: one pass over the winners.
class LogDensity {
 public:
  LogDensity(std::span<const WinnerProduct> winners, const LevelPrior& prior)
      : winners_(winners), prior_(&prior) {}

  /// Fills in the log densities.
  void operator()(std::span<Point> points) {
    products_.clear();
    for (const Point& point : points) {
      products_.emplace_back(prior_->log_density(point.level));
    }
    for (const WinnerProduct& winner : winners_) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        winner.multiply_integral(points[i].level, products_[i]);
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].log_density = products_[i].log();
    }
  }

 private:
  std::span<const WinnerProduct> winners_;
  const LevelPrior* prior_;
  std::vector<LogProduct> products_;  // of one call
};

/// Levels at which winners' integrals are not smooth, or the prior; sorted. Of the places of one
/// kind, such as the ends of all leads, a few stand for the others: they are close together if
/// winners and measurements agree, while places of different kinds can be far apart.
std::vector<double> breaks(std::span<const WinnerProduct> winners, const LevelPrior& prior) {
  std::vector<std::vector<double>> kinds;
  for (const WinnerProduct& winner : winners) {
    const Kernel& measured = winner.measured();
    std::size_t kind = 0;
    const auto add = [&](double place) {
      if (measured.rate > 0 && std::isfinite(place)) {
        kinds.resize(std::max(kinds.size(), kind + 1));
        kinds[kind++].push_back(measured.centre - place);
      }
    };
    double last = -std::numeric_limits<double>::infinity();
    for (const ExponentialTerm& term : winner.terms()) {
      if (term.low > last) {
        add(last = term.low);
      }
    }
    add(winner.terms().back().high);
  }
  std::vector<double> levels;
  for (std::vector<double>& places : kinds) {
    std::sort(places.begin(), places.end());
    const std::size_t some = std::min(places.size(), most_breaks);
    for (std::size_t i = 0; i < some; ++i) {
      levels.push_back(places[some == 1 ? 0 : i * (places.size() - 1) / (some - 1)]);
    }
  }
  if (prior.rate_above > 0 || prior.rate_below > 0) {
    levels.push_back(prior.location);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (std::isinf(prior.rate_below)) {
    levels.erase(levels.begin(), std::lower_bound(levels.begin(), levels.end(), prior.location));
  }
  return levels;
}

/// The multiples of a tick next to each level. On a lattice nothing else counts: between them the
/// density can be larger by any factor.
std::vector<double> on_lattice(const std::vector<double>& levels, double tick) {
  std::vector<double> points;
  for (const double level : levels) {
    points.push_back(std::floor(level / tick) * tick);
    points.push_back(std::ceil(level / tick) * tick);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// Builds the nodes.
class Panels {
 public:
  Panels(LogDensity& density, const std::vector<double>& levels, double unit, double tick,
         double widest, bool bounded_below, double least)
      : density_(&density),
        tick_(tick),
        widest_(widest),
        least_(least),
        log_negligible_(-std::log(least)) {
    for (const double level : levels) {
      points_.push_back({level, 0});
    }
    if (points_.empty()) {
      points_.push_back({0, 0});
    }
    evaluate(points_);
    extend(unit, bounded_below);
  }

  std::vector<LevelNode> nodes() {
    refine();
    double length = 0;  // where the density is not minor
    for (const Panel& panel : panels_) {
      length += minor(panel) ? 0 : panel.width();
    }
    const double widest = std::fmax(widest_, length / most_pieces);
    for (const Panel& panel : panels_) {
      if (panel.high() > largest_ - log_negligible_) {
        integrate(panel, widest);
      }
    }
    return weighted();
  }

 private:
  struct Panel {
    Point from;
    Point to;
    bool mild;  ///< the log density is nearly a flat line

    [[nodiscard]] double width() const { return to.level - from.level; }
    [[nodiscard]] double high() const { return std::fmax(from.log_density, to.log_density); }
  };

  void evaluate(std::span<Point> points) {
    (*density_)(points);
    points_taken_ += points.size();
    for (const Point& point : points) {
      largest_ = std::fmax(largest_, point.log_density);
    }
  }

  /// Adds points on both sides until the density is negligible.
  void extend(double unit, bool bounded_below) {
    const auto step_out = [&](double direction) {
      std::vector<Point> outside;
      double step = unit;
      Point last = direction > 0 ? points_.back() : points_.front();
      for (int i = 0; i < 200 && last.log_density > largest_ - log_negligible_; ++i) {
        last = {last.level + direction * step, 0};
        evaluate({&last, 1});
        outside.push_back(last);
        step *= 2;
      }
      return outside;
    };
    const std::vector<Point> above = step_out(1);
    points_.insert(points_.end(), above.begin(), above.end());
    if (!bounded_below) {
      const std::vector<Point> below = step_out(-1);
      points_.insert(points_.begin(), below.rbegin(), below.rend());
    }
  }

  /// Halves the panels between the points, all at once, until they are fine enough.
  void refine() {
    std::vector<Panel> open;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      open.push_back({points_[i], points_[i + 1], false});
    }
    for (int depth = 0; depth < deepest && !open.empty(); ++depth) {
      std::vector<Panel> divisible;
      std::vector<Point> halves;
      for (const Panel& panel : open) {
        const double middle = middle_of(panel);
        if (panel.high() < largest_ - log_negligible_) {
          continue;
        }
        if (panel.from.level < middle && middle < panel.to.level) {
          divisible.push_back(panel);
          halves.push_back({middle, 0});
        } else if (tick_ > 0) {
          panels_.push_back(panel);  // of one point
        }
      }
      evaluate(halves);
      std::vector<Panel> finer;
      for (std::size_t i = 0; i < divisible.size(); ++i) {
        divide(divisible[i], halves[i], finer);
      }
      open = std::move(finer);
    }
  }

  [[nodiscard]] double middle_of(const Panel& panel) const {
    const double middle = panel.from.level + panel.width() / 2;
    return tick_ > 0 ? std::floor(middle / tick_) * tick_ : middle;
  }

  /// Takes a panel, or adds its halves to `finer`.
  void divide(const Panel& panel, const Point& half, std::vector<Panel>& finer) {
    const double change = std::fabs(panel.from.log_density - panel.to.log_density);
    const double bend =
        std::fabs(half.log_density - (panel.from.log_density + panel.to.log_density) / 2);
    if ((change <= log_change && bend <= log_curvature) || points_taken_ > most_points) {
      panels_.push_back({panel.from, panel.to, change <= mild_change && bend <= mild_curvature});
      return;
    }
    finer.push_back({panel.from, half, false});
    finer.push_back({half, panel.to, false});
  }

  /// Whether a panel's density is so small that it needs fewer nodes.
  [[nodiscard]] bool minor(const Panel& panel) const { return panel.high() < largest_ - log_minor; }

  /// Adds a node, for now with a weight that leaves out the density.
  void add(double level, double measure) { nodes_.push_back({level, measure}); }

  void integrate(const Panel& panel, double widest) {
    const double from = panel.from.level;
    const double to = panel.to.level;
    if (tick_ > 0) {  // all points, or so many that stand for their neighbours
      const double first = std::round(from / tick_);
      const double points = std::round(to / tick_) - first;
      const double used = std::fmin(points, most_pieces);
      for (double n = 0; n < used; ++n) {
        add((first + std::floor((n + 0.5) * points / used)) * tick_, points / used * tick_);
      }
      return;
    }
    const std::span<const GaussNode> rule =
        panel.mild || minor(panel) ? std::span<const GaussNode>(three_points) : six_points;
    const double pieces = minor(panel) ? 1 : std::ceil(panel.width() / widest);
    const double radius = panel.width() / pieces / 2;
    for (double piece = 0; piece < pieces; ++piece) {
      for (const GaussNode& node : rule) {
        const double level = from + radius * (2 * piece + 1 + node.place);
        add(level, radius * node.weight);
      }
    }
  }

  /// The nodes, with the density in their weights, without those that weigh next to nothing.
  std::vector<LevelNode> weighted() {
    std::vector<Point> points;
    for (const LevelNode& node : nodes_) {
      points.push_back({node.level, 0});
    }
    evaluate(points);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].weight *= std::exp(points[i].log_density - largest_);
    }
    const auto total = [&] {
      double sum = 0;
      for (const LevelNode& node : nodes_) {
        sum += node.weight;
      }
      return sum;
    };
    const double least = least_ * total();
    std::erase_if(nodes_, [&](const LevelNode& node) { return !(node.weight > least); });
    const double sum = total();
    for (LevelNode& node : nodes_) {
      node.weight /= sum;
    }
    return std::move(nodes_);
  }

  LogDensity* density_;
  double tick_;
  double widest_;  // piece of a panel
  double least_;   // weights and densities below this share of the whole are left out
  double log_negligible_;
  double largest_ = -std::numeric_limits<double>::infinity();
  std::size_t points_taken_ = 0;
  std::vector<Point> points_;
  std::vector<Panel> panels_;
  std::vector<LevelNode> nodes_;
};

}  // namespace

double LevelPrior::log_density(double level) const {
  if (level < location) {
    return rate_below == 0 ? 0 : -rate_below * (location - level);
  }
  return -rate_above * (level - location);
}

std::vector<LevelNode> level_posterior(std::span<const WinnerProduct> winners,
                                       const LevelPrior& prior, double tick, double tail) {
  double slope = prior.rate_above;  // a rate at which the density falls on either side
  double fastest = 0;               // rate of any winner's posterior given the level
  for (const WinnerProduct& winner : winners) {
    slope += winner.measured().rate;
    fastest = std::fmax(fastest, winner.rate() + winner.measured().rate);
  }
  std::vector<double> levels = breaks(winners, prior);
  double unit = 1 / slope;
  if (tick > 0) {
    levels = on_lattice(levels, tick);
    unit = std::ceil(unit / tick) * tick;
  }
  LogDensity density(winners, prior);
  return Panels(density, levels, unit, tick, widest_in_scales / fastest,
                std::isinf(prior.rate_below), negligible * tail)
      .nodes();
}

}  // namespace freegap::detail
