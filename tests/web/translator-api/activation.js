// With ?activation, one translator is created when the page loads, and another when the button is clicked. The browser itself
// decides whether the user has acted. `outcomes` has both results.
globalThis.outcomes = [];

if (location.search === '?activation') {
  const { configure, install } = await import('/dist/translator-api/install.js');
  install({ when: 'always' });
  configure({ models: { 'en-fr': '/tests/goldens/models/tiny-f32/' }, store: false });
  const { Translator } = globalThis;
  const create = async () => {
    const creating = Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' });
    const outcome = await creating.then(
      (translator) => translator.destroy() ?? 'created',
      ({ name }) => name,
    );
    globalThis.outcomes.push(outcome);
    console.info(outcome);
  };
  document.querySelector('button').addEventListener('click', create);
  await create();
}
