#include "freegap/budget.hpp"

#include <mutex>
#include <utility>

#include "freegap/detail/core/process.hpp"
#include "freegap/errors.hpp"

namespace freegap {

BudgetExceeded::BudgetExceeded(Rational asked, Rational left, Rational total, PrivacyParameter of)
    : std::invalid_argument(std::string(of == PrivacyParameter::delta
                                            ? "the budget's delta does not suffice: "
                                            : "the budget does not suffice: ") +
                            asked.str() + " asked for, " + left.str() + " left of " + total.str()),
      asked_(std::move(asked)),
      left_(std::move(left)),
      total_(std::move(total)),
      of_(of) {}

Account::Purse Account::Purse::reserving(const Rational& amount) const {
  return {.total = total, .spent = spent, .reserved = reserved + amount};
}

Account::Purse Account::Purse::settling(const Rational& amount, const Rational& used) const {
  return {.total = total, .spent = spent + used, .reserved = reserved - amount};
}

void Account::reserve(const Rational& amount, const Rational& delta) {
  if (amount.sign() <= 0) {
    throw InvalidParameter("reservation", "it must be above 0");
  }
  if (delta.sign() < 0) {
    throw InvalidParameter("delta", "it must be at least 0");
  }
  if (!epsilon_.affords(amount)) {
    throw BudgetExceeded(amount, epsilon_.remaining(), epsilon_.total);
  }
  if (!delta_.affords(delta)) {
    throw BudgetExceeded(delta, delta_.remaining(), delta_.total, PrivacyParameter::delta);
  }
  // Computed first: moves cannot fail, so both are reserved or neither.
  Purse epsilon_after = epsilon_.reserving(amount);
  Purse delta_after = delta_.reserving(delta);
  epsilon_ = std::move(epsilon_after);
  delta_ = std::move(delta_after);
}

void Account::settle(const Rational& reserved, const Rational& spent, const Rational& delta) {
  if (spent.sign() < 0 || spent > reserved || reserved > epsilon_.reserved) {
    throw InvalidParameter("cost", "it must be at least 0 and at most what was reserved");
  }
  if (delta.sign() < 0 || delta > delta_.reserved) {
    throw InvalidParameter("delta", "it must be at least 0 and at most what was reserved");
  }
  // Computed first: moves cannot fail, so what was spent is never lost with the reservation.
  Purse epsilon_after = epsilon_.settling(reserved, delta.sign() > 0 ? reserved : spent);
  Purse delta_after = delta_.settling(delta, delta);
  epsilon_ = std::move(epsilon_after);
  delta_ = std::move(delta_after);
}

Balance Account::balance() const {
  return {epsilon_.total,
          epsilon_.spent,
          epsilon_.reserved,
          epsilon_.remaining(),
          {delta_.total, delta_.spent, delta_.reserved, delta_.remaining()}};
}

/// What a budget and its reservations share.
struct Budget::Reservation::Books {
  Books(const Epsilon& total, const std::optional<Delta>& delta) : account(total, delta) {}

  mutable std::mutex mutex;  ///< held by whoever uses the account
  Account account;           ///< of the whole budget
  detail::Process process;   ///< that made the budget
};

void Budget::Reservation::settle(const Cost& cost) {
  if (!books_) {
    throw InvalidParameter("reservation", "it was settled before");
  }
  books_->process.check();
  const Rational delta = delta_ ? delta_->value() : Rational(0);
  if (cost.reserved > epsilon_.value() || cost.delta > delta) {
    throw InvalidParameter("cost", "the release may cost more than what was reserved for it");
  }
  {
    const std::lock_guard lock(books_->mutex);
    books_->account.settle(epsilon_.value(), cost.spent, delta);
  }
  books_.reset();
}

Budget::Budget(const Epsilon& total, const std::optional<Delta>& delta)
    : books_(std::make_shared<Reservation::Books>(total, delta)) {}

Budget::Reservation Budget::reserve(const Epsilon& worst_case, const std::optional<Delta>& delta) {
  books_->process.check();
  // Copies first: nothing can fail after the charge.
  Reservation reservation(books_, worst_case, delta);
  const std::lock_guard lock(books_->mutex);
  books_->account.reserve(worst_case.value(), delta ? delta->value() : Rational(0));
  return reservation;
}

Balance Budget::balance() const {
  books_->process.check();  // before the lock, which another thread may have held at the fork
  const std::lock_guard lock(books_->mutex);
  return books_->account.balance();
}

Epsilon Budget::rest() const {
  const Balance now = balance();
  if (now.remaining.sign() <= 0) {
    throw BudgetExceeded(0, now.remaining, now.total);
  }
  return Epsilon(now.remaining);
}

}  // namespace freegap
