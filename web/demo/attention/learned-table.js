// How alike the rows of a learned table of positions are, beside sinusoids. The table is that of the GPT-2 on this site, which was
// trained on short sentences: what it has not met is still as it was drawn at first.

import { attention, positions as places } from '../../lib/attention/index.js';
import { button, make, slider } from '../shared/dom.js';
import { Plot } from './plot.js';
import { texts } from './texts.js';

const kModel = 'models/english/everyday/model.safetensors';
const kTensor = 'transformer.wpe.weight';
const kLargestHeader = 1 << 20;
const kFar = 12; // the distances of the plot
const kFirst = 5; // the place that is shown first

/**
 * Bytes of the model's file, where the server sends ranges; otherwise they are cut from the whole file.
 * @param {number} from @param {number} to the first byte after them
 */
async function bytesOf(from, to) {
  const response = await fetch(kModel, { headers: { range: `bytes=${from}-${to - 1}` } });
  if (!response.ok) throw new Error(`${kModel}: status ${response.status}`);
  const bytes = await response.arrayBuffer();
  const part = response.status === 206 ? bytes : bytes.slice(from, to);
  if (part.byteLength !== to - from) throw new Error(`${kModel}: ${part.byteLength} bytes instead of ${to - from}`);
  return part;
}

/** The table's rows, from the file in the format safetensors. @returns {Promise<number[][]>} */
async function learned() {
  const size = Number(new DataView(await bytesOf(0, 8)).getBigUint64(0, true));
  if (size > kLargestHeader) throw new Error(`${kModel}: its header is too long`);
  const header = JSON.parse(new TextDecoder().decode(await bytesOf(8, 8 + size)));
  const { shape, data_offsets: offsets } = header[kTensor];
  const [count, width] = shape;
  const [from, to] = offsets.map((/** @type {number} */ offset) => 8 + size + offset);
  const numbers = new Uint16Array(await bytesOf(from, to));
  return Array.from({ length: count }, (_, i) => Array.from(numbers.subarray(i * width, (i + 1) * width), ofHalf));
}

/** A number of IEEE 754 in 16 bits. @param {number} bits */
function ofHalf(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024);
}

/**
 * The engine's cosines of place i with the places around it that the table has.
 * @param {number[][]} table @param {number} i
 * @returns {Promise<[number, number][]>} distance and cosine
 */
async function around(table, i) {
  const first = Math.max(0, i - kFar);
  const key = table.slice(first, i + kFar + 1);
  const { scores } = await attention({ query: [table[i]], key, score: 'cosine', record: ['scores'] });
  return Array.from(scores.data, (cosine, j) => [first + j - i, cosine]);
}

/** @param {number} count @param {number} width @returns {Promise<number[][]>} */
async function sinusoids(count, width) {
  const { data } = await places.sinusoidal(count, width);
  return Array.from({ length: count }, (_, i) => Array.from(data.subarray(i * width, (i + 1) * width)));
}

/** A button, then the plot of one place. @returns {HTMLElement} */
export function learnedTable() {
  const own = texts.lessons.positions;
  const message = make('span.caption', { role: 'status' });
  const room = make('div', { hidden: true });
  const start = button(own.table, async () => {
    start.disabled = true;
    message.textContent = own.loading;
    try {
      room.replaceChildren(...(await drawn(await learned())));
      room.hidden = false;
      start.hidden = true;
      message.textContent = '';
    } catch (error) {
      message.textContent = own.failed(/** @type {Error} */ (error).message);
      start.disabled = false; // to try again
    }
  });
  return make('div.live.learned', {}, make('div.row', {}, start, message), room);
}

/** @param {number[][]} table @returns {Promise<HTMLElement[]>} */
async function drawn(table) {
  const own = texts.lessons.positions;
  const waves = await sinusoids(table.length, table[0].length);
  const plot = new Plot({
    x: { name: own.distance, from: -kFar, to: kFar, ticks: [-12, -8, -4, 0, 4, 8, 12] },
    y: { name: own.cosine, from: -0.5, to: 1, ticks: [-0.5, 0, 0.5, 1] },
    height: 240,
  });
  const said = make('p.verdict', { role: 'status' });
  let newest = 0;
  const show = async (/** @type {number} */ i) => {
    const turn = ++newest;
    const [row, wave] = await Promise.all([around(table, i), around(waves, i)]);
    if (turn !== newest) return; // the slider has moved on
    const at = (/** @type {number} */ distance) =>
      row
        .find(([x]) => x === distance)?.[1]
        .toFixed(2)
        .replace('-', '−');
    const sentence = own.tableSaid(i, at(-1) ?? '–', at(1) ?? '–');
    said.textContent = sentence;
    const name = (
      /** @type {[number, number][]} */ line,
      /** @type {string} */ words,
      /** @type {string} */ role,
      /** @type {number} */ dy,
    ) => plot.text(line[0][0], line[0][1], words, role, { dx: 4, dy });
    plot.show(sentence, () => [
      plot.line(wave, 'of-key'),
      plot.line(row, 'of-score'),
      ...row.map(([x, y]) => plot.dot(x, y, 'of-score', 4)),
      name(wave, own.kinds[0], 'of-key', -6),
      name(row, own.kinds[1], 'of-score', 18),
    ]);
  };
  const place = slider(own.row, { min: 0, max: table.length - 1, step: 1 }, show);
  place.set(kFirst);
  await show(kFirst);
  return [make('div.row', {}, place.node), plot.node, said];
}
