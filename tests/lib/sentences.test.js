import { roughSegments, splitSentences } from '../../web/lib/text/sentences.js';

const sentences = (text, longest) =>
  splitSentences(text, 'en', longest)
    .filter((part) => part.sentence)
    .map((part) => part.text);
const joined = (text, longest) =>
  splitSentences(text, 'en', longest)
    .map((part) => part.text)
    .join('');

describe('splitSentences', () => {
  test('finds sentences and leaves the white space between them', () => {
    expect(splitSentences(' Hello there.  How are you?\n\nFine!\t', 'en')).toEqual([
      { text: ' ', sentence: false },
      { text: 'Hello there.', sentence: true },
      { text: '  ', sentence: false },
      { text: 'How are you?', sentence: true },
      { text: '\n\n', sentence: false },
      { text: 'Fine!', sentence: true },
      { text: '\t', sentence: false },
    ]);
  });

  test('a line is a sentence, whether it ends in a mark or not', () => {
    expect(sentences('A title\nA sentence.\r\nanother line')).toEqual(['A title', 'A sentence.', 'another line']);
  });

  test('full stops within a sentence do not end it', () => {
    expect(sentences('Mr. Smith met Dr. Jones. They spoke.')).toEqual(['Mr. Smith met Dr. Jones.', 'They spoke.']);
    expect(sentences('John F. Kennedy spoke. It was I. He left.')).toEqual([
      'John F. Kennedy spoke.',
      'It was I.',
      'He left.',
    ]);
    expect(sentences('It costs $3.50, e.g. here. Yes.')).toEqual(['It costs $3.50, e.g. here.', 'Yes.']);
    expect(sentences('"Really?" she said. "Yes."')).toEqual(['"Really?" she said.', '"Yes."']);
  });

  test('empty text has no parts, white space alone is one', () => {
    expect(splitSentences('', 'en')).toEqual([]);
    expect(splitSentences(' \n\u00a0', 'en')).toEqual([{ text: ' \n\u00a0', sentence: false }]);
  });

  test('a sentence that is too long is cut after a clause, a word, a code point, in this order', () => {
    expect(sentences('one two three, four five six', 20)).toEqual(['one two three,', 'four five six']);
    expect(sentences('one two three four five six', 20)).toEqual(['one two three four', 'five six']);
    expect(sentences('\u{1F600}'.repeat(5), 5)).toEqual(['\u{1F600}\u{1F600}', '\u{1F600}\u{1F600}', '\u{1F600}']);
  });

  test('no part is lost or changed, and none is too long, whatever the text', () => {
    const alphabet = [
      'a',
      'B',
      '. ',
      '.',
      '? ',
      ', ',
      ' ',
      '\n',
      '\r\n',
      '"',
      '\u3002',
      '\u{1F600}',
      '\ud800',
      '\0',
      'Mr. ',
    ];
    let state = 7;
    const random = (below) => (state = (state * 48271) % 2147483647) % below;
    for (let round = 0; round < 100; ++round) {
      const text = Array.from({ length: random(400) }, () => alphabet[random(alphabet.length)]).join('');
      const parts = splitSentences(text, 'en', 30);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      expect(parts.filter((part) => part.sentence && part.text.length > 30)).toEqual([]);
      expect(parts.filter((part) => (part.text.trim() !== '') !== part.sentence)).toEqual([]);
    }
  });

  test.each([
    ['points', '.'.repeat(1e6)],
    ['spaces', `${' '.repeat(5e5)}x${' '.repeat(5e5)}`],
    ['initials', 'A. '.repeat(1e5)],
    ['one word', 'a'.repeat(1e6)],
    ['clauses', 'a, '.repeat(3e5)],
    ['lines', 'a\n'.repeat(1e5)],
  ])('takes time in proportion to the text: %s', (_, text) => {
    const begin = performance.now();
    expect(joined(text, 510)).toBe(text);
    expect(performance.now() - begin).toBeLessThan(10_000); // quadratic time would take minutes
  });
});

describe('without Intl.Segmenter', () => {
  const { Segmenter } = Intl;
  afterEach(() => (Intl.Segmenter = Segmenter));

  test('ordinary text is split in the same way', () => {
    const text = 'Hello there. How are you?  I am fine!\n\n"Really?" she said. It costs $3.50, e.g. here... Yes.\nNo';
    const expected = splitSentences(text, 'en');
    Intl.Segmenter = undefined;
    expect(splitSentences(text, 'en')).toEqual(expected);
  });

  test('ideographic marks end sentences without white space', () => {
    expect([...roughSegments('\u4f60\u597d\u3002\u518d\u89c1\u3002')]).toEqual([
      '\u4f60\u597d\u3002',
      '\u518d\u89c1\u3002',
    ]);
  });
});
