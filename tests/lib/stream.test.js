import { create, rejection } from './support.js';

let translator;
beforeAll(async () => {
  translator = await create();
});
afterAll(() => translator.destroy());

const kText = 'I love you.  Thank you.\n\nWhere is Tom?\n';

const collect = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

describe('translateStreaming', () => {
  test('gives the sentences of translate one by one, with their white space', async () => {
    const chunks = await collect(translator.translateStreaming(kText));
    expect(chunks.join('')).toBe(await translator.translate(kText));
    expect(chunks).toContain("Je t'aime.");
    expect(chunks).toContain('\n\n');
  });

  test('is empty for an empty text', async () => {
    expect(await collect(translator.translateStreaming(''))).toEqual([]);
  });

  test('ends with the reason of its signal, and the next call works', async () => {
    const controller = new AbortController();
    const reader = translator.translateStreaming(kText, { signal: controller.signal }).getReader();
    await reader.read();
    controller.abort('enough');
    expect(await rejection(reader.read().then(() => reader.read()))).toBe('enough');
    expect(await translator.translate('I love you.')).toBe("Je t'aime.");
  });

  test('can be cancelled in the middle of a sentence', async () => {
    const reader = translator.translateStreaming(kText.repeat(50)).getReader();
    reader.read().catch(() => {});
    await reader.cancel();
    expect(await translator.translate('Thank you.')).toBe('Merci.');
  });
});

describe('a prefix', () => {
  const kSource = 'My brother lives in a big white house.';

  test('begins the translation, which continues from there', async () => {
    const usual = await translator.translate(kSource);
    // Both verbs say "lives". The model writes one of them by itself.
    const prefix = usual.startsWith('Mon frère vit') ? 'Mon frère habite' : 'Mon frère vit';
    const other = await translator.translate(kSource, { prefix });
    expect(other).toMatch(new RegExp(`^${prefix} .*maison.*\\.$`));
    expect(other).not.toBe(usual);
  });

  test('that the model would have written changes nothing', async () => {
    const greedy = await create({ beam: 1 });
    const usual = await greedy.translate(kSource);
    expect(await greedy.translate(kSource, { prefix: usual.split(' ').slice(0, 3).join(' ') })).toBe(usual);
    greedy.destroy();
  });

  test('is traced too, and may be longer than the translation would be', async () => {
    const prefix = 'Oui '.repeat(80).trim();
    const { target } = await translator.trace('Yes.', { prefix });
    expect(target.text.startsWith(prefix)).toBe(true);
  });
});
