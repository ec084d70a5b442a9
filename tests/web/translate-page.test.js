// qkv/page: pages translated in place, while the page changes in every way, and restored to the same nodes.
/* global start */
import { readFileSync as read, readdirSync } from 'node:fs';
import { built, openBrowser } from './chromium.js';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const policy = /content="(default-src[^"]+)"/.exec(read(at('web/demo/parts/head.html'), 'utf8'))[1];
const places = readdirSync(at('tests/web/places')).filter((name) => name.endsWith('.html'));
const shots = process.env.QKV_SHOTS; // a folder: screenshots of each page before and after

let browser;
beforeAll(async () => {
  browser = await openBrowser(built.package);
});
afterAll(() => browser?.close());

/** A page with this HTML; if `strict`, under the demo's Content-Security-Policy. */
const open = (html, { strict = false, ...options } = {}) =>
  browser.open('page.html', options, async (page) => {
    const headers = strict ? { 'content-security-policy': policy } : {};
    await page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: html, headers }));
    await page.route('**/capitals.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: read(at('tests/lib/markup-support.js'), 'utf8') }),
    );
    // Writes words in capitals: it is fast, and its result is known.
    await page.addInitScript(() => {
      globalThis.start = async (options = {}) => {
        const [{ translatePage }, { capitals, inOrder }] = await Promise.all([
          import('/page.js'),
          import('/capitals.js'),
        ]);
        const translator = capitals(inOrder);
        globalThis.calls = [];
        const { translateAligned } = translator;
        translator.translateAligned = async (parts, how) => {
          globalThis.calls.push(parts.map((part) => part.text).join(''));
          if (globalThis.slow) await new Promise((resolve) => setTimeout(resolve, globalThis.slow));
          return translateAligned(parts, how);
        };
        globalThis.page = await translatePage({ translator, ...options });
        await globalThis.page.settled();
        return document.body.innerHTML;
      };
    });
  });

const kArticle = '<!doctype html><html lang="en"><title>A page</title><body>';

test('what is in view is translated, the rest when it is scrolled to', async () => {
  const page = await open(
    `${kArticle}<h1 title="old">The house</h1>${'<p style="height:400px">One <b>two</b>.</p>'.repeat(12)}`,
  );
  await page.evaluate(() => start());
  const done = () => page.evaluate(() => [...document.querySelectorAll('p')].map((p) => p.textContent));
  const first = await done();
  expect(first[0]).toBe('ONE TWO.');
  expect(first.at(-1)).toBe('One two.');
  expect(await page.title()).toBe('A PAGE');
  expect(await page.evaluate(() => [document.documentElement.lang, document.querySelector('h1').title])).toEqual([
    'fr',
    'OLD',
  ]);
  await page.evaluate(async () => {
    scrollTo(0, 1e6);
    await globalThis.page.settled();
  });
  expect((await done()).at(-1)).toBe('ONE TWO.');
  expect(page.complaints).toEqual([]);
});

test('what the page changes is translated again, its own changes are not', async () => {
  const page = await open(
    `${kArticle}<div id="a">One <b>two</b> three.</div><ul><li>four</li></ul><input placeholder="five">`,
  );
  await page.evaluate(() => start());
  const calls = () => page.evaluate(() => globalThis.calls.length);
  const before = await calls();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
  expect(await calls()).toBe(before);
  const after = await page.evaluate(async () => {
    const [a, list, input] = [
      document.querySelector('#a'),
      document.querySelector('ul'),
      document.querySelector('input'),
    ];
    a.lastChild.data = ' six.';
    list.insertAdjacentHTML('beforeend', '<li>seven <i>eight</i></li>');
    input.placeholder = 'nine';
    await globalThis.page.settled();
    const first = [a.innerHTML, list.innerHTML, input.placeholder];
    a.textContent = 'ten';
    list.firstChild.remove();
    document.body.append('eleven');
    await globalThis.page.settled();
    const then = [a.innerHTML, list.innerHTML, document.body.lastChild.data];
    globalThis.page.undo();
    return [...first, ...then, a.innerHTML, list.innerHTML, input.placeholder];
  });
  expect(after).toEqual([
    'ONE <b>TWO</b> SIX.',
    '<li>FOUR</li><li>SEVEN <i>EIGHT</i></li>',
    'NINE',
    'TEN',
    '<li>SEVEN <i>EIGHT</i></li>',
    'ELEVEN',
    'ten',
    '<li>seven <i>eight</i></li>',
    'nine',
  ]);
});

