import { kSure } from '../translations.js';
import { create, rejection } from './support.js';

const kText = 'My brother lives in a big white house.';

describe.each([
  ['in this thread', false],
  ['in a worker', true],
])('%s', (_, worker) => {
  let translator;
  beforeAll(async () => (translator = await create({ worker })));
  afterAll(() => translator.destroy());

  test('the hypotheses are the best ones, each with its score', async () => {
    const { format, beam, hypotheses, tree, cut, truncated } = await translator.search(kText);
    expect({ format, beam, cut, truncated }).toEqual({ format: 'qkv-search/1', beam: 4, cut: false, truncated: false });
    expect(hypotheses).toHaveLength(4);
    expect(tree).toBeUndefined();
    expect(hypotheses[0].text).toBe(await translator.translate(kText));
    expect(new Set(hypotheses.map(({ text }) => text)).size).toBe(4);
    const scores = hypotheses.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const { pieces, ids, score, logProb } of hypotheses) {
      expect(pieces).toHaveLength(ids.length);
      expect(pieces.at(-1)).toBe('</s>');
      expect(score).toBeCloseTo(logProb / ids.length, 5); // the package's model has a length penalty of 1
    }
  });

  test('nBest is the number of results, beam the width of the search', async () => {
    const wide = await translator.search(kText, { beam: 8, nBest: 3 });
    expect(wide.hypotheses).toHaveLength(3);
    const greedy = await translator.search(kText, { beam: 1 });
    expect(greedy.hypotheses).toHaveLength(1);
    expect(wide.hypotheses[0].score).toBeGreaterThanOrEqual(greedy.hypotheses[0].score);
  });

  test('the tree has all kept entries: each comes after its parent, and each hypothesis is a path', async () => {
    const { beam, hypotheses, tree } = await translator.search(kText, { tree: true });
    const size = tree.ids.length;
    for (const list of [tree.pieces, tree.parents, tree.logProbs]) expect(list).toHaveLength(size);
    const depth = [];
    tree.parents.forEach((parent, node) => {
      expect(parent).toBeLessThan(node);
      if (parent >= 0) expect(tree.logProbs[node]).toBeLessThanOrEqual(tree.logProbs[parent]);
      depth.push(parent < 0 ? 0 : depth[parent] + 1);
    });
    for (let step = 0; step <= Math.max(...depth); ++step) {
      const kept = depth.filter((at, node) => at === step && tree.pieces[node] !== '</s>');
      expect(kept.length).toBeLessThanOrEqual(beam);
    }
    for (const { node, ids, logProb } of hypotheses) {
      const path = [];
      for (let at = node; at >= 0; at = tree.parents[at]) path.unshift(tree.ids[at]);
      expect(path).toEqual([...ids]);
      expect(tree.logProbs[node]).toBe(logProb);
    }
  });

  test("the tree's log-probabilities are those of the trace", async () => {
    const { hypotheses, tree } = await translator.search(kText, { tree: true });
    for (const { ids, node, logProb } of hypotheses) {
      const { target, score } = await translator.trace(kText, { prefix: ids });
      expect([...target.ids]).toEqual([...ids]);
      expect(score).toBeCloseTo(logProb, 4);
      const steps = [];
      for (let at = node; at >= 0; at = tree.parents[at])
        steps.unshift(tree.logProbs[at] - (tree.parents[at] < 0 ? 0 : tree.logProbs[tree.parents[at]]));
      target.logProbs.forEach((logProb, i) => expect(steps[i]).toBeCloseTo(logProb, 4));
    }
  });

  test('an aborted search rejects with the reason, and the next one works', async () => {
    const controller = new AbortController();
    const running = rejection(translator.search('word '.repeat(400), { beam: 64, signal: controller.signal }));
    setTimeout(() => controller.abort('enough'), 20);
    expect(await running).toBe('enough');
    expect(await rejection(translator.search(kText, { signal: AbortSignal.abort('no') }))).toBe('no');
    expect((await translator.search(kText)).hypotheses).toHaveLength(4);
  });

  test.each([
    [{ beam: 0 }, 'beam'],
    [{ beam: 65 }, 'beam'],
    [{ beam: 2.5 }, 'beam'],
    [{ beam: '4' }, 'beam'],
    [{ nBest: 0 }, 'nBest'],
    [{ beam: 2, nBest: 3 }, 'nBest'],
    [{ nBest: NaN }, 'nBest'],
    [{ prefix: [-1] }, 'prefix'],
    [{ prefix: [2 ** 30] }, 'prefix'],
    [{ prefix: [0, 5] }, 'prefix'], // </s> before the end
    [{ prefix: [7999] }, 'prefix'], // <pad>, which is never written
    [{ prefix: new Int32Array(200_000) }, 'prefix'],
  ])('refuses %j, naming what is wrong', async (options, where) => {
    const error = await rejection(translator.search(kText, options));
    expect(error).toMatchObject({ name: 'QkvError', code: 'INVALID_ARGUMENT', where });
    expect(await translator.translate('Thank you.')).toBe('Merci.');
  });

  test('a prefix must be a text or a list of ids, and the text a string', async () => {
    const kRefused = { name: 'QkvError', code: 'INVALID_ARGUMENT' };
    for (const prefix of [null, 7, true, ['a'], [0.5], [NaN], [2 ** 40]])
      expect(await rejection(translator.search(kText, { prefix }))).toMatchObject({ ...kRefused, where: 'prefix' });
    for (const text of [undefined, null, 1, ['a']])
      expect(await rejection(translator.search(text))).toMatchObject({ ...kRefused, where: 'text' });
  });
});

