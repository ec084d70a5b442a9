// SIGINT and SIGTERM end a filter, immediately or after its batch, with status 128 + the signal's number.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace qkv::cli {

// Lines are written one by one, so that the last one is complete whenever the command ends. A line longer than this is
// written in several pieces.
inline constexpr size_t kLongestPiece = size_t{1} << 16;
inline void WriteWholeLines() {
  static char piece[kLongestPiece];
  std::setvbuf(stdout, piece, _IOLBF, sizeof piece);
}

// From now on a signal removes `unfinished`, a file that is not committed, and ends the process. Empty: no file. The
// handler calls only unlink and _exit, which are safe in a signal handler.
inline void EndOnSignals(const std::string& unfinished) {
  static char* file = nullptr;
  file = unfinished.empty() ? nullptr : strdup(unfinished.c_str());
  const auto end = [](int signal) {
    if (file != nullptr) unlink(file);
    _exit(128 + signal);
  };
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end);
}

// For a filter that finishes its batch: a signal while it waits for lines ends the process, and so does a second one.
inline volatile std::sig_atomic_t in_batch = 0;        // 1 while the filter works on a batch
inline volatile std::sig_atomic_t pending_signal = 0;  // the signal that came meanwhile; 0: none
inline void EndAfterBatchOnSignals() {
  const auto end = [](int signal) {
    if (in_batch == 0 || pending_signal != 0) _exit(128 + signal);
    pending_signal = signal;
  };
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end);
}

}  // namespace qkv::cli
