#include "core/parallel.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace freegap::detail {
namespace {

/// Threads that wait for work, so that a call does not have to start any. They are never joined:
/// they wait until the process ends.
class Pool {
 public:
  /// The pool of this process; a child process has none of its parent's threads.
  static Pool& shared() {
    static std::atomic<Pool*> pool = new Pool;
    Pool* current = pool;
    if (current->process_ != getpid()) {
      Pool* fresh = new Pool;
      if (pool.compare_exchange_strong(current, fresh)) {
        return *fresh;
      }
      delete fresh;
    }
    return *current;
  }

  /// Calls `work` here and on up to `others` threads besides; returns when no call is running.
  /// `work` must not throw.
  void run(std::size_t others, const std::function<void()>& work) {
    Job job{&work, others, 0};
    std::unique_lock lock(guard_);
    try {
      while (threads_ < others) {
        std::thread(&Pool::serve, this).detach();
        ++threads_;
      }
    } catch (const std::system_error&) {
      // No more threads to be had: fewer do the work as well.
    }
    jobs_.push_back(&job);
    lock.unlock();
    more_.notify_all();
    work();
    lock.lock();
    std::erase(jobs_, &job);  // threads that have not started by now are not needed
    done_.wait(lock, [&] { return job.running == 0; });
  }

 private:
  struct Job {
    const std::function<void()>* work;
    std::size_t wanted;   // threads still to come
    std::size_t running;  // threads at work
  };

  void serve() {
    std::unique_lock lock(guard_);
    for (;;) {
      more_.wait(lock, [&] { return !jobs_.empty(); });
      Job& job = *jobs_.front();
      if (--job.wanted == 0) {
        jobs_.pop_front();
      }
      ++job.running;
      lock.unlock();
      (*job.work)();
      lock.lock();
      --job.running;
      done_.notify_all();
    }
  }

  pid_t process_ = getpid();
  std::mutex guard_;
  std::condition_variable more_;
  std::condition_variable done_;
  std::size_t threads_ = 0;
  std::deque<Job*> jobs_;
};

}  // namespace

void for_each_index(std::size_t count, unsigned threads,
                    const std::function<void(std::size_t)>& work, const WorkProgress& progress) {
  const std::size_t useful = std::min<std::size_t>(threads, count);
  if (useful <= 1) {
    for (std::size_t i = 0; i < count; ++i) {
      work(i);
      if (progress) {
        progress(i + 1, count);
      }
    }
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
        const std::lock_guard lock(guard);
        ++done;
        if (progress) {
          progress(done, count);
        }
      } catch (...) {
        const std::lock_guard lock(guard);
        failure = failure ? failure : std::current_exception();
        next = count;
      }
    }
  };
  Pool::shared().run(useful - 1, take_turns);
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace freegap::detail
