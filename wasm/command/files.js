// The functions of Node that the command calls: reading files, which are unpacked if gzip compressed them; compressing and inflating
// bytes; checksums; threads; a server.
addToLibrary({
  $openFiles: [],

  // Returns the file's number, or -1 after an error, whose text is written to `reason`.
  qkvOpenFile__deps: ['$openFiles', '$UTF8ToString', '$stringToUTF8'],
  qkvOpenFile: (path, most, reason, size) => {
    try {
      let bytes = require('node:fs').readFileSync(UTF8ToString(path));
      if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
        bytes = require('node:zlib').gunzipSync(bytes, { maxOutputLength: most });
      }
      return openFiles.push(bytes) - 1;
    } catch (error) {
      stringToUTF8(error.message, reason, size);
      return -1;
    }
  },

  qkvFileSize__deps: ['$openFiles'],
  qkvFileSize: (file) => openFiles[file].length,

  qkvCopyFile__deps: ['$openFiles'],
  qkvCopyFile: (file, offset, length, to) => HEAPU8.set(openFiles[file].subarray(offset, offset + length), to),

  qkvCloseFile__deps: ['$openFiles'],
  qkvCloseFile: (file) => {
    openFiles[file] = null;
  },

  // Returns 1 if `to` was filled. Node unpacks everything that it gets, so the input is cut: no usual compressor needs more
  // bytes for `size` bytes. The output has a limit too.
  qkvInflate: (deflated, length, to, size) => {
    const given = HEAPU8.subarray(deflated, deflated + Math.min(length, 2 * size + 1024));
    const { inflateRawSync, constants } = require('node:zlib');
    try {
      const maxOutputLength = Math.max(size, 1 << 24);
      const bytes = inflateRawSync(given, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength, chunkSize: 1 << 20 });
      if (bytes.length < size) return 0;
      HEAPU8.set(bytes.subarray(0, size), to);
      return 1;
    } catch {
      return 0;
    }
  },

  qkvGzip__deps: ['malloc'],
  qkvGzip: (bytes, length, size) => {
    const member = require('node:zlib').gzipSync(HEAPU8.subarray(bytes, bytes + length));
    const to = _malloc(member.length);
    HEAPU8.set(member, to);
    HEAPU32[size >> 2] = member.length;
    return to;
  },

  // Threads: the functions of web/command/threads.js that line_workers.cc calls.
  qkvProcessors: () => Module['threads'].processors,
  qkvIsWorker: () => Module['threads'].isWorker,
  qkvSend: (to, bytes, length) => Module['threads'].send(to, HEAPU8.slice(bytes, bytes + length)),
  qkvReceive__deps: ['malloc'],
  qkvReceive: (from, length) => {
    const message = Module['threads'].receive(from);
    const bytes = _malloc(message.length || 1);
    HEAPU8.set(message, bytes);
    HEAPU32[length >> 2] = message.length;
    return bytes;
  },

  // The pages are served after the command has ended. Its runtime stays, because its end would close standard output.
  qkvServe__deps: ['$UTF8ToString', '$runtimeKeepalivePush'],
  qkvServe: (port, host) => {
    runtimeKeepalivePush();
    Module['serve'] = { port, host: UTF8ToString(host) };
  },

  qkvCrc32: (bytes, length) => require('node:zlib').crc32(HEAPU8.subarray(bytes, bytes + length)),
});
