// A random model of OPUS-MT's size in a real Chromium: loaded directly to int8 it stays within 200 MB, and it
// translates.

import {
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../../web/tools/common.mjs';
import { openBrowser } from '../web/chromium.js';

const kMost = 200e6;
const kWidth = 512;
const kInner = 2048;
const kLayers = 6;
const kPieces = 65_001;

/** A generator of 32-bit words (Marsaglia 2003). */
function xorshift(seed) {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

/** [name, shape] of all tensors in a MarianMT folder of this size. */
function tensors() {
  const norm = (name) => ['weight', 'bias'].map((part) => [`${name}.${part}`, [kWidth]]);
  const linear = (name, outputs, inputs) => [
    [`${name}.weight`, [outputs, inputs]],
    [`${name}.bias`, [outputs]],
  ];
  const attention = (name) => ['q', 'k', 'v', 'out'].flatMap((part) => linear(`${name}.${part}_proj`, kWidth, kWidth));
  const layer = (side, i) => {
    const name = `model.${side}.layers.${i}`;
    const cross =
      side === 'decoder' ? [...attention(`${name}.encoder_attn`), ...norm(`${name}.encoder_attn_layer_norm`)] : [];
    const inner = [...linear(`${name}.fc1`, kInner, kWidth), ...linear(`${name}.fc2`, kWidth, kInner)];
    const own = [...attention(`${name}.self_attn`), ...norm(`${name}.self_attn_layer_norm`)];
    return [...own, ...cross, ...inner, ...norm(`${name}.final_layer_norm`)];
  };
  const layers = ['encoder', 'decoder'].flatMap((side) =>
    Array.from({ length: kLayers }, (_, i) => layer(side, i)).flat(),
  );
  return [['model.shared.weight', [kPieces, kWidth]], ...layers, ['final_logits_bias', [1, kPieces]]];
}

/** Floats in safetensors, written tensor by tensor. */
async function writeWeights(file) {
  const header = {};
  let end = 0;
  const sizes = tensors().map(([name, shape]) => {
    const size = shape.reduce((a, b) => a * b);
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + 4 * size] };
    end += 4 * size;
    return [name, size];
  });
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const stream = createWriteStream(file);
  stream.write(length);
  stream.write(text);
  const random = xorshift(7);
  for (const [name, size] of sizes) {
    const isGain = name.endsWith('norm.weight');
    const scale = (name.includes('shared') ? 1 : 2) / Math.sqrt(kWidth) / 2 ** 31;
    const values = new Float32Array(size).map(() => (isGain ? 1 : (random() - 2 ** 31) * scale));
    if (!stream.write(new Uint8Array(values.buffer))) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return sizes.reduce((sum, [, size]) => sum + size, 0);
}

/** Pieces: </s>, <unk>, letters, words of two to five syllables, <pad>. */
function pieces() {
  const random = xorshift(5);
  const letters = 'abcdefghijklmnopqrstuvwxyz,.';
  const all = new Set(['</s>', '<unk>', '▁', ...letters, ...[...letters].map((letter) => `▁${letter}`)]);
  while (all.size < kPieces - 1) {
    const length = 2 + (random() % 4);
    const syllables = Array.from({ length }, () => 'bcdfglmnprstv'[random() % 13] + 'aeiou'[random() % 5]);
    all.add((random() % 2 ? '▁' : '') + syllables.join(''));
  }
  return [...all, '<pad>'];
}

/** A SentencePiece unigram model (sentencepiece_model.proto). */
function sentencePiece(list) {
  const message = (field, bytes) => {
    const size = [];
    for (let n = bytes.length; ; n >>>= 7) {
      size.push(n > 127 ? (n & 127) | 128 : n);
      if (n <= 127) break;
    }
    return Buffer.concat([Buffer.from([(field << 3) | 2, ...size]), bytes]);
  };
  const type = { '</s>': 3, '<unk>': 2 };
  const parts = list.map((piece, i) => {
    const score = Buffer.alloc(5, (2 << 3) | 5);
    score.writeFloatLE(-8 - i / 10_000, 1);
    return message(1, Buffer.concat([message(1, Buffer.from(piece)), score, Buffer.from([3 << 3, type[piece] ?? 1])]));
  });
  const unigram = message(2, Buffer.from([3 << 3, 1]));
  return Buffer.concat([...parts, unigram, message(3, message(1, Buffer.from('identity')))]);
}

async function writeFolder(folder) {
  mkdirSync(folder);
  const config = JSON.parse(readFileSync(at('tests/goldens/models/tiny-f32/config.json'), 'utf8'));
  const sizes = {};
  for (const side of ['encoder', 'decoder']) {
    Object.assign(sizes, { [`${side}_layers`]: kLayers, [`${side}_attention_heads`]: 8, [`${side}_ffn_dim`]: kInner });
  }
  Object.assign(config, sizes, {
    d_model: kWidth,
    vocab_size: kPieces,
    pad_token_id: kPieces - 1,
    decoder_start_token_id: kPieces - 1,
    max_position_embeddings: 512,
    activation_function: 'swish',
    num_beams: 4,
    bad_words_ids: [[kPieces - 1]],
  });
  const list = pieces();
  const spm = sentencePiece(list.slice(0, -1));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'vocab.json'), JSON.stringify(Object.fromEntries(list.map((piece, id) => [piece, id]))));
  for (const name of ['source.spm', 'target.spm']) writeFileSync(join(folder, name), spm);
  return writeWeights(join(folder, 'model.safetensors'));
}

