#pragma once

/// @file
/// A budget for several releases from the same data: the rules of the program's ledger, without its
/// file. A release reserves its worst case, draws its noise, and settles at the cost that its
/// output shows. The sum of all costs never exceeds the total: sequential composition, with the
/// refunds of docs/proofs/setting.md. Tests: tests/core/budget_test.cpp.
///
///     Budget budget("1"_eps);
///     const auto release = budget.charge("0.35"_eps, [&](const Epsilon& epsilon) {
///       return top_k(candidates, {.k = 10, .epsilon = epsilon}, noise);
///     });

#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "freegap/rational.hpp"

namespace freegap {

/// What a release cost, as exact rationals. The privacy loss is at most `spent` for this output and
/// at most `reserved` for any output of the mechanism.
struct Cost {
  Rational reserved;  ///< the worst case, set aside before noise is drawn
  Rational spent;     ///< what was used; a function of the output
  /// What comes back: reserved minus spent.
  [[nodiscard]] Rational left() const { return reserved - spent; }
};

/// The state of a budget. remaining = total - spent - reserved.
struct Balance {
  Rational total;      ///< as created
  Rational spent;      ///< by what was settled
  Rational reserved;   ///< by what is not settled
  Rational remaining;  ///< the most that can still be reserved
};

/// A release that costs more than what is left of the budget. Nothing was drawn or charged. An
/// ordinary answer: what is left follows from public costs alone.
class BudgetExceeded : public std::invalid_argument {
 public:
  /// What was asked for, what is left, and the total.
  BudgetExceeded(Rational asked, Rational left, Rational total);

  /// The worst case of the release.
  [[nodiscard]] const Rational& asked() const { return asked_; }
  /// What is left of the budget.
  [[nodiscard]] const Rational& left() const { return left_; }
  /// The total of the budget.
  [[nodiscard]] const Rational& total() const { return total_; }

 private:
  Rational asked_;
  Rational left_;
  Rational total_;
};

/// The rules of a budget, as arithmetic on exact numbers. The program's ledger keeps one for each
/// data set. Not for several threads at once; `Budget` is.
class Account {
 public:
  /// Nothing is spent or reserved.
  explicit Account(const Epsilon& total) : total_(total.value()) {}

  /// Whether so much can be reserved.
  [[nodiscard]] bool affords(const Rational& amount) const {
    return spent_ + reserved_ + amount <= total_;
  }
  /// Reserves the worst case of a release. Throws InvalidParameter unless it is above 0,
  /// BudgetExceeded if more than what is left.
  void reserve(const Rational& amount);
  /// Replaces a reservation of `reserved` by what was spent. Throws InvalidParameter unless
  /// 0 <= spent <= reserved. Whatever it throws, nothing has changed.
  void settle(const Rational& reserved, const Rational& spent);
  /// The state.
  [[nodiscard]] Balance balance() const {
    return {total_, spent_, reserved_, total_ - spent_ - reserved_};
  }

 private:
  Rational total_;
  Rational spent_ = 0;
  Rational reserved_ = 0;
};

/// A budget for the releases of one program. May be used by several threads at once. It keeps no
/// file: another process, and the next run of the program, start with the whole total. So a child
/// process that was forked cannot use it (all functions throw Forked), and a program that is run
/// again keeps its own record, or uses the ledger of the program.
class Budget {
 public:
  /// What a release has reserved. Stays charged in full unless it is settled: an exception between
  /// the two costs the worst case.
  class Reservation {
   public:
    /// Takes over the reservation of the other.
    Reservation(Reservation&&) noexcept = default;
    /// Takes over the reservation of the other. What this one held stays charged.
    Reservation& operator=(Reservation&&) noexcept = default;
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    ~Reservation() = default;

    /// The worst case, for the options of the mechanism.
    [[nodiscard]] const Epsilon& epsilon() const { return epsilon_; }
    /// Charges the cost that a release shows, and gives back the rest. Call it when the mechanism
    /// has ended: an online sparse vector must not be asked any more. Throws InvalidParameter, and
    /// leaves the worst case charged, if the release may cost more than what was reserved, or if
    /// the reservation was settled before.
    void settle(const Cost& cost);

   private:
    friend class Budget;
    struct Books;
    Reservation(std::shared_ptr<Books> books, Epsilon epsilon)
        : books_(std::move(books)), epsilon_(std::move(epsilon)) {}

    std::shared_ptr<Books> books_;  // none once settled or moved
    Epsilon epsilon_;
  };

  /// Nothing is spent.
  explicit Budget(const Epsilon& total);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() = default;

  /// Reserves the worst case of a release. Throws BudgetExceeded if more than what is left, Forked
  /// in a child of the process that made the budget.
  [[nodiscard]] Reservation reserve(const Epsilon& worst_case);

  /// Reserves `worst_case`, calls `run(worst_case)`, which returns a release, settles at the cost
  /// that the release shows, and returns it. Throws as `reserve` does, before `run` is called. If
  /// `run` throws, the worst case stays charged: noise may have been drawn and shown.
  template <std::invocable<const Epsilon&> Run>
  requires std::convertible_to<
      decltype(std::declval<std::invoke_result_t<Run, const Epsilon&>&>().cost), const Cost&>
  auto charge(const Epsilon& worst_case, Run&& run) {
    Reservation reservation = reserve(worst_case);
    auto release = std::invoke(std::forward<Run>(run), reservation.epsilon());
    reservation.settle(release.cost);
    return release;
  }

  /// The state: what was spent, what is reserved, and what is left. Throws Forked in a child of the
  /// process that made the budget.
  [[nodiscard]] Balance balance() const;
  /// What is left, for the last release: exactly total - spent - reserved. Throws BudgetExceeded
  /// where nothing is left, Forked as `balance` does.
  [[nodiscard]] Epsilon rest() const;

 private:
  std::shared_ptr<Reservation::Books> books_;
};

}  // namespace freegap
