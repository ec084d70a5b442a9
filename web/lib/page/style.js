// The style sheet of <qkv-translate>. A script builds it, because the strictest Content-Security-Policy allows only that.
const kStyle = `
:host { display: inline-block; position: relative; font: 14px/1.4 system-ui, sans-serif; color-scheme: light dark; }
:host([hidden]) { display: none; }
:host([floating]) { position: fixed; inset-block-end: 16px; inset-inline-end: 16px; z-index: 2147483646; }
.bar { display: flex; border: 1px solid #8886; border-radius: 8px; overflow: hidden; background: Canvas; color: CanvasText; }
:host([floating]) .bar { box-shadow: 0 2px 12px #0004; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 8px 12px; cursor: pointer; text-align: start; }
button:hover { background: #8882; }
button:focus-visible { outline: 2px solid Highlight; outline-offset: -2px; }
button[aria-haspopup] { border-inline-start: 1px solid #8886; padding-inline: 10px; }
[role=menu] { position: absolute; inset-block-start: calc(100% + 4px); inset-inline-start: 0; min-width: 100%; margin: 0; padding: 4px;
  box-sizing: border-box; border: 1px solid #8886; border-radius: 8px; background: Canvas; color: CanvasText; box-shadow: 0 2px 12px #0004;
  z-index: 1; max-height: 60vh; overflow: auto; }
:host([floating]) [role=menu] { inset-block: auto calc(100% + 4px); inset-inline: auto 0; }
[role=menu][hidden] { display: none; }
[role=menu] button { display: block; width: 100%; border-radius: 4px; white-space: nowrap; }
[role=menu] button::before { content: ''; display: inline-block; width: 1.4em; }
[role=menu] button[aria-checked=true]::before { content: '✓'; }
[role=menu] hr { border: 0; border-block-start: 1px solid #8886; margin: 4px; }
progress { display: block; width: 100%; height: 3px; border: 0; appearance: none; background: none; }
progress::-webkit-progress-bar { background: none; }
progress::-webkit-progress-value { background: Highlight; }
progress::-moz-progress-bar { background: Highlight; }
progress[hidden] { display: none; }
[role=status] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.error { padding: 4px 12px 8px; max-width: 24em; }
.error:empty { display: none; }
`;

/** @type {CSSStyleSheet | undefined} */
let sheet;

/** The style sheet, which is created once. */
export function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(kStyle);
  }
  return sheet;
}
