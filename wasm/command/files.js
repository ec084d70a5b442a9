// What gzip_file.cc asks of Node: files, read whole and unpacked where gzip compressed them.
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
});
