// Translated markup: nothing of it is lost, text never becomes markup, and elements enclose the words that correspond.
import { execFileSync } from 'node:child_process';
import * as htmlparser2 from 'htmlparser2';
import { translateHtml, translateNode } from '../../web/lib/markup/index.js';
import { TreeElement, TreeText, readTree, writeTree } from '../../web/lib/markup/tree.js';
import { measureLinks, readLinks } from '../markup/links.mjs';
import { backwards, capitals, chance, fragment, inOrder, sentences, shuffled, skeleton } from './markup-support.js';
import { at, create, rejection } from './support.js';

const parser = htmlparser2;
const asTree = (html) => readTree(html, htmlparser2);
const skeletonOf = (html) => skeleton(asTree(html), { TreeElement, TreeText });
const written = (html, order = inOrder) => translateHtml(capitals(order), html, {}, parser);

describe('by a translator that changes all words', () => {
  test('elements stay around their words', async () => {
    const html =
      '<p class=x>My <a href="a?b&amp;c" title="An &quot;old&quot; cat">old house</a> is <b>very <i>big</i></b>.</p>';
    expect(await written(html)).toBe(
      '<p class=x>MY <a href="a?b&amp;c" title="AN &quot;OLD&quot; CAT">OLD HOUSE</a> IS <b>VERY <i>BIG</i></b>.</p>',
    );
    expect(await written('<a>one two</a> three <b>four</b> five', backwards)).toBe(
      'FIVE <b>FOUR</b> THREE <a>TWO ONE</a>',
    );
  });

  test.each([
    [
      'code and its like stay',
      'Run <code>npm i</code> now, <kbd>Ctrl</kbd>',
      'RUN <code>npm i</code> NOW, <kbd>Ctrl</kbd>',
    ],
    [
      'what is not to be translated stays',
      'a <b translate="no">b c</b> <i class="x notranslate">d</i>',
      'A <b translate="no">b c</b> <i class="x notranslate">d</i>',
    ],
    [
      'unless it is wanted inside',
      '<p translate=no>a <b translate=yes>b</b></p>',
      '<p translate=no>a <b translate=yes>B</b></p>',
    ],
    [
      'other languages stay',
      'the word <i lang="de">der Hund</i> is <b lang="en-GB">old</b>',
      'THE WORD <i lang="de">der Hund</i> IS <b lang="en-GB">OLD</b>',
    ],
    [
      'scripts, styles, comments stay',
      '<script>let a = "<b>";</script><style>a{}</style><!-- no -->x',
      '<script>let a = "<b>";</script><style>a{}</style><!-- no -->X',
    ],
    [
      'pre, textarea, math, svg stay',
      '<pre>a  b</pre><textarea>c</textarea><math><mi>d</mi></math><svg><text>e</text></svg>',
      '<pre>a  b</pre><textarea>c</textarea><math><mi>d</mi></math><svg><text>e</text></svg>',
    ],
    ['entities mean what they meant', '&lt;b&gt; &amp;amp; x &copy;', '&lt;B&gt; &amp;AMP; X ©'],
    [
      'what has no words is written as it was',
      '<p>&copy;&nbsp;12 &mdash; 3<br/></p>',
      '<p>&copy;&nbsp;12 &mdash; 3<br/></p>',
    ],
    [
      'attributes are translated',
      '<img alt="a cat"><input placeholder="b" aria-label="c" value="d"><input type=submit value="Go">',
      '<img alt="A CAT"><input placeholder="B" aria-label="C" value="d"><input type=submit value="GO">',
    ],
    [
      'options send what they sent',
      '<select><optgroup label="x"><option>one <option value="2">two</select>',
      '<select><optgroup label="X"><option value="one">ONE </option><option value="2">TWO</option></optgroup></select>',
    ],
    ['a break parts sentences', 'one two<br>three', 'ONE TWO<br>THREE'],
    ['an element may hold a break', '<b>one<br>two</b> three', '<b>ONE<br>TWO</b> THREE'],
    ['a part of a word takes it whole', 'un<b>believ</b>able', '<b>UNBELIEVABLE</b>'],
    [
      'a note stays behind its word',
      'one<sup><a href="#1">[1]</a></sup> two',
      'ONE<sup><a href="#1">[1]</a></sup> TWO',
    ],
    [
      'empty elements stay by their neighbours',
      '<a id=t></a>one <img src=x> two<wbr>',
      '<a id=t></a>ONE <img src=x> TWO<wbr>',
    ],
    ['marks of direction stay', 'one\u200F <bdi>two</bdi>', 'ONE\u200F <bdi>TWO</bdi>'],
    ['a menu is several texts', '<a>Home</a><a>News</a> | <a>About us</a>', '<a>HOME</a><a>NEWS</a> | <a>ABOUT US</a>'],
    ['punctuation stays out, or in', '"<b>one</b>", <i>two!</i>', '"<b>ONE</b>", <i>TWO!</i>'],
    [
      'white space between blocks stays',
      '<ul>\n  <li>one</li>\n\t<li>two</li>\n</ul>',
      '<ul>\n  <li>ONE</li>\n\t<li>TWO</li>\n</ul>',
    ],
    ['white space between sentences stays', 'One.\n\n  Two.', 'ONE.\n\n  TWO.'],
    ['a block in a link parts texts', '<a>one<div>two</div></a>', '<a>ONE<div>TWO</div></a>'],
    ['what is left open is closed', '<p>one <b>two<p>three', '<p>ONE <b>TWO<p>THREE</p></b></p>'],
    ['crossing tags are as the parser has them', '<b>one <i>two</b> three</i>', '<b>ONE <i>TWO</i></b> THREE'],
  ])('%s', async (_, html, expected) => {
    expect(await written(html)).toBe(expected);
  });

  test('line breaks in the source do not separate sentences', async () => {
    const seen = [];
    const translator = capitals(inOrder);
    const { translateAligned } = translator;
    translator.translateAligned = (parts, options) => (seen.push(...parts), translateAligned(parts, options));
    const html = '<p>One <b>two.\nThree</b>\n four.</p><p>Run <code>a. B</code> now.</p>';
    await translateHtml(translator, html, {}, parser);
    expect(seen.filter((part) => part.sentence).map((part) => part.text)).toEqual([
      'One two.',
      'Three  four.',
      'Run a. B now.',
    ]);
    expect(seen.at(-1).kept).toEqual([[4, 8]]);
  });

  test('10,000 random fragments lose no element and no text', async () => {
    for (let i = 0; i < 10_000; i++) {
      const html = fragment(chance(i), { careless: i % 4 === 0, depth: i % 50 === 0 ? 2 : 1 });
      const translator = capitals([inOrder, backwards, shuffled][i % 3], { seed: i, noise: i % 5 ? 0 : 0.3 });
      const translated = await translateHtml(translator, html, {}, parser);
      const [before, after] = [skeletonOf(html), skeletonOf(translated)];
      const isSame = JSON.stringify(before) === JSON.stringify(after) && writeTree(asTree(translated)) === translated;
      if (!isSame) expect({ html, translated, ...after }).toEqual({ html, translated, ...before });
      if (!isSame) throw new Error(`not well formed: ${html}\n${translated}`);
    }
  }, 300_000);
});

