// Asks the reader for a Firefox model: its files, or the address of a list of models.

import { registry } from '../../lib/index.js';

/** @typedef {import('./model-picker.js').Given} Given */

/**
 * Shows the panel until the reader gives a model or cancels.
 * @param {Document} root
 * @param {string} from the source language
 * @param {string} [to] the target language; left out: `from` is a proposal, which does not replace typed text
 * @param {string} [why] the reason, which the panel shows
 * @returns {Promise<Given | null>}
 */
export function askForModel(root, from, to, why = '') {
  const find = (/** @type {string} */ name) => /** @type {any} */ (root.querySelector(`#firefox${name && `-${name}`}`));
  const [panel, message] = [find(''), find('message')];
  const ended = new AbortController();
  panel.hidden = false;
  message.textContent = why;
  if (to !== undefined) [find('from').value, find('to').value] = [from, to];
  find('from').value ||= from;
  find('from').focus();
  return new Promise((resolve) => {
    // The panel closes with a model, or with null.
    const end = (/** @type {Given | null} */ given) => {
      ended.abort();
      panel.hidden = true;
      resolve(given);
    };
    const listen = (/** @type {string} */ name, /** @type {string} */ type, /** @type {(event: any) => void} */ act) =>
      find(name).addEventListener(type, act, { signal: ended.signal });
    const attempt = async (/** @type {() => Given | Promise<Given>} */ give) => {
      try {
        end(await give());
      } catch (error) {
        message.textContent = error instanceof Error ? error.message : String(error);
      }
    };
    // The ways to give a model: files, or a list.
    const typed = () => ({ from: languageOf(find('from'), 'from'), to: languageOf(find('to'), 'to') });
    listen('cancel', 'click', () => end(null));
    listen('', 'keydown', ({ key }) => key === 'Escape' && end(null));
    listen('choose', 'click', () => find('files').click());
    listen('files', 'change', () => {
      const files = [...find('files').files];
      find('files').value = ''; // so that the same files can be chosen again
      if (files.length === 0) return;
      const known = pairIn(files.map(({ name }) => name));
      if (known) [find('from').value, find('to').value] = known;
      attempt(() => ({ ...typed(), options: { model: files } }));
    });
    const open = () => attempt(() => fromList(find('list').value.trim(), typed()));
    listen('open', 'click', open);
    listen('list', 'keydown', ({ key }) => key === 'Enter' && open());
  });
}

/**
 * The languages in the names of published files: en and fr for model.enfr.intgemm.alphas.bin.
 * @param {string[]} names
 * @returns {[string, string] | null}
 */
export function pairIn(names) {
  const found = names.map((name) => /^model\.([a-z]{2})([a-z]{2})\./.exec(name)).find((match) => match);
  return found ? [found[1], found[2]] : null;
}

/**
 * @param {string} url
 * @param {{from: string, to: string}} pair
 * @returns {Promise<Given>} rejects with an Error that says what is wrong with it
 */
async function fromList(url, { from, to }) {
  if (url === '') throw new Error('Type the address of a list, such as models/models.json.');
  const list = await registry(url);
  const route = list.route({ sourceLanguage: from, targetLanguage: to });
  const goesBack = list.route({ sourceLanguage: to, targetLanguage: from }).length > 0;
  if (route.length > 0) return { from, to, options: { registry: list }, goesBack };
  const pairs = list.models.map((model) => `${model.sourceLanguage} to ${model.targetLanguage}`);
  throw new Error(`The list has no model from ${from} to ${to}. It has ${pairs.slice(0, 12).join(', ') || 'none'}.`);
}

/**
 * @param {HTMLInputElement} input
 * @param {string} which
 * @returns {string} a BCP 47 tag; throws an Error that says what is wrong with it
 */
function languageOf(input, which) {
  try {
    return new Intl.Locale(input.value.trim()).toString();
  } catch {
    input.focus();
    throw new Error(`Say which language it translates ${which}: type its tag, such as en or cs.`);
  }
}
