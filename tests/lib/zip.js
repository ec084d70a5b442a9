// Writes zips (PKWARE's APPNOTE.TXT). It can write false entries in the directory.
import { crc32, deflateRawSync } from 'node:zlib';

/**
 * @param {Record<string, Uint8Array>} files
 * @param {{deflate?: boolean, method?: number, flags?: number, count?: number, size?: (name: string, size: number) => number, crc?: (name: string, crc: number) => number, place?: (name: string, at: number) => number}} [options]
 *   what the directory claims: `size` of an unpacked file, its checksum and its `place`, `count` of all files
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function zip(files, { deflate = false, method = deflate ? 8 : 0, flags = 0, count, ...lies } = {}) {
  const { size = (_, n) => n, crc = (_, n) => n, place = (_, n) => n } = lies;
  const parts = [];
  const directory = [];
  let at = 0;
  const put = (list, ...words) => {
    for (const [value, bytes] of words) {
      const part = Buffer.alloc(bytes);
      part.writeUIntLE(value, 0, bytes);
      list.push(part);
    }
  };
  for (const [name, bytes] of Object.entries(files)) {
    const packed = deflate ? deflateRawSync(bytes) : bytes;
    const path = Buffer.from(name);
    const common = [
      [20, 2],
      [flags, 2],
      [method, 2],
      [0, 4],
      [crc(name, crc32(bytes)) >>> 0, 4],
      [packed.length, 4],
      [size(name, bytes.length), 4],
      [path.length, 2],
      [0, 2],
    ];
    put(directory, [0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [place(name, at), 4]);
    directory.push(path);
    const header = [];
    put(header, [0x04034b50, 4], ...common);
    parts.push(...header, path, packed);
    at += 30 + path.length + packed.length;
  }
  const length = Buffer.concat(directory).length;
  const entries = count ?? Object.keys(files).length;
  const end = [];
  put(end, [0x06054b50, 4], [0, 4], [entries, 2], [entries, 2], [length, 4], [at, 4], [0, 2]);
  return new Uint8Array(Buffer.concat([...parts, ...directory, ...end]));
}

/** The archive of `members`, with a change of each one's text. @param {Record<string, Buffer>} members @param {string} from @param {string} to */
export const editedZip = (members, from, to) =>
  zip(
    Object.fromEntries(
      Object.entries(members).map(([name, data]) => [
        name,
        Buffer.from(data.toString('latin1').replace(from, to), 'latin1'),
      ]),
    ),
  );