describe('by a model', () => {
  let translator;
  beforeAll(async () => {
    translator = await create();
  });
  afterAll(() => translator.destroy());
  const html = (text, options) => translator.translate(text, { format: 'html', parser, ...options });

  test('a page keeps its elements', async () => {
    expect(await html('<p>My brother lives in a <a href="x">big <b>white</b> house</a>.</p>')).toBe(
      '<p>Mon frère vit dans une <a href="x">grande maison <b>blanche</b></a>.</p>',
    );
    expect(await html('<p>It costs <b>$1,234.56</b> at https://x.org/a?b=c &#128512;</p>')).toMatch(
      /<b>\$1,234\.56<\/b>.*https:\/\/x\.org\/a\?b=c.*\u{1F600}/u,
    );
    expect(await html('<p>You need <code>npm install</code> for <b>that</b>.</p>')).toMatch(
      /<code>npm install<\/code>.*<b>/,
    );
    expect(await html('<p>The cat (<i lang="la">Felis catus</i>) is a small animal.</p>')).toContain(
      '(<i lang="la">Felis catus</i>)',
    );
    expect(await html('The <b>cat</b> is here.', { glossary: { cat: 'minou' } })).toContain('<b>minou</b>');
  });

  test('scripts in text stay text', async () => {
    const text = '&lt;script&gt;alert(1)&lt;/script&gt; is a script. &lt;img src=x onerror=alert(1)&gt;';
    const translated = await html(`<p>${text}</p><p title="${text.replaceAll('"', '')}">Hello!</p>`);
    expect(skeletonOf(translated).elements).toEqual(['<p> in ', '<p> in ']);
    expect(translated).not.toMatch(/<(?!\/?p\b)/);
  });

  test('200 random fragments lose no element and no text', async () => {
    const greedy = await create({ beam: 1 });
    for (let i = 0; i < 200; i++) {
      const source = fragment(chance(20_000 + i), { careless: i % 4 === 0, words: sentences, depth: 0 });
      const translated = await greedy.translate(source, { format: 'html', parser });
      const [{ letters: _, ...before }, { letters: __, ...after }] = [skeletonOf(source), skeletonOf(translated)];
      expect({ source, ...after }).toEqual({ source, ...before });
      expect(writeTree(asTree(translated))).toBe(translated);
    }
    greedy.destroy();
  }, 300_000);

  test('links are around the words with the same meaning', async () => {
    const { links, right, changed } = await measureLinks(readLinks(), parser);
    expect(changed).toEqual([]);
    expect(links).toBeGreaterThanOrEqual(200);
    expect(right / links).toBeGreaterThanOrEqual(0.95);
  }, 120_000);

  test('elements are also placed by two models one after the other', async () => {
    const both = await create({ model: [at('web/models/en-fr'), at('web/models/en-fr')] });
    // French text, read as English: carried texts survive both translations, and so do elements.
    const translated = await both.translate('I love <b>Boston</b> and <code>x.y()</code>.', { format: 'html', parser });
    expect(translated).toMatch(/<b>Boston<\/b>.*<code>x\.y\(\)<\/code>/);
    both.destroy();
  });

  test('without carrying, kept parts go beside their neighbours', async () => {
    expect(await html('Please open <code>a b</code>', { copy: false })).toMatch(/<code>a b<\/code>$/);
  });

  test('a tree is translated in place', async () => {
    const root = asTree('<div><p>Thank you!</p></div>');
    const [paragraph] = [root.firstChild.firstChild];
    await translator.translateFragment(paragraph);
    expect(writeTree(root)).toBe('<div><p>Merci !</p></div>');
    expect(root.firstChild.firstChild).toBe(paragraph);
  });

  test('an unsupported call is reported', async () => {
    expect(await rejection(html(5))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await rejection(html('x'.repeat(1_000_001)))).toMatchObject({ name: 'QuotaExceededError' });
    expect(await rejection(html('x', { split: false }))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'split' });
    expect(await rejection(html('x', { parser: {} }))).toMatchObject({ code: 'INVALID_ARGUMENT', where: 'parser' });
    expect(await rejection(translator.translate('x', { format: 'xml' }))).toMatchObject({ where: 'format' });
    expect(await rejection(translator.translateFragment('x'))).toMatchObject({ where: 'node' });
    expect(await rejection(html('<p>Hello', { signal: AbortSignal.abort('stop') }))).toBe('stop');
    const gone = await create();
    gone.destroy();
    expect(await rejection(gone.translate('<p>Hello', { format: 'html', parser }))).toMatchObject({
      name: 'AbortError',
    });
  });
});

