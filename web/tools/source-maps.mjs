// Removes third-party sources from source maps. d3 has its own maps, and Emscripten's glue is generated. In that code a
// debugger shows the bundled script.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * @typedef {{mappings: string, sources: string[], sourcesContent: string[], names: string[]}} SourceMap
 * @typedef {import('@jridgewell/sourcemap-codec').SourceMapSegment} Segment
 */

/** Gives values new places, in the order in which `place` is called for them. @template T @param {T[]} values */
function renumbered(values) {
  /** @type {Map<number, number>} */
  const places = new Map();
  return {
    /** @param {number} old */
    place(old) {
      const place = places.get(old) ?? places.size;
      places.set(old, place);
      return place;
    },
    /** @template U @param {U[]} others a list with an entry for each value */
    those: (others) => [...places.keys()].map((old) => others[old]),
    get values() {
      return this.those(values);
    },
  };
}

/**
 * A map without third-party sources. Their code belongs to no source.
 * @param {SourceMap} map
 * @returns {SourceMap}
 */
export function ownOnly(map) {
  // Segments of third-party code lose their source; of several in a row only the first stays.
  const isForeign = map.sources.map((source) => /node_modules\/|build\/wasm\//.test(source));
  const [sources, names] = [renumbered(map.sources), renumbered(map.names)];
  const lines = decode(map.mappings).map((line) => {
    let wasForeign = false;
    return line.flatMap((segment) => {
      const foreign = segment.length === 1 || isForeign[segment[1]];
      const repeats = foreign && wasForeign;
      wasForeign = foreign;
      if (repeats) return [];
      if (segment.length === 1 || foreign) return /** @type {Segment[]} */ ([[segment[0]]]);
      const [column, source, row, place] = segment;
      /** @type {[number, number, number, number]} */
      const moved = [column, sources.place(source), row, place];
      return /** @type {Segment[]} */ ([segment.length === 5 ? [...moved, names.place(segment[4])] : moved]);
    });
  });
  return {
    ...map,
    sources: sources.values,
    sourcesContent: sources.those(map.sourcesContent),
    names: names.values,
    mappings: encode(lines),
  };
}

/** Rewrites all source maps in a folder. @param {string} folder */
export function trimMaps(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => file.endsWith('.map'));
  for (const file of files) writeFileSync(file, JSON.stringify(ownOnly(JSON.parse(readFileSync(file, 'utf8')))));
}
