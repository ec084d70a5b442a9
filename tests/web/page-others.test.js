// qkv/page and markup in Firefox and in the engine of Safari, with their own parser and DOM.
import { dirname } from 'node:path';
import { built } from './chromium.js';
import { testInOtherBrowsers } from './other-browsers.js';

const kRoot = built.package.slice(dirname(built.package).length);

/** Runs in the page: HTML as a string, nodes in place, a page and its changes, and the restored page. */
const use = async ([root, model]) => {
  const [{ Translator }, { translatePage }] = await Promise.all([
    import(`${root}/index.js`),
    import(`${root}/page.js`),
  ]);
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model });
  const results = [];
  const fragment =
    '<tr><td>My brother lives in a <a href="x">big <b>white</b> house</a>.<script>globalThis.bad = 1;</script>';
  results.push(await translator.translate(fragment, { format: 'html' }));
  results.push(
    await translator.translate('<!doctype html><title>Thank you!</title><p>&lt;b&gt; Hello!', { format: 'html' }),
  );
  document.body.innerHTML = '<div id="own"><p>I love <i>Boston</i>.</p><ul><li>Thank you!</li></ul></div>';
  const own = document.querySelector('#own');
  const was = own.innerHTML;
  const page = await translatePage({ translator, root: own });
  await page.settled();
  results.push(own.innerHTML);
  own.querySelector('li').textContent = 'My house';
  await page.settled();
  results.push(own.querySelector('li').textContent);
  page.undo();
  results.push(own.innerHTML === was.replace('Thank you!', 'My house'), globalThis.bad === undefined);
  translator.destroy();
  return results;
};

const kResults = [
  '<tr><td>Mon frère vit dans une <a href="x">grande maison <b>blanche</b></a>.<script>globalThis.bad = 1;</script></td></tr>',
  '<!doctype html><html><head><title>Merci !</title></head><body><p>&lt;b&gt; Bonjour !</p></body></html>',
  "<p>J'adore <i>Boston</i>.</p><ul><li>Merci !</li></ul>",
  'Ma maison',
  true,
  true,
];

testInOtherBrowsers(
  'empty.html',
  async (page) => expect(await page.evaluate(use, [kRoot, '/web/models/en-fr/'])).toEqual(kResults),
  { folder: dirname(built.package) },
);
