// What the caller says about a text: terms to keep, terms with a given translation, numbers to write as in the target
// language. The engine gets a text as a list: text, part, translation of the part, text, ...
import { described, invalid } from '../base/arguments.js';

/**
 * Options of carrying text through instead of translating it (docs/carried.md).
 * @typedef {object} CarryOptions
 * @property {boolean} [copy] false: nothing is carried through. The model reads numbers and addresses like other text, and
 *   writes ' ⁇ ' for what its vocabulary lacks. Default: true
 * @property {(string | RegExp)[]} [keep] what is not translated: terms, which are found as whole words, and patterns. A
 *   pattern is refused if it may take for ever: if it repeats a repetition or a choice, as (a+)+ and (a|b)* do, or has a
 *   backreference
 * @property {Record<string, string>} [glossary] terms and their translations. A term is found as whole words. Its
 *   translation is written letter by letter
 * @property {'keep' | 'localise'} [numbers] 'localise': 1,234.56 is written as in the target language; 'keep', the default:
 *   as in the text
 */

/** @typedef {{keep: RegExp[], terms: Map<string, string>, numbers: [source: string, target: string] | null}} Carry */

const kMostTerms = 10_000;
const kLongestTerm = 200;
const kMostRepeats = 8;
/** How long a pattern may search one sentence. */
const kLongestSearch = 100; // milliseconds

export const kCarryOptions = ['copy', 'keep', 'glossary', 'numbers'];

/**
 * @param {CarryOptions} options
 * @param {import('./languages.js').LanguagePair & {info?: {copy: string}}} translator
 * @returns {{copy: boolean, carry?: Carry}} plain values, for the engine
 */
export function readCarry({ copy = true, keep = [], glossary = {}, numbers = 'keep' }, translator) {
  if (typeof copy !== 'boolean') throw invalid('copy', `copy is true or false, not ${described(copy)}`);
  if (numbers !== 'keep' && numbers !== 'localise') throw invalid('numbers', "numbers is 'keep' or 'localise'");
  if (!Array.isArray(keep)) throw invalid('keep', 'keep is a list of strings and regular expressions');
  if (typeof glossary !== 'object' || glossary === null)
    throw invalid('glossary', 'glossary is an object: term, translation');
  // A term to keep is a term that is its own translation.
  const terms = new Map(Object.entries(glossary));
  const patterns = /** @type {RegExp[]} */ (
    keep.filter((item) => !(typeof item === 'string' && terms.set(item, terms.get(item) ?? item)))
  );
  // Check terms and patterns.
  for (const [term, translation] of terms) {
    if (!term.trim()) throw invalid('glossary', 'a term is empty');
    if (term.length > kLongestTerm) throw invalid('glossary', `a term has at most ${kLongestTerm} UTF-16 units`);
    if (typeof translation !== 'string') throw invalid('glossary', `the translation of "${term}" is a string`);
  }
  if (terms.size + patterns.length > kMostTerms) throw invalid('keep', `there are more than ${kMostTerms} terms`);
  patterns.forEach(checkPattern);
  // Leave `carry` out if the caller said nothing about the text.
  const isLocal = numbers === 'localise';
  if (!copy || (!terms.size && !patterns.length && !isLocal)) return { copy };
  if (translator.info?.copy === 'none')
    throw invalid('keep', "the model's vocabulary is too small to carry anything through");
  const { sourceLanguage, targetLanguage } = translator;
  return { copy, carry: { keep: patterns, terms, numbers: isLocal ? [sourceLanguage, targetLanguage] : null } };
}

/**
 * Refuses patterns that may take exponential time. The others take polynomial time, and a search that takes long is stopped.
 * @param {unknown} pattern
 */
