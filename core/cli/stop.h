// What SIGINT and SIGTERM do to a filter: it ends at once, wherever it is, with 128 + the signal's number.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace qkv::cli {

// Lines go out one by one, so that the last one is whole wherever the command ends; those that are longer than this go
// out in several pieces.
inline constexpr size_t kLongestPiece = size_t{1} << 16;
inline void WriteWholeLines() {
  static char piece[kLongestPiece];
  std::setvbuf(stdout, piece, _IOLBF, sizeof piece);
}

// From now on a signal removes `unfinished`, a file that has not been committed, and ends the process. Empty: no file.
// What the handler does is safe in a signal handler: unlink and _exit.
inline void EndOnSignals(const std::string& unfinished) {
  static char* file = nullptr;
  file = unfinished.empty() ? nullptr : strdup(unfinished.c_str());
  const auto end = [](int signal) {
    if (file != nullptr) unlink(file);
    _exit(128 + signal);
  };
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end);
}

}  // namespace qkv::cli
