import { Component, provideZonelessChangeDetection, signal } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { Translator } from 'qkv';

async function translate(): Promise<string> {
  const options = { sourceLanguage: 'en', targetLanguage: 'fr', baseUrl: 'qkv/', threads: 2 };
  const translator = await Translator.create(options);
  return `${await translator.translate('I love you.')} ${translator.info.threads}`;
}

@Component({ selector: 'app-root', template: '<p>{{ text() }}</p>' })
class App {
  text = signal('');

  constructor() {
    void translate()
      .catch(String)
      .then((text) => this.text.set(text));
  }
}

void bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
