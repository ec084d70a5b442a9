// Makes an engine with little memory, as on a small phone.

const kPage = 65_536; // bytes of a WebAssembly page

/** Reads a number in WebAssembly's LEB128 coding. Returns its value, and where the next number begins. */
function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    value += (bytes[at] & 127) * 2 ** shift;
    if (bytes[at++] < 128) return { value, next: at };
  }
}

/**
 * The engine with another maximum of its memory. The new number has as many bytes as the old one.
 * @param {Uint8Array} bytes
 * @param {number} mebibytes
 */
export function capped(bytes, mebibytes) {
  const copy = bytes.slice();
  for (let at = 8; at < copy.length;) {
    const size = readNumber(copy, at + 1);
    if (copy[at] !== 5) {
      at = size.next + size.value;
      continue;
    }
    const least = readNumber(copy, size.next + 2); // after the number of memories and their flags
    const most = readNumber(copy, least.next);
    let pages = (mebibytes * 2 ** 20) / kPage;
    for (let i = least.next; i < most.next; ++i, pages = Math.floor(pages / 128)) {
      copy[i] = (pages % 128) + (i + 1 < most.next ? 128 : 0);
    }
    return copy.buffer;
  }
  throw new Error('the engine has no memory of its own');
}
