// SIGINT and SIGTERM end a filter, immediately or after its batch, with status 128 + the signal's number.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace qkv::cli {

// Lines are written one by one, so that the last one is complete whenever the command ends. A line longer than this is
// written in several pieces.
inline constexpr size_t kLongestPiece = size_t{1} << 16;
inline void WriteWholeLines() {
  static char piece[kLongestPiece];
  std::setvbuf(stdout, piece, _IOLBF, sizeof piece);
}

// From now on a signal removes `unfinished`, a file that is not committed, and ends the process.
void EndOnSignals(const std::string& unfinished);

// For a filter that finishes its batch: a signal while it waits for lines ends the process, and so does a second one.
void EndAfterBatchOnSignals();
void SetInBatch(bool in_batch);  // whether the filter works on a batch
int PendingSignal();             // the signal that came meanwhile; 0: none

}  // namespace qkv::cli