/** The renderer processes of all running browsers. */
function renderers() {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer');
    } catch {
      return false; // it has ended
    }
  });
}

/** Memory of processes without mapped files, in bytes (proc_pid_status(5)). @param {string[]} pids */
function heldBy(pids) {
  let kilobytes = 0;
  for (const pid of pids) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      for (const [, size] of status.matchAll(/Rss(?:Anon|Shmem):\s+(\d+) kB/g)) kilobytes += Number(size);
    } catch {
      // it has ended
    }
  }
  return 1024 * kilobytes;
}

/** Runs `work`; its result, and how far the processes' memory rose above its value before. */
async function watched(pids, work) {
  const before = heldBy(pids);
  let most = before;
  const look = () => (most = Math.max(most, heldBy(pids)));
  const timer = setInterval(look, 10);
  try {
    const result = await work();
    look();
    return { result, peak: most - before };
  } finally {
    clearInterval(timer);
  }
}

/** Runs in the page. */
async function loadAndTranslate([index, url]) {
  const { inspect, load } = await import(index);
  const inspected = await inspect(url);
  const begin = performance.now();
  const translator = await load(url, { beam: 2 });
  const seconds = (performance.now() - begin) / 1000;
  const loaded = await translator.memoryBytes();
  const translation = await translator.search('lasito re manuve.', { beam: 2 });
  const memory = await translator.memoryBytes();
  return { inspected, info: translator.info, seconds, loaded, memory, pieces: translation.hypotheses[0].pieces.length };
}

export async function* brought() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-brought-'));
  try {
    cpSync(at('dist'), folder, { recursive: true });
    const parameters = await writeFolder(join(folder, 'opus'));
    const others = new Set(renderers());
    const browser = await openBrowser(folder);
    try {
      const page = await browser.open('page.html', {}, (opened) =>
        opened.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })),
      );
      const own = renderers().filter((pid) => !others.has(pid));
      const paths = [`${browser.url}models.js`, `${browser.url}opus/`];
      const { result, peak } = await watched(own, () => page.evaluate(loadAndTranslate, paths));
      const { inspected, info, seconds, loaded, memory, pieces: written } = result;
      const mega = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
      const isGood =
        memory < kMost &&
        peak < kMost &&
        info.parameters === parameters &&
        inspected.bytes === info.bytes &&
        written > 1 &&
        page.complaints.length === 0;
      yield {
        name: "a model of OPUS-MT's size in Chromium",
        summary:
          `${(parameters / 1e6).toFixed(1)} M parameters in ${seconds.toFixed(1)} s; weights ${mega(info.bytes)}, ` +
          `WebAssembly memory ${mega(loaded)} loaded and ${mega(memory)} after translating, the page's processes at most ` +
          `${mega(peak)} above an empty page's; ${written} pieces written ${page.complaints.join(' ')}`,
        [isGood ? 'passed' : 'failed']: 1,
      };
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
