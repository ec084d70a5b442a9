/** What `Translator.create` takes as its option `model`. */
interface ModelPackage {
  /** The languages, as in 'en-fr'. */
  name: string;
  sourceLanguage: string;
  targetLanguage: string;
  /** The URL of each file. */
  files: Record<string, string>;
  /** The size of each file, in bytes. */
  sizes: Record<string, number>;
  /** The SHA-256 of each file, in hexadecimal digits. */
  hashes: Record<string, string>;
}

declare const model: ModelPackage;
export = model;