function checkPattern(pattern) {
  if (!(pattern instanceof RegExp))
    throw invalid('keep', `keep has strings and regular expressions, not ${described(pattern)}`);
  // Replace escapes and character classes by a letter, and backreferences by \0.
  const source = pattern.source
    .replace(/\\[1-9k]/g, '\0')
    .replace(/\\./gsu, 'a')
    .replace(/\[[^\]]*\]/g, 'a');
  if (source.split(/[*+{]/).length > kMostRepeats + 1) {
    throw invalid('keep', `/${pattern.source}/ repeats more than ${kMostRepeats} times`);
  }
  // Refuse a group that repeats if there is a repetition or a choice in it.
  /** @type {boolean[]} for each open group: whether it has a repetition or a choice */
  const open = [];
  for (const [token] of source.matchAll(/\(|\)(\?|[*+{])?|[*+{|]|\0/g)) {
    if (token === '(') open.push(false);
    else if (token === '\0') throw invalid('keep', `/${pattern.source}/ has a backreference, which may take for ever`);
    else if (token[0] === ')') {
      const inner = open.pop();
      if (inner && token.length > 1 && token[1] !== '?') {
        throw invalid('keep', `/${pattern.source}/ repeats a repetition or a choice, which may take for ever`);
      }
      if (open.length) open[open.length - 1] ||= inner || token.length > 1;
    } else if (open.length) open[open.length - 1] = true;
  }
}

/**
 * A sentence as the engine takes it.
 * @param {string} text
 * @param {Carry | undefined} carry
 * @param {[from: number, to: number][]} [kept] parts that are never translated
 * @returns {string | string[]}
 */
export function withCarried(text, carry, kept = []) {
  if (!carry && !kept.length) return text;
  /** @type {Found[]} */
  let found = [];
  if (carry) found.push(...termsIn(text, carry.terms), ...carry.keep.flatMap((pattern) => matchesIn(text, pattern)));
  if (carry?.numbers) found.push(...numbersIn(text, .../** @type {[string, string]} */ (carry.numbers)));
  found = found.filter(({ begin, end }) => !kept.some(([from, to]) => begin < to && from < end));
  for (const [begin, end] of kept) found.push({ begin, end, translation: text.slice(begin, end) });
  found.sort((a, b) => a.begin - b.begin || b.end - a.end); // if terms overlap, the first one is taken, and the longest of those
  const parts = [];
  let done = 0;
  for (const { begin, end, translation } of found) {
    if (begin < done) continue;
    parts.push(text.slice(done, begin), text.slice(begin, end), translation);
    done = end;
  }
  return parts.length ? [...parts, text.slice(done)] : text;
}

/** @typedef {{begin: number, end: number, translation: string}} Found */

/**
 * The terms that occur in a text as words; the longest at each place.
 * @param {string} text
 * @param {Map<string, string>} terms
 */
function* termsIn(text, terms) {
  const lengths = [...new Set(Array.from(terms.keys(), ({ length }) => length))].sort((a, b) => b - a);
  const isWord = (/** @type {string} */ two) => /^[\p{L}\p{N}_]{2}$/u.test(two);
  for (let begin = 0; begin < text.length && terms.size; begin++) {
    if (isWord(text.slice(begin - 1, begin + 1)) && begin > 0) continue;
    const length = lengths.find(
      (length) =>
        terms.has(text.slice(begin, begin + length)) && !isWord(text.slice(begin + length - 1, begin + length + 1)),
    );
    if (!length) continue;
    const translation = /** @type {string} */ (terms.get(text.slice(begin, begin + length)));
    yield { begin, end: begin + length, translation };
    begin += length - 1;
  }
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 * @returns {Found[]}
 */
function matchesIn(text, pattern) {
  const search = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '') + 'g');
  // Searches a short beginning first, then beginnings that are 1.5 times as long each. So a slow pattern is stopped
  // before it takes seconds.
  for (let length = 8; length < text.length; length *= 1.5) timed(search, text.slice(0, length));
  return timed(search, text)
    .filter(([match]) => match)
    .map(({ 0: match, index }) => ({ begin: index, end: index + match.length, translation: match }));
}

/**
 * @param {RegExp} search
 * @param {string} text
 */
function timed(search, text) {
  const start = performance.now();
  const matches = [...text.matchAll(search)];
  if (performance.now() - start <= kLongestSearch) return matches;
  throw invalid('keep', `/${search.source}/ takes too long on a sentence of ${text.length} UTF-16 units`);
}

/**
 * Finds numbers with the separators of the source language, and writes them with those of the target language.
 * @param {string} text
 * @param {string} from
 * @param {string} to
 */
function* numbersIn(text, from, to) {
  // The separators of both languages.
  const separators = (/** @type {string} */ language) => {
    const parts = new Intl.NumberFormat(language).formatToParts(1234567.8);
    const of = (/** @type {string} */ type) => parts.find((part) => part.type === type)?.value ?? '';
    return { group: of('group'), point: of('decimal') };
  };
  const [source, target] = [separators(from), separators(to)];
  // A number has a separator, and is not a part of a longer word, date, time or address.
  const any = (/** @type {string} */ literal) => (/\s/.test(literal) ? '[\u00A0\u202F]' : `[${literal}]`);
  const number = `\\d{1,3}(?:${any(source.group)}\\d{3})+(?:${any(source.point)}\\d+)?|\\d+${any(source.point)}\\d+`;
  const whole = new RegExp(`(?<![\\p{L}\\p{N}.,:/_-])(?:${number})(?![\\p{L}\\p{N}_]|[.,:/-]\\d)`, 'gu');
  for (const { 0: match, index } of text.matchAll(whole)) {
    const [digits, fraction] = match.split(source.point);
    const groups = digits.split(/\D/).join(target.group);
    yield {
      begin: index,
      end: index + match.length,
      translation: fraction ? groups + target.point + fraction : groups,
    };
  }
}
