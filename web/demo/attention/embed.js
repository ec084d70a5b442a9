// Shows the page as a figure in another page: `attention.html?embed#…` in an iframe.

/** The height of the iframe in pixels. On a wide page it has room for the figure of each lesson. */
const kHeight = 640;

/**
 * Shows only the figure and a link to the whole page. With `embed=all` it also shows the stages and the choices.
 * @param {Document} root
 */
export function showEmbedded(root) {
  const wanted = new URLSearchParams(location.search).get('embed');
  if (wanted === null) return;
  root.documentElement.dataset.embed = wanted === 'all' ? 'all' : 'figure';
  const whole = /** @type {HTMLElement} */ (root.getElementById('whole'));
  whole.hidden = false;
  // The state is in the address, which changes as the figure is used.
  whole.addEventListener('click', (event) => {
    const link = /** @type {Element} */ (event.target).closest('a');
    if (link) link.href = withoutEmbed(location.href);
  });
}

/** @param {string} href */
function withoutEmbed(href) {
  const url = new URL(href);
  url.searchParams.delete('embed');
  return url.href;
}

/**
 * The HTML tag that shows a state in another page.
 * @param {string} href of the state
 * @param {string} title
 */
export function tagOf(href, title) {
  const url = new URL(href);
  url.searchParams.set('embed', '');
  const address = url.href.replace('embed=&', 'embed&').replace(/embed=(?=#|$)/, 'embed');
  const quoted = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<iframe src="${quoted(address)}" title="${quoted(title)}" width="100%" height="${kHeight}" style="border: 0"></iframe>`;
}
