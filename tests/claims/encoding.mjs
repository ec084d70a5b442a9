// Encoding time against length: each step of a recurrent layer waits for the previous state, a Transformer's rows do
// not wait.

import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { colours, lineChart } from './plot.mjs';
import { jsonLines, writeJson } from './results.mjs';

const kLooks = { LSTM: { colour: colours[0] }, Transformer: { colour: colours[1] } };

export function plotEncoding(rows) {
  const names = [...new Set(rows.map(({ encoder, threads }) => `${encoder}/${threads}`))];
  const series = names.map((name) => {
    const [encoder, threads] = name.split('/');
    const own = rows.filter((row) => row.encoder === encoder && row.threads === Number(threads));
    return {
      name: `${encoder}, ${threads === '1' ? '1 thread' : `${threads} threads`}`,
      points: own.map(({ pieces, milliseconds }) => ({ x: pieces, y: (1e3 * milliseconds) / pieces })),
      dashed: threads !== '1',
      ...kLooks[encoder],
    };
  });
  return lineChart({
    title:
      'Time a piece to encode sources of some lengths, of a recurrent encoder and a Transformer with as many weights',
    series,
    x: { title: 'pieces of the source', log: true, ticks: [10, 20, 50, 100, 200, 500] },
    y: { title: 'microseconds a piece' },
  });
}

/** @param {import('./run.mjs').Places} places */
export async function encoding({ tool, docs }) {
  const rows = await jsonLines(await tool('claim_encoding'));
  const machine = { processor: cpus()[0].model.trim(), cores: availableParallelism() };
  await writeJson(join(docs, 'encoding.json'), { machine, rows });
  writeFileSync(join(docs, 'encoding.svg'), plotEncoding(rows));
  const longest = Math.max(...rows.map(({ pieces }) => pieces));
  return rows
    .filter(({ pieces }) => pieces === longest)
    .map(({ encoder, threads, milliseconds }) => `${encoder} on ${threads}: ${milliseconds.toFixed(1)} ms`)
    .join(', ');
}