test('shadow roots and frames of the same origin are translated, also those that come later', async () => {
  const page = await open(`${kArticle}<div id="host"></div><iframe srcdoc="<p>in a <b>frame</b></p>"></iframe>`);
  const texts = await page.evaluate(async () => {
    const host = document.querySelector('#host');
    host.attachShadow({ mode: 'open' }).innerHTML = '<p>in a shadow</p>';
    await start();
    host.shadowRoot.querySelector('p').textContent = 'changed';
    const later = document.createElement('div');
    later.attachShadow({ mode: 'open' }).innerHTML = '<p>later</p>';
    document.body.append(later);
    await globalThis.page.settled();
    const frame = document.querySelector('iframe').contentDocument;
    const seen = [host.shadowRoot.innerHTML, frame.body.innerHTML, later.shadowRoot.innerHTML];
    globalThis.page.undo();
    return [...seen, host.shadowRoot.innerHTML, frame.body.innerHTML];
  });
  expect(texts).toEqual([
    '<p>CHANGED</p>',
    '<p>IN A <b>FRAME</b></p>',
    '<p>LATER</p>',
    '<p>changed</p>',
    '<p>in a <b>frame</b></p>',
  ]);
});

test('what is not to be translated stays, also when it changes', async () => {
  const page = await open(
    `${kArticle}<div translate="no"><p id="a">one</p><div id="host"></div></div><p>two <code id="b">three</code></p>`,
  );
  const html = await page.evaluate(async () => {
    const host = document.querySelector('#host');
    host.attachShadow({ mode: 'open' }).innerHTML = '<p>four</p>';
    await start();
    document.querySelector('#a').textContent = 'five';
    document.querySelector('#a').after('six');
    document.querySelector('#b').textContent = 'seven';
    host.shadowRoot.append('eight');
    await globalThis.page.settled();
    return document.body.innerHTML + host.shadowRoot.innerHTML;
  });
  expect(html).toBe(
    '<div translate="no"><p id="a">five</p>six<div id="host"></div></div><p>TWO <code id="b">seven</code></p><p>four</p>eight',
  );
});

test('undo restores the very nodes, with listeners, selection and focus', async () => {
  const page = await open(
    `${kArticle}<p>One <a href="#x">two <i>three</i></a> four <button>five</button><select><option>six</select></p><input value="me">`,
  );
  const { same, html, clicks, selected, focused, translated } = await page.evaluate(async () => {
    const nodes = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
      const list = [];
      while (walker.nextNode()) list.push(walker.currentNode);
      return list;
    };
    const before = nodes();
    const was = document.documentElement.outerHTML;
    let clicks = 0;
    document.querySelector('a').addEventListener('click', () => clicks++);
    const { firstChild } = document.querySelector('p');
    getSelection().setBaseAndExtent(firstChild, 1, firstChild, 3);
    document.querySelector('a').focus();
    const { capitals, backwards } = await import('/capitals.js');
    const translator = capitals(backwards);
    await start({ translator });
    const translated = document.querySelector('p').innerHTML;
    document.querySelector('a').click();
    globalThis.page.undo();
    document.querySelector('a').click();
    const after = nodes();
    const { anchorNode, anchorOffset, focusOffset } = getSelection();
    return {
      translated,
      same: before.length === after.length && before.every((node, i) => node === after[i]),
      html: document.documentElement.outerHTML === was,
      clicks,
      selected: anchorNode === firstChild && [anchorOffset, focusOffset],
      focused: document.activeElement.localName,
    };
  });
  expect(translated).toContain('<a href="#x"><i>THREE</i> TWO</a>');
  expect({ same, html, clicks, focused }).toEqual({ same: true, html: true, clicks: 2, focused: 'a' });
  expect(selected).toEqual([1, 3]);
});

test('in the bilingual mode each text stays, with its translation beneath', async () => {
  const page = await open(`${kArticle}<p id="p">One <b id="b">two</b>.</p><ul><li>three</li></ul>`);
  const [shown, undone] = await page.evaluate(async () => {
    const shown = await start({ bilingual: true });
    document.querySelector('li').append(' four');
    await globalThis.page.settled();
    const changed = document.querySelector('li').textContent;
    globalThis.page.undo();
    return [[shown, changed], document.body.innerHTML];
  });
  expect(shown[0]).toMatch(
    /<p id="p">One <b id="b">two<\/b>\.<span [^>]*lang="fr"[^>]*>ONE <b>TWO<\/b>\.<\/span><\/p>/,
  );
  expect(shown[1]).toBe('three fourTHREE FOUR');
  expect(undone).toBe('<p id="p">One <b id="b">two</b>.</p><ul><li>three four</li></ul>');
});

test('an abort ends it, and two at once do not fight', async () => {
  const page = await open(`${kArticle}${'<p>one two</p>'.repeat(400)}`);
  const result = await page.evaluate(async () => {
    globalThis.slow = 20;
    const controller = new AbortController();
    const starting = start({ signal: controller.signal });
    while (!globalThis.calls?.length) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await starting;
    const partly = document.body.textContent;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const calm = document.body.textContent === partly;
    globalThis.slow = 0;
    const first = globalThis.page;
    await Promise.all([start(), start({ bilingual: true })]);
    const both = document.querySelector('p').textContent;
    globalThis.page.undo();
    first.undo();
    return { isPart: /ONE/.test(partly) || /one/.test(partly), calm, both, end: document.body.innerHTML };
  });
  expect(result.calm).toBe(true);
  expect(['one twoONE TWO', 'ONE TWO']).toContain(result.both);
  expect(result.end).toBe('<p>one two</p>'.repeat(400));
  expect(page.complaints).toEqual([]);
});

