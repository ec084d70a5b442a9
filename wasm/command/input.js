// The input of the command, which the main thread reads (web/command/input.js). Only one is read in a process.
addToLibrary({
  // The bytes that are next, and how much has been read.
  $input: { bytes: null, share: 0 },

  qkvOpenInput__deps: ['$UTF8ToString'],
  qkvOpenInput: (path) => Module['mainThread'].openInput(UTF8ToString(path)),

  qkvNextInput__deps: ['$input', '$ERRNO_CODES', '$stringToUTF8'],
  qkvNextInput: (number, reason, size) => {
    const { bytes, share, error } = Module['mainThread'].nextInput();
    if (error) {
      HEAP32[number >> 2] = ERRNO_CODES[error.code] ?? 0;
      stringToUTF8(error.message, reason, size);
      return error.syscall === 'open' ? -2 : -1;
    }
    input.bytes = bytes;
    if (bytes.length > 0) input.share = share;
    return bytes.length;
  },

  qkvTakeInput__deps: ['$input'],
  qkvTakeInput: (to) => HEAPU8.set(input.bytes, to),

  qkvInputReady: () => (Module['mainThread'].inputReady() ? 1 : 0),

  qkvInputShare__deps: ['$input'],
  qkvInputShare: () => input.share,
});
