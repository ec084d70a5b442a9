// The size of WebAssembly's memory, in Node and in pages. It never shrinks, so its size is the largest that was needed.

/** The memories of all instances that are made from now on. @returns {() => number} their bytes */
export function watchMemories() {
  const memories = new Set();
  const { instantiate, instantiateStreaming } = WebAssembly;
  const note = (values) => {
    for (const value of Object.values(values)) if (value instanceof WebAssembly.Memory) memories.add(value);
  };
  const watched =
    (make) =>
    async (source, imports = {}) => {
      const result = await make(source, imports);
      Object.values(imports).forEach(note);
      note((result.instance ?? result).exports);
      return result;
    };
  WebAssembly.instantiate = watched(instantiate);
  WebAssembly.instantiateStreaming = watched(instantiateStreaming);
  return () => [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
