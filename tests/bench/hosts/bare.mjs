// Pages that Playwright does not watch. It reads along what its pages download, so that the end of a file of 17 MB comes to the page
// a tenth of a second late.

/**
 * @typedef {object} BarePage
 * @property {(method: string, params?: object) => Promise<any>} send a command of the DevTools protocol
 * @property {(run: (given: any) => any, given?: any) => Promise<any>} evaluate runs a function in the page, which sees nothing of
 *   the module that it is from; arguments and results are JSON
 * @property {(url: string) => Promise<void>} goto resolves when it has loaded
 * @property {() => Promise<void>} close
 */

const kNaN = 'not a number';

/**
 * @param {import('playwright-core').Browser} browser from `launch`
 * @param {{isShared?: boolean}} [options] `isShared`: the page has the browser's own profile, with its cache on disk, as all such pages
 *   have; otherwise one of its own, which is gone when it is closed
 * @returns {Promise<BarePage>}
 */
export async function openBare(browser, { isShared = false } = {}) {
  const root = await browser.newBrowserCDPSession();
  const context = isShared ? {} : await root.send('Target.createBrowserContext', { disposeOnDetach: true });
  const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', ...context });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: false });
  // Messages to the page and from it. Those without a number are events.
  const answers = new Map();
  const listeners = new Map();
  root.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result, error, method } = JSON.parse(message);
    if (id !== undefined) answers.get(id)({ result, error });
    else listeners.get(method)?.();
  });
  const send = async (method, params = {}) => {
    const id = answers.size;
    const answer = new Promise((resolve) => void answers.set(id, resolve));
    await root.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const evaluate = async (run, given) => {
    // JSON has no NaN, which engines may compute.
    const written = `(value) => JSON.stringify(value, (_, one) => (Number.isNaN(one) ? '${kNaN}' : one))`;
    const expression = `Promise.resolve((${run})(${JSON.stringify(given)})).then(${written})`;
    const how = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails: failure } = await send('Runtime.evaluate', how);
    if (failure) throw new Error(failure.exception?.description ?? failure.text);
    return result.value === undefined ? undefined : JSON.parse(result.value, (_, one) => (one === kNaN ? NaN : one));
  };
  const goto = async (url) => {
    await send('Page.enable');
    const loaded = new Promise((resolve) => void listeners.set('Page.loadEventFired', resolve));
    await send('Page.navigate', { url });
    await loaded;
  };
  const close = async () => {
    await root.send('Target.closeTarget', { targetId });
    await root.detach();
  };
  return { send, evaluate, goto, close };
}