describe('with the ids of pieces as prefix', () => {
  let translator;
  beforeAll(async () => (translator = await create()));
  afterAll(() => translator.destroy());

  test('every hypothesis begins with exactly these pieces', async () => {
    const { alternatives, target } = await translator.trace(kText);
    const { count } = alternatives;
    for (let at = 0; at < target.ids.length - 1; ++at) {
      const other = alternatives.ids.subarray(at * count, (at + 1) * count).find((id) => id !== target.ids[at] && id);
      const prefix = [...target.ids.subarray(0, at), other];
      const { hypotheses } = await translator.search(kText, { prefix });
      for (const { ids } of hypotheses) expect([...ids.subarray(0, at + 1)]).toEqual(prefix);
      expect(await translator.translate(kText, { prefix })).toBe(hypotheses[0].text);
      expect([...(await translator.trace(kText, { prefix })).target.ids]).toEqual([...hypotheses[0].ids]);
    }
  });

  test('one that ends with </s> is the whole translation', async () => {
    const { hypotheses } = await translator.search(kText);
    for (const { ids, text } of hypotheses) expect(await translator.translate(kText, { prefix: ids })).toBe(text);
    const alone = await translator.search(kText, { prefix: [0] });
    expect(alone.hypotheses.map(({ text, pieces }) => [text, pieces])).toEqual([['', ['</s>']]]);
  });

  test('one that is longer than any translation is cut, and says so', async () => {
    const [id] = (await translator.trace(kText)).target.ids;
    const { cut, hypotheses } = await translator.search(kText, { prefix: new Array(2000).fill(id) });
    expect([cut, hypotheses[0].cut]).toEqual(['length', 'length']);
    expect(hypotheses[0].ids.length).toBeLessThanOrEqual(512);
  });
});

describe('a cut is reported', () => {
  let translator;
  beforeAll(async () => (translator = await create({ beam: 1 })));
  afterAll(() => translator.destroy());

  test('of a source that is longer than the model reads', async () => {
    const long = 'word '.repeat(600);
    expect((await translator.search(long)).truncated).toBe(true);
    const [part] = await translator.translateParts(long, { split: false });
    expect(part.truncated).toBe(true);
    expect(part.translation).toBe(await translator.translate(long, { split: false }));
  }, 120_000);

  test('of each sentence of a text, and the parts joined are the text and its translation', async () => {
    const text = `${kSure.text}  Thank you.\n\n`;
    const parts = await translator.translateParts(text);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.map(({ translation }) => translation).join('')).toBe(await translator.translate(text));
    expect(parts.map(({ sentence }) => sentence)).toEqual([true, false, true, false]);
    expect(parts.every(({ cut, truncated }) => !cut && !truncated)).toBe(true);
    expect(parts[1]).toEqual({
      text: '  ',
      sentence: false,
      translation: '  ',
      cut: false,
      truncated: false,
      confidence: 1,
      warnings: [],
    });
  });

  test('of a translation that only repeats itself, in parts, search and trace', async () => {
    const { target } = await translator.trace('Yes.');
    const prefix = new Array(500).fill(target.ids[0]);
    expect((await translator.translateParts('Yes.', { prefix }))[0].cut).toBe('repetition');
    expect((await translator.search('Yes.', { prefix })).cut).toBe('repetition');
    expect((await translator.trace('Yes.', { prefix })).cut).toBe('repetition');
    expect((await translator.trace('Yes.')).cut).toBe(false);
    expect((await translator.trace({ source: 'Yes.', target: 'Oui.' })).cut).toBe(false);
  });
});

test('an empty text has one empty hypothesis', async () => {
  const translator = await create();
  for (const text of ['', ' \n']) {
    const { hypotheses, tree } = await translator.search(text, { tree: true });
    expect(hypotheses.map(({ text: words, score, node }) => [words, score, node])).toEqual([[text, 0, -1]]);
    expect(tree.pieces).toEqual([]);
    expect(await translator.translateParts(text)).toHaveLength(text ? 1 : 0);
  }
  translator.destroy();
});

test('as JSON its arrays are arrays', async () => {
  const translator = await create();
  const found = await translator.search(kText, { tree: true });
  const json = JSON.parse(JSON.stringify(found));
  expect(json.hypotheses[1].ids).toEqual([...found.hypotheses[1].ids]);
  expect(json.tree.parents).toEqual([...found.tree.parents]);
  expect(Object.keys(json)).toEqual(Object.keys(found));
  translator.destroy();
});
