/** Types of the part of WebAssembly that is used here. TypeScript declares it for browsers only. */
export const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (binary: Uint8Array) => object;
    readonly Instance: new (module: object, imports?: object) => { readonly exports: object };
  };
};

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** In pages. */
  grow(pages: number): number;
}

/** Bytes. */
export const WASM_PAGE = 65_536;
