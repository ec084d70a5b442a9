// The functions of Node that the command calls for what the system knows: terminals, locks, and signals, which the main thread
// hears (web/command/main_thread.js).
addToLibrary({
  qkvIsTerminal__deps: ['$FS'],
  qkvIsTerminal: (file) => (require('node:tty').isatty(FS.getStream(file)?.nfd ?? -1) ? 1 : 0),

  // Node has no locks. The program `flock` locks the open file that it shares with this process, which keeps the lock when
  // the program has ended. Where there is no such program, nothing is locked.
  qkvLock__deps: ['$FS', '$ERRNO_CODES'],
  qkvLock: (file) => {
    const stdio = ['ignore', 'ignore', 'ignore', FS.getStreamChecked(file).nfd];
    const { status } = require('node:child_process').spawnSync('flock', ['-x', '-n', '3'], { stdio });
    return status === 0 ? 0 : status === 1 ? ERRNO_CODES.EAGAIN : ERRNO_CODES.ENOLCK;
  },

  qkvEndOnSignals__deps: ['$UTF8ToString'],
  qkvEndOnSignals: (unfinished) => Module['mainThread'].hearSignals(UTF8ToString(unfinished)),
  qkvEndAfterBatchOnSignals: () => Module['mainThread'].hearSignals(null),
  qkvSetInBatch: (now) => Module['mainThread'].setInBatch(now),
  qkvPendingSignal: () => Module['mainThread'].pendingSignal(),
});
