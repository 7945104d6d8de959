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
///
/// A budget may have a δ, too, for releases that are (ε, δ)-differentially private. Their deltas
/// add up as their epsilons do. They give nothing back: refunds need a bound on the loss of every
/// output, which an (ε, δ) guarantee does not have.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  /// The δ of a release that is (ε, δ)-differentially private; 0 where pure ε holds. A release with
  /// a δ gives nothing back: its `spent` is its `reserved`.
  Rational delta = 0;
  /// What comes back: reserved minus spent.
  [[nodiscard]] Rational left() const { return reserved - spent; }
};

/// The state of a budget's δ. remaining = total - spent - reserved.
struct DeltaBalance {
  Rational total = 0;      ///< as created; 0 in a budget of pure ε
  Rational spent = 0;      ///< by what was settled
  Rational reserved = 0;   ///< by what is not settled
  Rational remaining = 0;  ///< the most that can still be reserved
};

/// The state of a budget. remaining = total - spent - reserved.
struct Balance {
  Rational total;           ///< as created
  Rational spent;           ///< by what was settled
  Rational reserved;        ///< by what is not settled
  Rational remaining;       ///< the most that can still be reserved
  DeltaBalance delta = {};  ///< the same of δ
};

/// One of the two numbers that a budget has.
enum class PrivacyParameter : std::uint8_t {
  epsilon,  ///< ε
  delta     ///< δ
};

/// A release that costs more than what is left of the budget. Nothing was drawn or charged. An
/// ordinary answer: what is left follows from public costs alone.
class BudgetExceeded : public std::invalid_argument {
 public:
  /// What was asked for, what is left, and the total; of ε or of δ.
  BudgetExceeded(Rational asked, Rational left, Rational total,
                 PrivacyParameter of = PrivacyParameter::epsilon);

  /// Whether ε or δ is missing; ε where both are.
  [[nodiscard]] PrivacyParameter of() const { return of_; }
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
  PrivacyParameter of_;
};

/// The rules of a budget, as arithmetic on exact numbers. The program's ledger keeps one for each
/// data set. Not for several threads at once; `Budget` is.
class Account {
 public:
  /// Nothing is spent or reserved. Without a δ, it takes releases of pure ε only.
  explicit Account(const Epsilon& total, const std::optional<Delta>& delta = std::nullopt)
      : epsilon_{.total = total.value()}, delta_{.total = delta ? delta->value() : Rational(0)} {}

  /// Whether so much can be reserved.
  [[nodiscard]] bool affords(const Rational& amount, const Rational& delta = 0) const {
    return epsilon_.affords(amount) && delta_.affords(delta);
  }
  /// Reserves the worst case of a release. Throws InvalidParameter unless the ε is above 0 and the
  /// δ at least 0, BudgetExceeded if either is more than what is left.
  void reserve(const Rational& amount, const Rational& delta = 0);
  /// Replaces a reservation of `reserved` and `delta` by what was spent. A reservation with a δ
  /// gives nothing back: all of it is spent, whatever `spent` is. Throws InvalidParameter unless
  /// 0 <= spent <= reserved and 0 <= delta. Whatever it throws, nothing has changed.
  void settle(const Rational& reserved, const Rational& spent, const Rational& delta = 0);
  /// The state.
  [[nodiscard]] Balance balance() const;

 private:
  /// What there is of ε, or of δ.
  struct Purse {
    Rational total;
    Rational spent = 0;
    Rational reserved = 0;

    [[nodiscard]] bool affords(const Rational& amount) const {
      return spent + reserved + amount <= total;
    }
    [[nodiscard]] Rational remaining() const { return total - spent - reserved; }
    [[nodiscard]] Purse reserving(const Rational& amount) const;
    [[nodiscard]] Purse settling(const Rational& amount, const Rational& used) const;
  };

  Purse epsilon_;
  Purse delta_;
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
    /// The δ, for the options of the mechanism; none where pure ε was reserved.
    [[nodiscard]] const std::optional<Delta>& delta() const { return delta_; }
    /// Charges the cost that a release shows, and gives back the rest. A reservation with a δ gives
    /// nothing back: it is charged in full, whatever the release shows. Call it when the mechanism
    /// has ended: an online sparse vector must not be asked any more. Throws InvalidParameter, and
    /// leaves the worst case charged, if the release may cost more than what was reserved, or if
    /// the reservation was settled before.
    void settle(const Cost& cost);

   private:
    friend class Budget;
    struct Books;
    Reservation(std::shared_ptr<Books> books, Epsilon epsilon, std::optional<Delta> delta)
        : books_(std::move(books)), epsilon_(std::move(epsilon)), delta_(std::move(delta)) {}

    std::shared_ptr<Books> books_;  // none once settled or moved
    Epsilon epsilon_;
    std::optional<Delta> delta_;
  };

  /// Nothing is spent. Without a δ, the budget takes releases of pure ε only.
  explicit Budget(const Epsilon& total, const std::optional<Delta>& delta = std::nullopt);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() = default;

  /// Reserves the worst case of a release. Throws BudgetExceeded if more than what is left, Forked
  /// in a child of the process that made the budget.
  [[nodiscard]] Reservation reserve(const Epsilon& worst_case,
                                    const std::optional<Delta>& delta = std::nullopt);

  /// Reserves `worst_case`, calls `run(worst_case)`, which returns a release, settles at the cost
  /// that the release shows, and returns it. Throws as `reserve` does, before `run` is called. If
  /// `run` throws, the worst case stays charged: noise may have been drawn and shown.
  template <std::invocable<const Epsilon&> Run>
  requires std::convertible_to<
      decltype(std::declval<std::invoke_result_t<Run, const Epsilon&>&>().cost), const Cost&>
  auto charge(const Epsilon& worst_case, Run&& run) {
    return settled(reserve(worst_case), [&run](const Reservation& reservation) {
      return std::invoke(std::forward<Run>(run), reservation.epsilon());
    });
  }

  /// The same for a release that is (ε, δ)-differentially private: reserves both, calls
  /// `run(worst_case, delta)`, and spends both in full.
  template <std::invocable<const Epsilon&, const Delta&> Run>
  requires std::convertible_to<
      decltype(std::declval<std::invoke_result_t<Run, const Epsilon&, const Delta&>&>().cost),
      const Cost&>
  auto charge(const Epsilon& worst_case, const Delta& delta, Run&& run) {
    return settled(reserve(worst_case, delta), [&run](const Reservation& reservation) {
      return std::invoke(std::forward<Run>(run), reservation.epsilon(), *reservation.delta());
    });
  }

  /// The state: what was spent, what is reserved, and what is left. Throws Forked in a child of the
  /// process that made the budget.
  [[nodiscard]] Balance balance() const;
  /// What is left, for the last release: exactly total - spent - reserved. Throws BudgetExceeded
  /// where nothing is left, Forked as `balance` does.
  [[nodiscard]] Epsilon rest() const;

 private:
  template <class Run>
  static auto settled(Reservation reservation, Run run) {
    auto release = run(std::as_const(reservation));
    reservation.settle(release.cost);
    return release;
  }

  std::shared_ptr<Reservation::Books> books_;
};

}  // namespace freegap
