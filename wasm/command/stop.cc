// Signals for the command in Node: its main thread hears them, since WebAssembly does not return to the event loop.
#include "core/cli/stop.h"

#include "core/cli/line_workers.h"

// In wasm/command/system.js.
extern "C" {
void qkvEndOnSignals(const char* unfinished);
void qkvEndAfterBatchOnSignals();
void qkvSetInBatch(int now);
int qkvPendingSignal();
}

namespace qkv::cli {

void EndOnSignals(const std::string& unfinished) { qkvEndOnSignals(unfinished.c_str()); }
void EndAfterBatchOnSignals() {
  if (!IsWorker()) qkvEndAfterBatchOnSignals();
}
void SetInBatch(bool in_batch) { qkvSetInBatch(in_batch ? 1 : 0); }
int PendingSignal() { return qkvPendingSignal(); }

}  // namespace qkv::cli
