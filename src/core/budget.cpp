#include "freegap/budget.hpp"

#include <mutex>
#include <utility>

#include "freegap/detail/core/process.hpp"
#include "freegap/errors.hpp"

namespace freegap {

BudgetExceeded::BudgetExceeded(Rational asked, Rational left, Rational total)
    : std::invalid_argument("the budget does not suffice: " + asked.str() + " asked for, " +
                            left.str() + " left of " + total.str()),
      asked_(std::move(asked)),
      left_(std::move(left)),
      total_(std::move(total)) {}

void Account::reserve(const Rational& amount) {
  if (amount.sign() <= 0) {
    throw InvalidParameter("reservation", "it must be above 0");
  }
  if (!affords(amount)) {
    throw BudgetExceeded(amount, balance().remaining, total_);
  }
  reserved_ = reserved_ + amount;
}

void Account::settle(const Rational& reserved, const Rational& spent) {
  if (spent.sign() < 0 || spent > reserved || reserved > reserved_) {
    throw InvalidParameter("cost", "it must be at least 0 and at most what was reserved");
  }
  // Computed first: moves cannot fail, so what was spent is never lost with the reservation.
  Rational still_reserved = reserved_ - reserved;
  Rational spent_in_all = spent_ + spent;
  reserved_ = std::move(still_reserved);
  spent_ = std::move(spent_in_all);
}

/// What a budget and its reservations share.
struct Budget::Reservation::Books {
  explicit Books(const Epsilon& total) : account(total) {}

  mutable std::mutex mutex;  ///< held by whoever uses the account
  Account account;           ///< of the whole budget
  detail::Process process;   ///< that made the budget
};

void Budget::Reservation::settle(const Cost& cost) {
  if (!books_) {
    throw InvalidParameter("reservation", "it was settled before");
  }
  books_->process.check();
  if (cost.reserved > epsilon_.value()) {
    throw InvalidParameter("cost", "the release may cost more than what was reserved for it");
  }
  {
    const std::lock_guard lock(books_->mutex);
    books_->account.settle(epsilon_.value(), cost.spent);
  }
  books_.reset();
}

Budget::Budget(const Epsilon& total) : books_(std::make_shared<Reservation::Books>(total)) {}

Budget::Reservation Budget::reserve(const Epsilon& worst_case) {
  books_->process.check();
  Reservation reservation(books_, worst_case);  // copies first: nothing can fail after the charge
  const std::lock_guard lock(books_->mutex);
  books_->account.reserve(worst_case.value());
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
