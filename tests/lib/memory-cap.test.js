// WebAssembly memory that may not grow, as on a small phone: a model that does not fit is refused with LIMIT_EXCEEDED,
// wherever in loading the memory ends, and loaded models keep translating.
import { execFileSync } from 'node:child_process';
import { at } from './support.js';

const script = `
  const { Translator } = await import(${JSON.stringify(at('web/lib/index.js'))});
  const english = (targetLanguage) => Translator.create({ sourceLanguage: 'en', targetLanguage });
  const keeper = await english('fr');
  const before = await keeper.translate('I love you.');
  const refused = [];
  for (const language of ['de', 'es']) await english(language).catch(({ code }) => refused.push(code));
  const after = await keeper.translate('I love you.');
  console.log(JSON.stringify({ refused, isSame: after === before }));
`;

// Pages of 64 KiB: from the need of the first model to the need of two.
test.each([300, 310, 320, 330, 340, 350, 360, 400])(
  '%i pages',
  (pages) => {
    const args = [`--wasm-max-mem-pages=${pages}`, '--no-warnings', '--input-type=module', '--eval', script];
    const result = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(result.isSame).toBe(true);
    expect(result.refused.length).toBeGreaterThan(0);
    expect(new Set(result.refused)).toEqual(new Set(['LIMIT_EXCEEDED']));
  },
  60_000,
);
