// A menu item that translates selected text into French. A background script may not import anything at run time:
// `qkv/static` puts the engine into the script itself.
import './node_modules/qkv/static.js';
import { Translator } from './node_modules/qkv/index.js';
import enFr from './node_modules/qkv-en-fr/index.js';

let creating;

/** The browser ends an idle script, and the translator with it. The next call creates a new one. */
async function translate(text) {
  creating ??= Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: enFr });
  return (await creating).translate(text);
}

/** Runs in the tab: shows a text. */
const show = (text) => alert(text);

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.create({ id: 'translate', title: 'Say “%s” in French', contexts: ['selection'] });
});
chrome.contextMenus.onClicked.addListener(async ({ selectionText }, tab) => {
  const text = await translate(selectionText).catch((error) => error.message);
  await chrome.scripting.executeScript({ target: { tabId: tab.id }, func: show, args: [text] });
});

globalThis.translate = translate; // for the console of the background script
