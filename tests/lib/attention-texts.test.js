// The texts of the page Attention: each language has all of them, and the reader's language is found.

import { readFileSync } from 'node:fs';
import { presets, stateOfPreset } from '../../web/demo/attention/presets.js';
import { languageOf, languages } from '../../web/demo/attention/texts.js';
import { en } from '../../web/demo/attention/texts/en.js';
import { at } from './support.js';

const others = Object.keys(languages).filter((language) => language !== 'en');

/** Every text by its path: [['lessons.kernel.title', 'Kernel regression'], ...]. */
function listed(texts, path = []) {
  if (typeof texts !== 'object') return [[path.join('.'), texts]];
  return Object.entries(texts).flatMap(([key, one]) => listed(one, [...path, key]));
}

/** Texts that may be the same in both languages: symbols, and names of methods. */
const kShared =
  /^[\d\W]*$|Softmax|Argmax|Sparsemax|Entmax|^softmax$|^Q = K = V$|^K = V$|Good morning|^(?:general|concat|additive|location)$|^ · /;

/** A text for some values. */
const textOf = (text) => (typeof text === 'function' ? text(...Array(text.length).fill('123')) : text);

test.each(others)('%s has the keys of the English texts, and each is translated', async (language) => {
  const own = await languages[language].load();
  const apart = ({ markup: _, inEquations: __, ...texts }) => listed(texts);
  const [wanted, found] = [apart(en), apart(own)];
  expect(found.map(([path]) => path)).toEqual(wanted.map(([path]) => path));
  found.forEach(([path, text], i) => {
    const english = wanted[i][1];
    expect([path, typeof text, text.length > 0]).toEqual([path, typeof english, english.length > 0]);
    if (typeof text === 'function') expect([path, text.length]).toEqual([path, english.length]);
    expect([path, textOf(text)]).toEqual([path, expect.stringMatching(/./)]);
    if (!kShared.test(textOf(english))) expect([path, textOf(text)]).not.toEqual([path, textOf(english)]);
    // No text is left in English: a Chinese sentence has Chinese characters and Chinese punctuation.
    if (language === 'zh' && textOf(english).endsWith('.') && path !== 'lessons.shapes.teacher')
      expect([path, textOf(text)]).toEqual([path, expect.stringMatching(/\p{Script=Han}.*[。？”）]$/su)]);
  });
});

test.each(others)('%s has a text for all that is fixed in the page', async (language) => {
  const { markup } = await languages[language].load();
  const pages = ['web/demo/attention.html', 'web/demo/parts/header.html'];
  const html = pages.map((path) => readFileSync(at(path), 'utf8')).join('');
  const named = [...html.matchAll(/data-(?:text|label)="(\w+)"/g)].map(([, key]) => key);
  expect(Object.keys(markup).sort()).toEqual([...new Set(named)].sort());
});

/** Names in equations, which are the same in every language. */
const kNames =
  /^(softmax|sparsemax|entmax|argmax|max|exp|tanh|sigmoid|log|elu|relu|norm|RNN|diag|mask|sample|attend|Var|E|BERT|GPT|soft|hard)$/;

test.each(others)('%s has the words of the equations', async (language) => {
  const { inEquations } = await languages[language].load();
  const sources = presets.flatMap((preset) => [
    ...preset.equations,
    ...(preset.equationsOf?.(stateOfPreset(preset.id)) ?? []),
  ]);
  const words = sources.flatMap((source) => [...source.matchAll(/\\text\{ ?(.*?) ?\}/g)].map(([, word]) => word));
  const wanted = [...new Set(words)].filter((word) => !kNames.test(word));
  expect(Object.keys(inEquations).sort()).toEqual(wanted.sort());
});

test.each([
  ['', null, ['de-AT', 'zh-CN', 'en'], 'zh'],
  ['', null, ['zh-Hant-TW'], 'zh'],
  ['', null, ['fr', 'en-GB', 'zh'], 'en'],
  ['', null, ['fr'], 'en'],
  ['', null, [], 'en'],
  ['', 'zh', ['en'], 'zh'],
  ['?lang=en', 'zh', ['zh'], 'en'],
  ['?engine=baseline&lang=zh-Hans', null, ['en'], 'zh'],
  ['?lang=constructor', '__proto__', ['en'], 'en'],
])('address %j, stored %j, browser %j: %s', (search, stored, wanted, language) => {
  expect(languageOf(search, stored, wanted)).toBe(language);
});
