'use client';
import { useEffect, useState } from 'react';
import { Translator } from 'qkv';
import enFr from 'qkv-en-fr';

async function translate() {
  const options = { sourceLanguage: 'en', targetLanguage: 'fr', model: enFr, threads: 2 };
  const translator = await Translator.create(options);
  return `${await translator.translate('I love you.')} ${translator.info.threads}`;
}

export default function Page() {
  const [text, setText] = useState('');
  useEffect(() => void translate().catch(String).then(setText), []);
  return <p>{text}</p>;
}
