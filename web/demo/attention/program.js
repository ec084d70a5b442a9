// The card with the state as a program.

import { cppOf, javascriptOf } from './code.js';
import { button, make, segmented } from '../shared/dom.js';

/** @typedef {import('./state.js').State} State */

/** @param {HTMLElement} host @returns {(state: State | null) => void} shows a state; null: one that does not compute */
export function bindProgram(host) {
  let language = 'javascript';
  /** @type {State | null} */
  let shown = null;
  const code = make('code');
  const said = make('span', { role: 'status' });
  const choice = segmented(
    'Language',
    [
      ['javascript', 'JavaScript'],
      ['cpp', 'C++'],
    ],
    (value) => {
      language = value;
      draw();
    },
  );
  choice.set(language);
  const copy = button('Copy', async () => {
    await navigator.clipboard.writeText(code.textContent).then(
      () => (said.textContent = 'Copied.'),
      () => (said.textContent = 'Select the text and copy it: this browser does not let the page.'),
    );
  });
  const draw = () => {
    said.textContent = '';
    if (!isOpen()) return;
    const text = shown ? (language === 'cpp' ? cppOf(shown) : javascriptOf(shown)) : '// The sizes do not fit yet.\n';
    if (code.textContent !== text) code.textContent = text;
  };
  const isOpen = () => /** @type {HTMLDetailsElement} */ (host.parentElement).open;
  host.parentElement?.addEventListener('toggle', draw);
  host.append(
    make('div.code-tools', {}, choice.node, copy, said),
    make('pre', { tabIndex: 0, 'aria-label': 'The program' }, code),
    make('p.caption', {}, 'It prints the scores, the logits, the weights and the output that the page shows.'),
  );
  host.querySelector('pre')?.setAttribute('role', 'region');
  return (state) => {
    shown = state;
    draw();
  };
}
