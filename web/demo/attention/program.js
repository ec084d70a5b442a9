// The card that shows the state as a program.

import { cppOf, javascriptOf } from './code.js';
import { button, make, segmented } from '../shared/dom.js';
import { texts } from './texts.js';

/** @typedef {import('./state.js').State} State */

/** @param {HTMLElement} host @returns {(state: State | null) => void} shows a state; null: the state cannot be computed */
export function bindProgram(host) {
  let language = 'javascript';
  /** @type {State | null} */
  let shown = null;
  const code = make('code');
  const message = make('span', { role: 'status' });
  const choice = segmented(
    texts.program.language,
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
  // The button that copies the program, and the program itself, which is written only while the card is open.
  const copy = button(texts.program.copy, async () => {
    await navigator.clipboard.writeText(code.textContent).then(
      () => (message.textContent = texts.program.copied),
      () => (message.textContent = texts.program.byHand),
    );
  });
  const draw = () => {
    message.textContent = '';
    if (!isOpen()) return;
    const text = shown ? (language === 'cpp' ? cppOf(shown) : javascriptOf(shown)) : `// ${texts.program.misfit}\n`;
    if (code.textContent !== text) code.textContent = text;
  };
  const isOpen = () => /** @type {HTMLDetailsElement} */ (host.parentElement).open;
  host.parentElement?.addEventListener('toggle', draw);
  host.append(
    make('div.code-tools', {}, choice.node, copy, message),
    make('pre', { tabIndex: 0, 'aria-label': texts.program.name }, code),
    make('p.caption', {}, texts.program.prints),
  );
  host.querySelector('pre')?.setAttribute('role', 'region');
  return (state) => {
    shown = state;
    draw();
  };
}