test('in Node the parser is found where it is installed', () => {
  const script = `import { Translator } from ${JSON.stringify(new URL('../../web/lib/index.js', import.meta.url).href)};
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
    console.log(await translator.translate('<b>Thank you</b>', { format: 'html' }));`;
  const options = { cwd: at(''), encoding: 'utf8' };
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], options).trim()).toBe('<b>Merci</b>');
});

describe('hostile', () => {
  test.each([
    ['deep', '<b>'.repeat(10_000) + 'x'],
    ['deep blocks', '<div>x '.repeat(10_000)],
    ['deep blocks in inline elements', '<b><div>x '.repeat(5_000)],
    ['wide', '<b>x</b> '.repeat(30_000)],
    ['one line of links', '<a href=x>y</a>'.repeat(20_000)],
    ['never closed', '<a b="<p>'.repeat(20_000)],
    ['never opened', '</b></p>'.repeat(50_000)],
    ['crossing', '<b><i></b></i>x'.repeat(10_000)],
    ['nothing but spaces', `<b> ${'<i> </i>'.repeat(20_000)} </b>x`],
    ['one word', 'x'.repeat(100_000)],
    ['entities', '&lt;'.repeat(20_000)],
    ['comments', '<!--'.repeat(50_000)],
  ])(
    '%s',
    async (_, html) => {
      const translated = await written(html);
      expect(JSON.stringify(skeletonOf(translated)) === JSON.stringify(skeletonOf(html))).toBe(true);
    },
    60_000,
  );

  test('two million letters of HTML are translated in place', async () => {
    const unit = '<div class="x"><p>Hello <b>my <a href="http://x.y/z">dear</a></b> friend.</p><!-- a --></div>\n';
    const root = asTree(unit.repeat(2_000_000 / unit.length));
    const elements = skeleton(root, { TreeElement, TreeText }).elements.length;
    await translateNode(capitals(inOrder), root, {});
    const translated = writeTree(root);
    expect(
      translated.startsWith(
        '<div class="x"><p>HELLO <b>MY <a href="http://x.y/z">DEAR</a></b> FRIEND.</p><!-- a --></div>\n',
      ),
    ).toBe(true);
    expect(skeleton(root, { TreeElement, TreeText }).elements).toHaveLength(elements);
  }, 120_000);
});
