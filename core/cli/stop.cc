// Natively. The command in Node has wasm/command/stop.cc instead.
#include "core/cli/stop.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace qkv::cli {
namespace {

volatile std::sig_atomic_t in_batch = 0, pending_signal = 0;

void OnSignals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, handler);
}

}  // namespace

// The handler calls only unlink and _exit, which are safe in a signal handler.
void EndOnSignals(const std::string& unfinished) {
  static char* file = nullptr;
  file = unfinished.empty() ? nullptr : strdup(unfinished.c_str());
  OnSignals([](int signal) {
    if (file != nullptr) unlink(file);
    _exit(128 + signal);
  });
}

void EndAfterBatchOnSignals() {
  OnSignals([](int signal) {
    if (in_batch == 0 || pending_signal != 0) _exit(128 + signal);
    pending_signal = signal;
  });
}

void SetInBatch(bool now) { in_batch = now ? 1 : 0; }
int PendingSignal() { return pending_signal; }

}  // namespace qkv::cli
