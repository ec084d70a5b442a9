// `qkv translate` over files, natively and in Node: TSV and JSON lines, gzip, and outputs that an interrupted run has left.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { at } from '../../web/tools/common.mjs';
import { kBoth, kNode, runIn } from './both.js';

const model = at('web/models/en-fr');
const sources = ['I love you.', 'How are you?', 'My dog is old.', 'We are late.', 'She sings well.'];

const folder = mkdtempSync(join(tmpdir(), 'qkv-corpus-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = (suffix = '') => join(folder, `${++files}${suffix}`);
function written(content, suffix) {
  const path = fresh(suffix);
  writeFileSync(path, content);
  return path;
}
const input = written(`${sources.join('\n')}\n`);
const script = spawnSync('script', ['--version']).status === 0;

describe.each(kBoth)('%s:', (_, command) => {
  const [program, ...first] = command;
  const start = (args, options) => spawn(program, [...first, 'translate', ...args], options);
  const run = (args, options) =>
    spawnSync(program, [...first, 'translate', ...args], { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  const translate = (input, ...options) => run(['--model', model, '--beam', '1', ...options], { input });
  /** Runs it where no file may grow. */
  const runOnFullDisk = (...options) => {
    const script = `trap '' XFSZ; ulimit -f 0; exec "$@"`;
    const given = [...command, 'translate', '-m', model, '--beam', '1', ...options];
    return spawnSync('sh', ['-c', script, 'sh', ...given], { encoding: 'utf8' });
  };

  const plain = translate(`${sources.join('\n')}\n`).stdout;
  const targets = plain.trimEnd().split('\n');

  test('a column of TSV: the others stay, the translation is the last', () => {
    const { status, stdout, stderr } = translate('1\tI love you.\t"a"\n2\tHow are you?\t\r\n', '--tsv', '2');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`1\tI love you.\t"a"\t${targets[0]}\n2\tHow are you?\t\t${targets[1]}\r\n`);
  });

  test('a field of JSON: the rest of the line stays byte for byte', () => {
    const lines = [
      '{"id": 12345678901234567890123, "x": 1.50, "text": "I love you."}',
      ' { "text" : "How are\\nyou?" , "more": {"a": [null, true]} } ',
    ];
    const { status, stdout, stderr } = translate(`${lines.join('\n')}\n`, '--jsonl', 'text', '--confidence');
    expect([status, stderr]).toEqual([0, '']);
    const out = stdout.trimEnd().split('\n');
    expect(out.map((line) => JSON.parse(line).translation)).toEqual([targets[0], targets[1]]);
    for (const [i, line] of lines.entries()) {
      expect(out[i].startsWith(line.slice(0, line.lastIndexOf('}')))).toBe(true);
      expect(JSON.parse(out[i]).confidence).toBeGreaterThan(0.5);
    }
  });

  test.each([
    ['a missing column', ['--tsv', '3'], 'a\tb\tc\nd\te\n', 'line 2 of the input has no column 3'],
    [
      'a missing field',
      ['--jsonl', 'text'],
      '{"text": "a"}\n{"texts": "b"}\n',
      'line 2 of the input has no text "text"',
    ],
    ['a field that is no text', ['--jsonl', 'text'], '{"text": null}\n', 'line 1 of the input has no text "text"'],
    ['a field that is a number', ['--jsonl', 'text'], '{"text": 12}\n', 'line 1 of the input has no text "text"'],
    ['no JSON', ['--jsonl', 'text'], '{"text": "a"\n', 'line 1 of the input is no JSON: '],
    ['an array', ['--jsonl', 'text'], '["text"]\n', 'line 1 of the input is no JSON object'],
    ['a lone surrogate', ['--jsonl', 'text'], '{"text": "\\ud800"}\n', 'line 1 of the input is no JSON: '],
    ['deep nesting', ['--jsonl', 'text'], `${'['.repeat(1e6)}\n`, 'line 1 of the input is no JSON: '],
    ['a field in the way', ['--jsonl', 'a'], '{"a": "b", "translation": 1}\n', 'has a field "translation" already'],
  ])('%s is an error that names the line', (_, options, text, message) => {
    const { status, stderr } = translate(text, ...options);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  describe('files', () => {
    test('are read and written plain or compressed', () => {
      const packed = written(gzipSync(`${sources.join('\n')}\n`), '.gz');
      for (const from of [input, packed]) {
        for (const to of [fresh(), fresh('.gz')]) {
          const { status, stdout, stderr } = translate('', '--input', from, '--output', to);
          expect([status, stdout, stderr]).toEqual([0, '', '']);
          const bytes = readFileSync(to);
          expect(String(to.endsWith('.gz') ? gunzipSync(bytes) : bytes)).toBe(plain);
        }
      }
    });

    test('may be pipes', () => {
      const script = 'exec "$@" --input <(gzip -c "$0")';
      const given = [...command, 'translate', '-m', model, '--beam', '1'];
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script, input, ...given], { encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([0, plain, '']);
    });

    test('that exist are not overwritten', () => {
      const to = written('kept');
      const { status, stderr } = translate('', '--input', input, '--output', to);
      expect([status, stderr, readFileSync(to, 'utf8')]).toEqual([
        1,
        expect.stringMatching(/exists.*--resume/),
        'kept',
      ]);
    });

    test('that are missing or damaged are errors', () => {
      expect(translate('', '--input', fresh()).stderr).toMatch(/cannot be read: No such file/);
      const whole = gzipSync(Array.from({ length: 2000 }, (_, i) => `I have ${i} dogs.\n`).join(''));
      const { status, stderr } = translate('', '--input', written(whole.subarray(0, 3000), '.gz'));
      expect([status, stderr]).toEqual([1, expect.stringMatching(/\.gz: the gzip data is damaged: .*/)]);
      expect(translate('', '--input', folder).stderr).toMatch(/cannot be read: .*directory/);
      expect(translate('', '--input', input, '--output', join(folder, 'none/out')).stderr).toMatch(/cannot be written/);
    });

    test('that cannot grow are errors, as on a full disk', () => {
      const many = written('I love you.\n'.repeat(500));
      for (const to of [fresh(), fresh('.gz')]) {
        const { status, stderr } = runOnFullDisk('--input', many, '--output', to);
        expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot be written: File too large/)]);
      }
    });
  });

  describe('--resume', () => {
    test.each([0, 1, 12, 40, plain.length - 1, plain.length])('continues after %i bytes', (bytes) => {
      const to = written(plain.slice(0, bytes));
      const { status, stderr } = translate('', '--input', input, '--output', to, '--resume');
      expect([status, stderr, readFileSync(to, 'utf8')]).toEqual([0, '', plain]);
    });

    test('creates a missing output file, and reads from a pipe', () => {
      const to = fresh();
      expect(translate(`${sources.join('\n')}\n`, '--output', to, '--resume').status).toBe(0);
      expect(readFileSync(to, 'utf8')).toBe(plain);
    });

    test.each([
      [
        'of another input',
        'Bonjour.\nSalut.\nA line without its end',
        /line 1 of .* is not what this input, model and options give/,
      ],
      ['that is longer than the input', plain + plain, /has more lines than the input/],
    ])('refuses an output %s', (_, content, message) => {
      const to = written(content);
      const { status, stderr } = translate('', '--input', input, '--output', to, '--resume');
      expect([status, stderr, readFileSync(to, 'utf8')]).toEqual([1, expect.stringMatching(message), content]);
    });

    test('refuses a compressed output, a device, and an output without a name', () => {
      expect(translate('', '--output', fresh('.gz'), '--resume').status).toBe(2);
      expect(translate('', '--resume').status).toBe(2);
      expect(translate('', '--output', '/dev/full', '--resume').stderr).toMatch(/cannot be continued: it is no file/);
    });

    test('a run that was killed continues to the same bytes', async () => {
      const many = written(
        Array.from({ length: command === kNode ? 1000 : 4000 }, (_, i) => `${sources[i % 5]}\n`).join(''),
      );
      const whole = fresh();
      expect(translate('', '--input', many, '--output', whole).status).toBe(0);
      const to = fresh();
      const child = start(['-m', model, '--beam', '1', '--sort-buffer', '250', '--input', many, '--output', to]);
      const ended = new Promise((resolve) => child.on('exit', resolve));
      while (!statSync(to, { throwIfNoEntry: false })?.size) await setTimeout(5);
      child.kill('SIGKILL');
      await ended;
      expect(statSync(to).size).toBeLessThan(statSync(whole).size);
      truncateSync(to, statSync(to).size - 1); // a line without its end
      expect(translate('', '--input', many, '--output', to, '--resume').status).toBe(0);
      expect(readFileSync(to).equals(readFileSync(whole))).toBe(true);
    }, 120_000);

    test('only one process at a time writes to an output file', async () => {
      const to = fresh();
      const child = start(['-m', model, '--output', to]);
      while (!statSync(to, { throwIfNoEntry: false })) await setTimeout(5);
      await setTimeout(50);
      for (const [, second] of kBoth) {
        const given = ['translate', '-m', model, '--input', input, '--output', to, '--resume'];
        const { status, stderr } = runIn(second, given, '', folder);
        expect([status, stderr]).toEqual([1, expect.stringMatching(/is being written by another process/)]);
      }
      child.stdin.end();
      await new Promise((resolve) => child.on('exit', resolve));
    });
  });

  test('--progress prints the finished share and the remaining time', () => {
    const { status, stderr } = translate('', '--input', input, '--progress');
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^qkv: 5 lines, \d+ words\/s\n$/)]);
  });

  (script ? test : test.skip)(
    `on a terminal it is said without being asked, with the time that is left${script ? '' : ' (skipped: there is no script)'}`,
    () => {
      const many = written(`${'a b c d e f g '.repeat(20)}\n`.repeat(2000));
      const tiny = at('tests/goldens/models/tiny-f32');
      const given = `--beam 1 --max-length 1 --sort-buffer 500 --input "${many}"`;
      const quoted = command.map((part) => `"${part}"`).join(' ');
      const shown = (redirected) =>
        spawnSync('script', ['-qec', `${quoted} translate -m "${tiny}" ${given} ${redirected}`, '/dev/null'], {
          encoding: 'utf8',
        }).stdout;
      const stdout = shown('> /dev/null');
      // It stays there while a batch is translated.
      const parts = stdout.split('\r').filter((text) => /^\d+ lines, \d+ words/.test(text));
      const withTime = parts.filter((text) => /words\/s, \d:\d\d h left {3}/.test(text));
      expect([parts.length > 4, withTime.length >= parts.length - 2]).toEqual([true, true]);
      expect(parts.at(-1)).toMatch(/^2000 lines, \d+ words\/s/);
      expect(shown('> /dev/null 2> /dev/null')).toBe('');
    },
    60_000,
  );

  describe('.zst', () => {
    const packed = fresh('.zst');
    const { status, stderr } = translate('', '--input', input, '--output', packed);
    const without = /without zstd|has no zstd/.test(stderr);
    const withZstd = without ? test.skip : test;

    test('is written; without zstd the error says what is missing', () => {
      if (without) expect([status, stderr]).toEqual([1, expect.stringMatching(/install libzstd-dev|compress by gzip/)]);
      else expect([status, stderr, Buffer.from(decompress(readFileSync(packed))).toString()]).toEqual([0, '', plain]);
    });

    withZstd(
      'is read, also in several frames and where few bytes are many lines',
      () => {
        const packedAs = (text) => {
          const to = fresh('.zst');
          expect(translate('', '--input', written(text), '--output', to).status).toBe(0);
          return readFileSync(to);
        };
        const both = written(
          Buffer.concat([packedAs('I love you.\n'), packedAs('I love you.\n'.repeat(3000))]),
          '.zst',
        );
        const tiny = ['-m', at('tests/goldens/models/tiny-f32'), '--beam', '1'];
        const again = (input, ...from) => run([...tiny, ...from], { input }).stdout;
        const read = again('', '--input', both);
        expect(read.split('\n').length).toBe(3002);
        expect(read).toBe(again(`${targets[0]}\n`.repeat(3001)));
      },
      60_000,
    );

    withZstd('that is damaged or cut off is an error, and it is not continued', () => {
      const bytes = readFileSync(packed);
      expect(translate('', '--input', written(bytes.subarray(0, -4), '.zst')).stderr).toMatch(/it ends too early/);
      expect(translate('', '--input', written('no zstd at all', '.zst')).stderr).toMatch(
        /cannot be read: Unknown frame/,
      );
      expect(translate('', '--input', input, '--output', fresh('.zst'), '--resume').status).toBe(2);
      const full = runOnFullDisk('--input', input, '--output', fresh('.zst'));
      expect([full.status, full.stderr]).toEqual([1, expect.stringMatching(/cannot be written: File too large/)]);
    });
  });

  describe('--split', () => {
    test('translates each sentence of a line separately, and keeps the white space between them', () => {
      const text = `  ${sources[0]}  ${sources[1]} ${sources[2]} \n\n${sources[3]}\n`;
      const { stdout, stderr } = translate(text, '--split');
      expect([stdout, stderr]).toEqual([`  ${targets[0]}  ${targets[1]} ${targets[2]} \n\n${targets[3]}\n`, '']);
    });

    test('does not split after an abbreviation or before a lower-case letter', () => {
      for (const text of ['I love Mr. Smith.', '“Really?” she said.', 'J. Brown is old.']) {
        expect(translate(`${text}\n`, '--split').stdout).toBe(translate(`${text}\n`).stdout);
      }
    });

    test("does not cut a line that is longer than the model's positions", () => {
      const long = `${Array(120).fill(sources[2]).join(' ')}\n`;
      expect(translate(long).stderr).toMatch(/longer than the model's/);
      const { stdout, stderr } = translate(long, '--split');
      expect([stdout, stderr]).toEqual([`${Array(120).fill(targets[2]).join(' ')}\n`, '']);
    });
  });

  describe('--n-best', () => {
    test('prints the number of the line, the score and the translation, best first', () => {
      const { stdout, stderr } = run(['-m', model, '--n-best', '3'], {
        input: `${sources.slice(0, 2).join('\n')}\n`,
      });
      expect(stderr).toBe('');
      const rows = stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
      expect(rows.map(([number]) => number)).toEqual(['1', '1', '1', '2', '2', '2']);
      for (const first of [0, 3]) {
        const scores = rows.slice(first, first + 3).map(([, score]) => Number(score));
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(scores[0]).toBeLessThanOrEqual(0);
        expect(new Set(rows.slice(first, first + 3).map(([, , text]) => text)).size).toBe(3);
      }
      const json = run(['-m', model, '--n-best', '3', '--jsonl', 'text'], {
        input: `{"text": "${sources[0]}"}\n`,
      }).stdout;
      expect(JSON.parse(json).translations).toEqual(
        rows.slice(0, 3).map(([, score, text]) => ({ text, score: Number(score) })),
      );
    });

    test('is at most the beam', () => {
      const { status, stderr } = translate('a\n', '--n-best', '2');
      expect([status, stderr]).toEqual([2, expect.stringContaining('--n-best is at most --beam')]);
    });
  });

  test('--scores writes each score before its translation, or as a field', () => {
    const rows = translate(`${sources.join('\n')}\n`, '--scores')
      .stdout.trimEnd()
      .split('\n');
    const scores = rows.map((row) => row.split('\t')[0]);
    expect(rows.map((row) => row.split('\t')[1])).toEqual(targets);
    for (const score of scores) expect(score).toMatch(/^-\d\.\d{4}$/);
    expect(translate(`1\t${sources[0]}\n`, '--scores', '--tsv', '2').stdout).toBe(
      `${scores[0]}\t1\t${sources[0]}\t${targets[0]}\n`,
    );
    const record = JSON.parse(translate(`{"text": "${sources[0]}"}\n`, '--scores', '--jsonl', 'text').stdout);
    expect([record.translation, record.score]).toEqual([targets[0], Number(scores[0])]);
    expect(translate('{"text": "a", "score": 1}\n', '--scores', '--jsonl', 'text').stderr).toMatch(/"score" already/);
    expect(translate('{"text": "a", "score": 1}\n', '--jsonl', 'text').status).toBe(0);
    expect(translate('a\n', '--scores', '--confidence').status).toBe(2);
  });

  test('--sort-buffer does not change the lines or their order', () => {
    const many = written(Array.from({ length: 50 }, (_, i) => `${sources[i % 5]} ${sources[(i * 3) % 5]}\n`).join(''));
    const [one, ...others] = [[], ['1'], ['7'], ['1000']].map(
      ([lines]) => translate('', '--input', many, ...(lines ? ['--sort-buffer', lines] : [])).stdout,
    );
    for (const other of others) expect(other).toBe(one);
    expect(translate('a\n', '--sort-buffer', '0').status).toBe(2);
  });

  test('memory does not grow with an endless input', async () => {
    const child = start(['-m', at('tests/goldens/models/tiny-f32'), '--beam', '1'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stdin.on('error', () => {}); // it is ended while it reads
    const more = Buffer.from('a b c d e f\n'.repeat(4096));
    const feed = () => {
      while (child.stdin.write(more)) continue;
    };
    child.stdin.on('drain', feed);
    feed();
    // The most that it has had, in kB, when it has written so many lines.
    let lines = 0;
    child.stdout.on('data', (data) => (lines += data.filter((byte) => byte === 10).length));
    const peak = async (after) => {
      while (lines < after) await setTimeout(10);
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
    };
    const early = await peak(5_000);
    // In Node the collector of garbage decides when memory is returned.
    expect((await peak(50_000)) - early).toBeLessThan(command === kNode ? 32_000 : 2_000);
    child.kill('SIGKILL');
    await ended;
  }, 120_000);

  describe('hostile', () => {
    test('a line of 10 MB and invalid UTF-8 are translated', () => {
      const long = 'I love you. '.repeat(875_000);
      const { status, stdout, stderr } = translate(`${sources[0]}\n${long}\n\xff\xfe\0\n${sources[1]}\n`);
      expect([status, stderr]).toEqual([0, expect.stringMatching(/line 2 is longer than the model's/)]);
      const lines = stdout.split('\n');
      expect([lines.length, lines[0], lines[3]]).toEqual([5, targets[0], targets[1]]);
    }, 120_000);

    test('a full disk is an error', () => {
      const full = run(['-m', model, '--input', input], { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] });
      expect([full.status, full.stderr]).toEqual([1, 'qkv: standard output cannot be written\n']);
    });

    describe.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ])('%s', (signal, code) => {
      const many = written(`${sources[0]}\n`.repeat(20_000));
      const begin = async (to, batch) => {
        const child = start(['-m', model, '--input', many, '--output', to, '--sort-buffer', batch, '--threads', '1']);
        const ended = new Promise((resolve) => child.on('close', () => resolve([child.exitCode, child.signalCode])));
        const said = { text: '' };
        child.stderr.on('data', (data) => (said.text += data));
        while (!statSync(to, { throwIfNoEntry: false })) await setTimeout(5);
        await setTimeout(300);
        return { child, ended, said };
      };

      test(`the batch is finished and written, and the exit code is ${code}`, async () => {
        const to = fresh('.gz');
        const { child, ended, said } = await begin(to, '256');
        child.kill(signal);
        expect(await ended).toEqual([code, null]);
        const lines = Number(/stopped after (\d+) lines/.exec(said.text)[1]);
        expect([lines > 0, lines % 256]).toEqual([true, 0]);
        expect(String(gunzipSync(readFileSync(to)))).toBe(`${targets[0]}\n`.repeat(lines));
      }, 120_000);

      test('a second one ends it at once', async () => {
        const { child, ended, said } = await begin(fresh(), '20000');
        while (child.kill(signal)) await setTimeout(20); // signals that reach a waiting process together count as one
        expect(await ended).toEqual([code, null]);
        expect(said.text).not.toContain('stopped after');
      }, 120_000);
    });

    test('SIGTERM ends it where nobody reads what it writes', async () => {
      const child = start(['-m', at('tests/goldens/models/tiny-f32'), '--beam', '1']);
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.stdin.on('error', () => {});
      child.stdin.write('a b c d e f\n'.repeat(100_000));
      await new Promise((resolve) => child.stdout.once('readable', resolve)); // the pipe fills up behind it
      await setTimeout(1000);
      while (child.kill('SIGTERM')) await setTimeout(50); // if two signals arrive before the first is handled, they count as one
      await ended;
      // In Node a thread that writes can't be ended, so the signal itself ends the process.
      expect([child.exitCode ?? 143, child.signalCode ?? 'SIGTERM']).toEqual([143, 'SIGTERM']);
      child.stdout.destroy();
    }, 120_000);
  });
});
