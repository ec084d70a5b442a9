// Source maps that know only our own sources. d3 has maps of its own, and Emscripten's glue is generated: a debugger that
// steps into them shows the code of the package.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * @typedef {{mappings: string, sources: string[], sourcesContent: string[], names: string[]}} SourceMap
 * @typedef {import('@jridgewell/sourcemap-codec').SourceMapSegment} Segment
 */

/** Gives the values that are asked for new places, in the order of asking. @template T @param {T[]} values */
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
    /** @template U @param {U[]} others as long as the values */
    those: (others) => [...places.keys()].map((old) => others[old]),
    get values() {
      return this.those(values);
    },
  };
}

/**
 * A map without the sources of others. Code that came from them belongs to no source.
 * @param {SourceMap} map
 * @returns {SourceMap}
 */
export function ownOnly(map) {
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
