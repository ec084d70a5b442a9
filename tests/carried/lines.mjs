// Lines with something that is not to be translated, made by rule from sentence pairs: the tokens of thirty and more kinds
// that web/docs/carried.md measures. The same seed makes the same lines.

/** @typedef {{kind: string, place: string, token: string, source: string, reference: string, plain: string}} Line */

/** A generator of numbers from 0 to 1 (xorshift32). @param {number} seed */
export function randomFrom(seed) {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Tokens that stand where a name could, by kind. @type {Record<string, (n: (most: number) => number) => string>} */
const names = {
  url: (n) => `https://www.site-${n(99)}.org/${word(n)}`,
  'url with query': (n) => `http://${word(n)}.example.com/${word(n)}?id=${n(9999)}&lang=en#top`,
  domain: (n) => `${word(n)}.example.net`,
  'e-mail': (n) => `${word(n)}.${word(n)}+${n(99)}@mail.example.org`,
  'unix path': (n) => `/usr/local/${word(n)}/${word(n)}.conf`,
  'home path': (n) => `~/${word(n)}/notes_${n(99)}.txt`,
  'windows path': (n) => `C:\\Users\\${word(n)}\\${word(n)}.docx`,
  'file name': (n) => `${word(n)}-${n(999)}.pdf`,
  '@name': (n) => `@${word(n)}_${n(99)}`,
  '#tag': (n) => `#${word(n)}${n(99)}`,
  code: (n) => '`' + `${word(n)}.${word(n)}(${n(9)})` + '`',
  '{placeholder}': (n) => `{${word(n)}}`,
  '{{placeholder}}': (n) => `{{ ${word(n)} }}`,
  '${placeholder}': (n) => '${' + word(n) + '}',
  '%s': (n) => ['%s', '%d', '%1$s', '%.2f', '%(name)s'][n(5)],
  entity: (n) => ['&nbsp;', '&#8364;', '&copy;', '&#x1F600;', '&hellip;'][n(5)],
  hash: (n) => Array.from({ length: 40 }, () => '0123456789abcdef'[n(16)]).join(''),
  'short hash': (n) => `${n(9)}f${n(99)}a${n(9)}${n(9)}c`,
  version: (n) => `v${n(9)}.${n(20)}.${n(99)}-rc.${n(9)}`,
  snake_case: (n) => `${word(n)}_${word(n)}_${n(9)}`,
  camelCase: (n) => `${word(n)}${capital(word(n))}`,
  option: (n) => `--${word(n)}-${word(n)}`,
  'part number': (n) => `${'ABCDEFGHK'[n(9)]}${'ABCDEFGHK'[n(9)]}-${n(9000) + 1000}`,
  'another script': (n) => ['東京', 'Москва', 'Αθήνα', 'القاهرة', 'Łódź', 'दिल्ली'][n(6)],
};

/** Tokens that stand where a number could. @type {typeof names} */
const numbers = {
  'price $': (n) => `$${n(9) + 1},${n(899) + 100}.${n(89) + 10}`,
  'price €': (n) => `${n(900) + 10} €`,
  per_cent: (n) => `${n(99)}.${n(9)}%`,
  temperature: (n) => `${n(200)}°C`,
  weight: (n) => `${n(500) + 2} kg`,
  'large number': (n) => `${n(99) + 1},${n(899) + 100},${n(899) + 100}`,
  decimal: (n) => `${n(99)}.${n(8999) + 1000}`,
  year: (n) => `${n(150) + 1870}`,
  date: (n) => `${n(30) + 1990}-0${n(9) + 1}-${n(18) + 10}`,
  'date /': (n) => `${n(18) + 10}/0${n(9) + 1}/${n(30) + 1990}`,
  time: (n) => `${n(14) + 10}:${n(49) + 10}`,
  telephone: (n) => `+${n(89) + 10} ${n(89) + 10} ${n(8999) + 1000} ${n(8999) + 1000}`,
  'local telephone': (n) => `(${n(899) + 100}) ${n(899) + 100}-${n(8999) + 1000}`,
  address: (n) => `${n(250)}.${n(250)}.${n(250)}.${n(250)}`,
};

/** @type {typeof names} */
const marks = {
  emoji: (n) => ['😀', '🎉', '👍', '🚀', '❤️'][n(5)],
  'joined emoji': (n) => ['👨‍👩‍👧', '🇫🇷', '👍🏽', '🏳️‍🌈', '5️⃣'][n(5)],
  control: (n) => ['\u0001', '\u0007', '\u200b', '\ufeff'][n(4)],
};

const kWords = 'alpha report config server user data index main build test image table order invoice client'.split(' ');
/** @param {(most: number) => number} n */
const word = (n) => kWords[n(kWords.length)];
/** @param {string} text */
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Where a token is put: of a sentence and its reference, both with the token, and the source without it. */
const places = {
  /** @type {(text: string, token: string) => string} */
  brackets: (text, token) => `${text.slice(0, -1)} (${token}).`,
  /** @type {(text: string, token: string) => string} */
  colon: (text, token) => `${text.slice(0, -1)}: ${token}`,
  /** @type {(text: string, token: string) => string} */
  front: (text, token) => `${token}: ${text}`,
  /** @type {(text: string, token: string) => string} */
  end: (text, token) => `${text} ${token}`,
  /** @type {(text: string, token: string) => string} */
  between: (text, token) => text.replace(/^\S+ \S+/, (words) => `${words} ${token}`),
};

const kName = /\b(?:Tom|Mary|Boston|John|Maria)\b/g;
const kNumber = /(?<![\w.,:/-])\d+(?![\w:/-]|[.,]\d)/g;

/**
 * @param {[source: string, reference: string][]} pairs
 * @param {number} count
 * @param {number} seed
 * @returns {Line[]}
 */
export function makeLines(pairs, count, seed) {
  const random = randomFrom(seed);
  const n = (/** @type {number} */ most) => Math.floor(random() * most);
  const clean = pairs.filter(
    ([source, reference]) =>
      /^[A-Z][\w ,']{20,100}\.$/.test(source) && reference.endsWith('.') && !/[\d"«»()]/.test(reference),
  );
  const once =
    (/** @type {RegExp} */ pattern) =>
    (/** @type {[string, string]} */ [source, reference]) => {
      const [a, b] = [source.match(pattern), reference.match(pattern)];
      return a?.length === 1 && b?.length === 1 && a[0] === b[0];
    };
  const named = pairs.filter(once(kName)).filter(([source]) => !/\d/.test(source));
  const numbered = pairs.filter(once(kNumber));
  const kinds = [
    ...Object.entries(names).map(([kind, make]) => ({ kind, make, ways: ['brackets', 'colon', 'front', 'name'] })),
    ...Object.entries(numbers).map(([kind, make]) => ({ kind, make, ways: ['brackets', 'colon', 'number'] })),
    ...Object.entries(marks).map(([kind, make]) => ({ kind, make, ways: ['end', 'brackets', 'between'] })),
  ];
  return Array.from({ length: count }, (_, i) => {
    const { kind, make, ways } = kinds[i % kinds.length];
    const place = ways[Math.floor(i / kinds.length) % ways.length];
    const token = make(n);
    const replaced =
      place === 'name' ? { from: named, what: kName } : place === 'number' ? { from: numbered, what: kNumber } : null;
    const [source, reference] = replaced ? replaced.from[n(replaced.from.length)] : clean[n(clean.length)];
    const put = (/** @type {string} */ text) =>
      replaced
        ? text.replace(replaced.what, () => token)
        : places[/** @type {keyof typeof places} */ (place)](text, token);
    return { kind, place, token, source: put(source), reference: put(reference), plain: source };
  });
}

/** A text without its token, and without the brackets or the colon that came with it. @param {string} text @param {string} token */
export function without(text, token) {
  const [before, ...after] = text.split(token);
  const rest = after.join(token);
  return `${before.replace(/\s*\($/, '')} ${rest.replace(/^\)/, '').replace(/^\s*:/, '')}`
    .replace(/\s*:\s*$/, '.')
    .replace(/\s+([.,])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
