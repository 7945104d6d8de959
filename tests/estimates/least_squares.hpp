// Generalised least squares with full matrices, for comparison with formulas that use the structure
// of the problem.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace freegap::testing {

using Matrix = std::vector<std::vector<long double>>;

inline Matrix zeros(std::size_t rows, std::size_t columns) {
  return Matrix(rows, std::vector<long double>(columns, 0));
}

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = zeros(a.size(), b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t l = 0; l < b.size(); ++l) {
      for (std::size_t j = 0; j < b[0].size(); ++j) {
        result[i][j] += a[i][l] * b[l][j];
      }
    }
  }
  return result;
}

inline Matrix transposed(const Matrix& a) {
  Matrix result = zeros(a[0].size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[0].size(); ++j) {
      result[j][i] = a[i][j];
    }
  }
  return result;
}

/// By Gauss-Jordan elimination with pivots.
inline Matrix inverse(Matrix a) {
  const std::size_t n = a.size();
  Matrix result = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i][i] = 1;
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t i = c; i < n; ++i) {
      pivot = std::fabs(a[i][c]) > std::fabs(a[pivot][c]) ? i : pivot;
    }
    std::swap(a[c], a[pivot]);
    std::swap(result[c], result[pivot]);
    const long double head = a[c][c];
    for (std::size_t j = 0; j < n; ++j) {
      a[c][j] /= head;
      result[c][j] /= head;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const long double factor = i == c ? 0 : a[i][c];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[c][j];
        result[i][j] -= factor * result[c][j];
      }
    }
  }
  return result;
}

/// The best linear unbiased estimate of the parameters, and its variances.
struct LeastSquares {
  std::vector<long double> values;
  std::vector<long double> variances;
};

inline LeastSquares generalised_least_squares(const Matrix& design, const Matrix& covariance,
                                              const std::vector<long double>& observed) {
  const Matrix weights = inverse(covariance);
  const Matrix left = product(transposed(design), weights);
  const Matrix information = inverse(product(left, design));
  Matrix column = zeros(observed.size(), 1);
  for (std::size_t i = 0; i < observed.size(); ++i) {
    column[i][0] = observed[i];
  }
  const Matrix solution = product(information, product(left, column));
  LeastSquares result;
  for (std::size_t i = 0; i < solution.size(); ++i) {
    result.values.push_back(solution[i][0]);
    result.variances.push_back(information[i][i]);
  }
  return result;
}

}  // namespace freegap::testing
