#include "studies/estimates/figures.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "freegap/distribution.hpp"
#include "freegap/planning.hpp"
#include "freegap/queries.hpp"
#include "freegap/rational.hpp"
#include "studies/estimates/table.hpp"

namespace freegap::studies {
namespace {

/// Standard errors against the share that measures, in units of k / ε.
std::vector<std::string> splits() {
  std::vector<std::string> lines;
  const Queries queries{Kind::counts, Neighbours::add_remove, 1};
  for (const std::uint64_t k : {2U, 10U, 25U}) {
    for (int percent = 4; percent < 100; percent += 4) {
      const Rational share(percent, 100);
      const Forecast top = forecast(TopKQuestion{queries, k, 1, Distribution::exponential, share});
      const Forecast sparse =
          forecast(SparseVectorQuestion{queries, k, 1, Distribution::exponential, share});
      std::string line = std::to_string(k) + "," + text(percent / 100.0);
      for (const double error : {top.direct_error, top.linear_error, top.combined_error,
                                 sparse.per_query_error, sparse.combined_error}) {
        line += "," + text(error / static_cast<double>(k), 6);
      }
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace

void write_figures(const std::string& directory, const std::vector<Row>& rows,
                   const Figures& figures) {
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    lines.push_back("\"" + row.section + "\",\"" + row.setting + "\",\"" + row.quantity + "\"," +
                    text(row.measured, 8) + "," + text(row.error) + ",\"" + row.wanted + "\"," +
                    verdict(row));
  }
  write_csv(directory + "/table.csv", "section,setting,quantity,measured,error,wanted,verdict",
            lines);
  write_csv(directory + "/reduction.csv", "mechanism,distribution,k,theory,linear,likelihood",
            figures.reduction);
  write_csv(
      directory + "/selection.csv",
      "mechanism,distribution,shape,linear,likelihood,linear_worst_rank,likelihood_worst_rank",
      figures.selection);
  write_csv(directory + "/split.csv",
            "k,measuring_share,measured,top_k_linear,top_k,sparse_vector_linear,sparse_vector",
            splits());
}

}  // namespace freegap::studies
