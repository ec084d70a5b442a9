// Prints "lines 1024, 310 lines/s" on a terminal, rewritten in place.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace qkv::cli {

class Progress {
 public:
  // `what` is the plural of what is counted. Prints nothing if stderr is not a terminal, or if the input is typed
  // there.
  explicit Progress(const char* what, bool typed) : what_(what), shown_(isatty(STDERR_FILENO) && !typed) {}
  Progress(const Progress&) = delete;
  ~Progress() {
    if (written_) std::fputc('\n', stderr);
  }

  void Show(size_t count) {
    if (!shown_) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    std::fprintf(stderr, "\r%zu %s, %.0f %s/s ", count, what_, static_cast<double>(count) / seconds.count(), what_);
    written_ = true;
  }

 private:
  const char* what_;
  bool shown_, written_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace qkv::cli
