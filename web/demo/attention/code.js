// Writes the current state as a program: in JavaScript for the package, and in C++ for the core. Both print the numbers of
// the page.

import { callOf, transposed } from './compute.js';
import { keysOf, sizesOf, valuesOf } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Matrix} Matrix */

const kWidth = 96;

/** @param {State} state complete @returns {string} a module for Node, with the package installed, or for a page */
export function javascriptOf(state) {
  const { name, options } = callOf(state);
  const fields = Object.entries(options).map(([key, value]) => `  ${key}: ${literal(value, 2)},\n`);
  return `import { ${name} } from 'qkv/attention';

const result = await ${name}({
${fields.join('')}});

for (const name of ['scores', 'logits', 'weights', 'output']) {
  const { data, shape } = result[name];
  const columns = shape.at(-1);
  console.log(\`\${name} [\${shape.join(', ')}]\`);
  for (let at = 0; at < data.length; at += columns) {
    console.log(Array.from(data.slice(at, at + columns), (x) => x.toFixed(2)).join(' '));
  }
}
`;
}

/** A value as JavaScript, in lines of at most kWidth. @param {any} value @param {number} indent @returns {string} */
function literal(value, indent) {
  if (value === -Infinity) return '-Infinity';
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object') return String(value);
  const pad = ' '.repeat(indent + 2);
  if (Array.isArray(value)) {
    const parts = value.map((part) => literal(part, indent + 2));
    const line = `[${parts.join(', ')}]`;
    if (indent + line.length <= kWidth && !line.includes('\n')) return line;
    return Array.isArray(value[0])
      ? `[\n${parts.map((part) => `${pad}${part},\n`).join('')}${' '.repeat(indent)}]`
      : `[\n${filled(parts, pad)}${' '.repeat(indent)}]`;
  }
  const fields = Object.entries(value).map(([key, inner]) => `${key}: ${literal(inner, indent + 2)}`);
  const line = `{ ${fields.join(', ')} }`;
  if (indent + line.length <= kWidth && !line.includes('\n')) return line;
  return `{\n${fields.map((field) => `${pad}${field},\n`).join('')}${' '.repeat(indent)}}`;
}

/** Parts with commas, as many in each line as fit. @param {string[]} parts @param {string} pad */
function filled(parts, pad) {
  let [text, line] = ['', pad];
  for (const part of parts) {
    if (line.length + part.length > kWidth && line !== pad) [text, line] = [`${text}${line.trimEnd()}\n`, pad];
    line += `${part}, `;
  }
  return `${text}${line.trimEnd()}\n`;
}

/** @type {Record<string, string>} */
const kSelections = {
  soft: 'kSoft',
  argmax: 'kArgmax',
  sampled: 'kSampled',
  gate: 'kGate',
  'max-pool': 'kMaxPool',
  sparsemax: 'kSparsemax',
  entmax: 'kEntmax',
};
/** @type {Record<string, string>} */
const kWindows = { global: 'kGlobal', 'local-m': 'kLocalM', 'local-p': 'kLocalP' };

/** @param {State} state complete @returns {string} a program for core/qkv.h */
export function cppOf(state) {
  // The inputs, the settings, and how each matrix is passed.
  const { queries, keys, queryDim, keyDim, valueDim, heads } = sizesOf(state);
  const names = { self: ['query', 'query'], one: ['key', 'key'], 'key-value': ['key', 'value'] }[state.memory];
  const inputs = [floats('query', state.query)];
  if (state.memory !== 'self') inputs.push(floats('key', keysOf(state)));
  if (state.memory === 'key-value') inputs.push(floats('value', valuesOf(state)));
  const settings = [...scoreLines(state), ...selectionLines(state), ...windowLines(state), ...maskLines(state)];
  const note =
    state.convention === 'columns' ? '\n// The core computes by rows: a column of the page is a row here.' : '';
  const side = (/** @type {string} */ name, /** @type {number} */ rows, /** @type {number} */ dim) =>
    `qkv::SideBySide(${name}.data(), ${heads}, ${rows}, ${dim / heads})`;
  return `// clang++ -std=c++20 -I qkv attention.cc qkv/build/native/libqkv_core.a -lhwy -o attention, where Eigen's headers are found${note}
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "core/qkv.h"

using Floats = std::vector<float>;

void Print(const char* name, const Floats& data, size_t columns) {
  std::printf("%s\\n", name);
  for (size_t i = 0; i < data.size(); ++i) std::printf("%.2f%c", data[i], (i + 1) % columns == 0 ? '\\n' : ' ');
}

int main() {
${inputs.join('\n')}

  qkv::Attention attention;
${settings.join('\n')}${settings.length > 0 ? '\n' : ''}
  const qkv::AttentionInputs in{${side('query', queries, queryDim)},
                                ${side(names[0], keys, keyDim)},
                                ${side(names[1], keys, valueDim)}};
  if (const auto checked = qkv::CheckAttention(attention, in); !checked) {
    std::fprintf(stderr, "%s\\n", checked.error().message.c_str());
    return 1;
  }

  Floats scores(${heads * queries * keys}), logits(${heads * queries * keys}), weights(${heads * queries * keys}), output(${queries * valueDim});
  qkv::Arena arena;
  qkv::ThreadPool pool;
  qkv::Context ctx{arena, pool};
  qkv::Attend(ctx, attention, in, ${side('output', queries, valueDim)},
              {.scores = scores.data(), .logits = logits.data(), .weights = weights.data()});
  Print("scores", scores, ${keys});
  Print("logits", logits, ${keys});
  Print("weights", weights, ${keys});
  Print("output", output, ${state.joined ? queries * valueDim : valueDim});
}
`;
}

