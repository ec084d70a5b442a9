// Prints "1024 lines, 310 lines/s, 0:12 h left" on a terminal, rewritten in place; words/s where they are counted.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace qkv::cli {

class Progress {
 public:
  // `what` is a plural, such as "lines". Prints nothing if stderr is not a terminal, or if the input is typed there.
  Progress(const char* what, bool typed) : what_(what), terminal_(isatty(STDERR_FILENO) && !typed) {}
  Progress(const Progress&) = delete;
  ~Progress() {
    if (written_) std::fputc('\n', stderr);
  }

  // Prints also where stderr is no terminal: a line every ten seconds.
  void Ask() { asked_ = true; }

  // `share`: how much of the input has been read, 0 if that is not known. `words`: those done, 0 if nobody counts them.
  void Show(size_t count, double share = 0, size_t words = 0) {
    if (!terminal_ && !asked_) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    const bool last = share >= 1;
    if (!terminal_ && !last && seconds.count() < next_) return;
    next_ = seconds.count() + 10;
    std::fprintf(stderr, "%s%zu %s, %.0f %s/s", terminal_ ? "\r" : "qkv: ", count, what_,
                 static_cast<double>(words > 0 ? words : count) / seconds.count(), words > 0 ? "words" : what_);
    if (share > 0 && !last) {
      const int left = static_cast<int>(seconds.count() * (1 - share) / share / 60);
      std::fprintf(stderr, ", %d:%02d h left", left / 60, left % 60);
    }
    std::fputs(terminal_ ? "   " : "\n", stderr);
    written_ = terminal_;
  }

 private:
  const char* what_;
  bool terminal_, asked_ = false, written_ = false;
  double next_ = 10;  // seconds since the start of the next line
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace qkv::cli
