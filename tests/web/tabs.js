// Finds the elements that Tab reaches, and those that a pointer can use. Both must be the same.

/** The name of a control for a test. A radio group, or a row with one tab stop, has one name. */
const stopOf = (element) => {
  if (element.matches('input[type=radio]')) return `radio ${element.name}`;
  const row = element.closest('qkv-pieces, qkv-heads, .words, [role=toolbar]');
  if (row?.matches('.words')) return 'words';
  if (row?.id) return row.id;
  if (row) return row.localName + (row.getAttribute('side') ? ` ${row.getAttribute('side')}` : '');
  const where = element.closest('[id]');
  return `${where?.id ?? ''} ${element.localName} ${element.value ?? ''} ${element.textContent.trim().slice(0, 20)}`;
};

/** All elements that Tab reaches, until it has passed the end of the page twice. */
export async function stops(page) {
  const seen = new Set();
  for (let rounds = 0, presses = 0; rounds < 2 && presses < 150; ++presses) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(
      `document.activeElement === document.body ? '' : (${stopOf})(document.activeElement)`,
    );
    if (stop === '') ++rounds;
    seen.add(stop);
  }
  return seen;
}

/** All elements that a pointer can use: those that are visible and take a click or text. */
export const controls = (page) =>
  page.evaluate(`
    [...document.querySelectorAll('a[href], button, input, textarea, summary, [tabindex="0"]')]
      .filter((element) => element.checkVisibility() && !element.disabled && !element.hidden)
      .map(${stopOf})`);
