// The switch of the theme. Auto follows the system. The reader's choice is stored.

const kStored = 'qkv-theme';

/** @param {HTMLFieldSetElement} choices radio buttons named `theme` */
export function bindTheme(choices) {
  const radios = /** @type {NodeListOf<HTMLInputElement>} */ (choices.querySelectorAll('input'));
  const theme = stored();
  for (const radio of radios) radio.checked = radio.value === theme;
  apply(theme);
  choices.addEventListener('change', (event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    apply(value);
    try {
      localStorage.setItem(kStored, value);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });
}

/** @param {string} theme */
function apply(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function stored() {
  try {
    const theme = localStorage.getItem(kStored);
    return theme === 'light' || theme === 'dark' ? theme : 'auto';
  } catch {
    return 'auto';
  }
}
