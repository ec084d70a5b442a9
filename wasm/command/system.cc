// What Emscripten's libc does not ask the system: whether a file is a terminal, and locks. These take the place of its
// own functions, which say that every character device is one, and that every lock is got.
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

extern "C" {

// In wasm/command/system.js.
int qkvIsTerminal(int file);
int qkvLock(int file);  // 0, or the reason in errno's numbers

int isatty(int file) {
  if (qkvIsTerminal(file) != 0) return 1;
  errno = ENOTTY;
  return 0;
}

// Only exclusive locks that do not wait are asked for.
int flock(int file, int) {
  const int reason = qkvLock(file);
  if (reason == 0) return 0;
  errno = reason;
  return -1;
}

}  // extern "C"
