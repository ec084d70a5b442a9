import { useState } from 'react';
import { useTranslation } from './useTranslation.js';

export function App() {
  const [text, setText] = useState('I love you.');
  const translation = useTranslation(text);
  return (
    <>
      <textarea aria-label="English" value={text} onChange={({ target }) => setText(target.value)} />
      <p aria-live="polite">{translation}</p>
    </>
  );
}
