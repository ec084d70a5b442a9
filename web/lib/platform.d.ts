// The browser's types that the package uses, for programs without the types of the DOM, as in Node. If a program has these
// types, the interfaces are merged.

interface AddEventListenerOptions {
  once?: boolean;
}
interface EventListenerObject {
  handleEvent(event: Event): void;
}
interface Cache {
  match(request: any, options?: any): Promise<any>;
  put(request: any, response: any): Promise<void>;
  delete(request: any, options?: any): Promise<boolean>;
  keys(request?: any, options?: any): Promise<readonly any[]>;
}
interface FileList {
  readonly length: number;
}
interface Node {}
interface StorageEstimate {
  quota?: number;
  usage?: number;
}
interface Worker {
  terminate(): void;
}
declare namespace WebAssembly {
  interface Instance {}
  interface Module {}
}