/** @param {string} name @param {Matrix} matrix */
function floats(name, matrix) {
  const rows = matrix.map((row) => row.map(cppNumber).join(', '));
  const size = `// [${matrix.length}, ${matrix[0].length}]`;
  const line = `  const Floats ${name} = {${rows.join(', ')}};  ${size}`;
  if (line.length <= 110) return line;
  return `  const Floats ${name} = {  ${size}\n${rows.map((row) => `      ${row},\n`).join('')}  };`;
}

/** @param {number} x */
const cppNumber = (x) => (x === -Infinity ? '-INFINITY' : Number.isInteger(x) ? `${x}` : `${x}f`);

/** @param {State} state */
function scoreLines({ score, parameters }) {
  const lines = score === 'scaled-dot' ? [] : [`  attention.score = qkv::FindScore("${score}");`];
  const given = Object.entries(parameters);
  for (const [name, matrix] of given) lines.push(floats(name, matrix));
  const parts = given.map(
    ([name, matrix]) => `{"${name}", qkv::Dense(${name}.data(), 1, ${matrix.length}, ${matrix[0].length})}`,
  );
  if (parts.length > 0) {
    lines.push(`  const qkv::Parameter parameters[] = {${parts.join(',\n                                       ')}};`);
    lines.push('  attention.parameters = parameters;');
  }
  return lines;
}

/** @param {State} state */
function selectionLines({ selection, temperature, alpha, seed }) {
  const lines =
    selection === 'soft' ? [] : [`  attention.selection.kind = qkv::SelectionKind::${kSelections[selection]};`];
  if (temperature !== 1) lines.push(`  attention.selection.temperature = ${cppNumber(temperature)};`);
  if (selection === 'entmax') lines.push(`  attention.selection.alpha = ${cppNumber(alpha)};`);
  if (selection === 'sampled') lines.push(`  attention.selection.seed = ${seed};`);
  return lines;
}

/** @param {State} state */
function windowLines({ window, halfWidth, sinks, centres, W_p, v_p, query }) {
  if (window === 'global') return [];
  const lines = [
    `  attention.window.kind = qkv::WindowKind::${kWindows[window]};`,
    `  attention.window.half_width = ${halfWidth};`,
  ];
  if (window === 'local-m') return sinks > 0 ? [...lines, `  attention.window.sinks = ${sinks};`] : lines;
  if (centres)
    return [
      ...lines,
      floats('centres', transposed(centres)),
      `  attention.window.centres = qkv::Dense(centres.data(), 1, ${query.length}, 1);`,
    ];
  return [
    ...lines,
    floats('W_p', W_p),
    floats('v_p', v_p),
    `  attention.window.W_p = qkv::Dense(W_p.data(), 1, ${W_p.length}, ${W_p[0].length});`,
    `  attention.window.v_p = qkv::Dense(v_p.data(), 1, 1, ${v_p[0].length});`,
  ];
}

/** @param {State} state */
function maskLines({ causal, padding, allowed, bias, once, ...state }) {
  const keys = keysOf(/** @type {State} */ (state)).length;
  const lines = causal ? ['  attention.mask.causal = true;'] : [];
  if (padding > 0) lines.push(`  attention.mask.padding_from = ${keys - padding};`);
  if (allowed) {
    lines.push(floats('allowed', allowed).replace('const Floats', 'const std::vector<uint8_t>'));
    lines.push('  attention.mask.allowed = allowed.data();');
  }
  if (bias) lines.push(floats('bias', bias), '  attention.mask.bias = bias.data();');
  if (once) lines.push('  attention.mask_used = true;');
  return lines;
}
