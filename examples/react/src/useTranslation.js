import { useEffect, useState } from 'react';
import { Translator } from 'qkv';
import enFr from 'qkv-en-fr';

/**
 * A promise of a translator that lives as long as the component. Translators with the same options share an engine.
 */
function useTranslator() {
  const [creating, setCreating] = useState(/** @type {Promise<Translator> | null} */ (null));
  useEffect(() => {
    const created = Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: enFr });
    setCreating(created);
    return () => void created.then((translator) => translator.destroy()).catch(() => {});
  }, []);
  return creating;
}

/** The translation of a text. The previous translation stays until the new one is there. */
export function useTranslation(text) {
  const creating = useTranslator();
  const [translation, setTranslation] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    creating
      ?.then((translator) => translator.translate(text, { signal }))
      .then(setTranslation)
      .catch((error) => signal.aborted || setTranslation(error.message));
    return () => controller.abort();
  }, [creating, text]);
  return translation;
}
