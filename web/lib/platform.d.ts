// What the types name of browsers, for programs whose compiler has no types of the DOM: Node's. Where it has them, these
// interfaces merge with those.

interface AddEventListenerOptions {
  once?: boolean;
}
interface EventListenerObject {
  handleEvent(event: Event): void;
}
interface FileList {
  readonly length: number;
}
interface Worker {
  terminate(): void;
}
declare namespace WebAssembly {
  interface Instance {}
  interface Module {}
}
