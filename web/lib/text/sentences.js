// Splits a text into sentences and the white space between them. Only sentences are translated; the white space stays.

/**
 * Part of a text: a sentence, or white space. `kept`: [from, to] of the carried parts of a sentence.
 * @typedef {{text: string, sentence: boolean, kept?: [from: number, to: number][]}} Part
 */

/**
 * The sentences of a text and the white space around them. The parts, joined, are the text. Intl.Segmenter finds the
 * sentences, if it exists. A sentence of more than `longest` UTF-16 units is cut at the best place.
 * @param {string} text
 * @param {string} locale a BCP 47 tag, the language of the text
 * @param {number} [longest] at least 2
 * @returns {Part[]}
 */
export function splitSentences(text, locale, longest = Infinity) {
  /** @type {Part[]} */
  const parts = [];
  for (const segment of joinUnfinished(segments(text, locale))) {
    const start = segment.length - segment.trimStart().length;
    const end = Math.max(start, segment.trimEnd().length);
    addSpace(parts, segment.slice(0, start));
    addSentence(parts, segment.slice(start, end), longest);
    addSpace(parts, segment.slice(end));
  }
  return parts;
}

/**
 * The token of the target language at the beginning of a text, such as '>>fra<<'; otherwise ''. Multilingual models need
 * it before every sentence.
 * @param {string} text
 */
export const languageToken = (text) => /^>>[^\s<>]+<</.exec(text)?.[0] ?? '';

/**
 * @param {Part[]} parts
 * @param {string} space
 */
function addSpace(parts, space) {
  const last = parts.at(-1);
  if (last && !last.sentence) last.text += space;
  else if (space) parts.push({ text: space, sentence: false });
}

/**
 * @param {Part[]} parts
 * @param {string} sentence without white space around it
 * @param {number} longest
 */
function addSentence(parts, sentence, longest) {
  let rest = sentence;
  while (rest.length > longest) {
    const cut = cutBefore(rest, longest);
    const head = rest.slice(0, cut).trimEnd();
    const tail = rest.slice(cut).trimStart();
    parts.push({ text: head, sentence: true });
    addSpace(parts, rest.slice(head.length, rest.length - tail.length));
    rest = tail;
  }
  if (rest) parts.push({ text: rest, sentence: true });
}

/**
 * The place to cut a sentence that is too long: after the last clause that fits, otherwise after the last word, otherwise
 * after the last code point.
 * @param {string} sentence
 * @param {number} longest
 */
function cutBefore(sentence, longest) {
  const head = sentence.slice(0, longest);
  const clause = lastMatch(head.slice(longest >> 1), /[,;:\u2014\u3001\uFF0C\uFF1B)](?=\s)|[\u3001\uFF0C\uFF1B]/gu);
  if (clause) return (longest >> 1) + clause;
  const word = lastMatch(head.slice(longest >> 1), /\s/gu);
  if (word) return (longest >> 1) + word;
  const splitsPair = /[\uD800-\uDBFF]$/.test(head);
  return splitsPair ? longest - 1 : longest;
}

/**
 * The end of the last match, or 0.
 * @param {string} text
 * @param {RegExp} pattern
 */
function lastMatch(text, pattern) {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

/**
 * @param {string} text
 * @param {string} locale
 * @returns {Iterable<string>}
 */
function segments(text, locale) {
  if (typeof Intl.Segmenter !== 'function') return roughSegments(text);
  return segmenterSegments(text, locale);
}

// Longer than most sentences, and short enough for V8's segmenter, whose steps cost more for longer texts.
const kWindow = 1024;

/**
 * The segmenter's sentences, found in windows: so the time is linear in the length of the text. The next window begins with the
 * last sentence of the window before. A sentence that fills its window is read again in a window twice as large.
 * @param {string} text
 * @param {string} locale
 */
function* segmenterSegments(text, locale) {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  for (let begin = 0, size = kWindow; begin < text.length;) {
    const window = text.slice(begin, begin + size);
    const isLast = begin + size >= text.length;
    let taken = 0;
    for (const { segment, index } of segmenter.segment(window)) {
      const end = index + segment.length;
      if (end === window.length && !isLast) break;
      yield segment;
      taken = end;
      if (size > kWindow) break;
    }
    begin += taken;
    size = taken ? kWindow : 2 * size;
  }
}

/**
 * For runtimes without Intl.Segmenter (Firefox before 125): cuts after marks that end sentences, with closing quotes
 * and the white space after them, and after line ends.
 * @param {string} text
 */
export function* roughSegments(text) {
  let begin = 0;
  for (const match of text.matchAll(/[.!?\u2026\u3002\uFF01\uFF1F]+["'\u2019\u201D\u00BB)\]]*\s*|\n\s*/gu)) {
    if (!/\s$|[\u3002\uFF01\uFF1F]/u.test(match[0])) continue;
    const end = match.index + match[0].length;
    yield text.slice(begin, end);
    begin = end;
  }
  if (begin < text.length) yield text.slice(begin);
}

// "Mr. Smith", "J. Brown" (but not "It was I. He left."): a full stop that does not end a sentence. The Unicode rules
// do not cover this.
const kAbbreviation =
  /(?:^|[\s("'\u201C\u2018\u00AB])(?:Mr|Mrs|Ms|Mx|Dr|Prof|St|Mt|Gen|Capt|Lt|Sgt|Rev|Hon|Mme|Mlle|[A-HJ-Z])\.[^\S\n]+$/u;

/** @param {Iterable<string>} segments */
function* joinUnfinished(segments) {
  let open = '';
  let end = '';
  for (const segment of segments) {
    if (open && !continues(end, segment)) {
      yield open;
      open = '';
    }
    open += segment;
    end = segment.slice(-32);
  }
  if (open) yield open;
}

/**
 * Whether a sentence continues in the next segment: after an abbreviation, and in `"Really?" she said.`
 * @param {string} end of the segment before, its last characters
 * @param {string} next
 */
function continues(end, next) {
  return kAbbreviation.test(end) || (!/\n\s*$/u.test(end) && /^\p{Ll}/u.test(next));
}