test('nodes that the page takes away while they are translated are let go', async () => {
  const page = await open(`${kArticle}<div id="a">${'<p>one <b>two</b></p>'.repeat(60)}</div>`);
  const html = await page.evaluate(async () => {
    globalThis.slow = 30;
    const starting = start();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const a = document.querySelector('#a');
    for (const [i, p] of [...a.children].entries()) {
      if (i % 3 === 0) p.remove();
      else if (i % 3 === 1) p.firstElementChild.replaceWith('three');
      else p.append(document.createElement('i'));
    }
    await starting;
    await globalThis.page.settled();
    return a.innerHTML;
  });
  expect(html).toBe('<p>ONE THREE</p><p>ONE <b>TWO</b><i></i></p>'.repeat(20));
  expect(page.complaints).toEqual([]);
});

test('translations are put into the page for 8 ms at a time', async () => {
  // Small enough for the window: texts outside are translated later.
  const text = '<p style="margin:0;font-size:1px;line-height:1px">one</p>';
  const page = await open(kArticle + text.repeat(500));
  const counts = await page.evaluate(async () => {
    let time = 0;
    performance.now = () => ++time; // each look at the clock takes a millisecond: one for each text
    const together = [];
    const watch = (records) => together.push(new Set(records.map(({ target }) => target)).size);
    new MutationObserver(watch).observe(document.body, { childList: true, subtree: true, characterData: true });
    await start();
    return together;
  });
  expect(counts.reduce((sum, count) => sum + count)).toBe(500);
  expect(Math.max(...counts)).toBe(8);
});

test('frames stay short on a page of 5,000 texts', async () => {
  const text = '<p style="margin:0;font-size:1px;line-height:1px">One <b>two</b> three <i>four</i>.</p>';
  const page = await open(kArticle + text.repeat(1000));
  await page.evaluate(() => start({ root: document.createElement('p') }));
  // The long-task API also counts time in which other processes run. A trace has the time of each task alone.
  const chromium = page.context().browser();
  await chromium.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
  });
  await page.evaluate(() => start());
  const { traceEvents } = JSON.parse(String(await chromium.stopTracing()));
  expect(await page.evaluate(() => document.body.textContent.replace(/[^a-z]/g, ''))).toBe('');
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isMain = ({ pid, tid }) => threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = traceEvents.filter((event) => /RunTask$/.test(event.name) && event.tdur !== undefined && isMain(event));
  expect(tasks.length).toBeGreaterThan(100);
  // The longest task is compared with the time of all tasks, because each task takes longer on a slow machine.
  const longest = Math.max(...tasks.map(({ tdur }) => tdur));
  const all = tasks.reduce((sum, { tdur }) => sum + tdur, 0);
  expect(longest / all).toBeLessThan(0.1);
}, 120_000);

describe('pages of many kinds', () => {
  test.each(places)(
    '%s keeps its form, and is put back',
    async (name) => {
      const page = await open(read(at(`tests/web/places/${name}`), 'utf8'));
      await page.waitForTimeout(500);
      if (shots) await page.screenshot({ path: `${shots}/${name}.before.png` });
      const form = () =>
        page.evaluate(() => {
          const tags = [...document.querySelectorAll('*')].map((element) => element.localName).sort();
          const { scrollHeight, scrollWidth } = document.documentElement;
          return { tags: tags.join(' '), scrollHeight, scrollWidth, text: document.body.innerText };
        });
      const before = await form();
      const html = await page.evaluate(() => document.documentElement.outerHTML);
      await page.evaluate(async () => {
        const { translatePage } = await import('/page.js');
        const { default: model } = await import('/models/en-fr/index.js');
        globalThis.page = await translatePage({ to: 'fr', model });
        await globalThis.page.settled();
      });
      if (shots) await page.screenshot({ path: `${shots}/${name}.after.png` });
      const after = await form();
      expect(after.tags).toBe(before.tags);
      expect(after.scrollWidth).toBeLessThanOrEqual(before.scrollWidth + 8);
      expect(after.scrollHeight).toBeLessThan(1.5 * before.scrollHeight);
      expect(after.text).not.toBe(before.text);
      expect(after.text).toMatch(/\b(le|la|les|de|une?|vous|est)\b/i);
      await page.evaluate(() => globalThis.page.undo());
      expect(await page.evaluate(() => document.documentElement.outerHTML)).toBe(html);
      expect(page.complaints).toEqual([]);
      await page.close();
    },
    60_000,
  );
});
