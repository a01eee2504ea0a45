/** Types of the part of WebAssembly that is used here. TypeScript declares it for browsers only. */
export const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (binary: Uint8Array) => object;
    readonly Instance: new (module: object, imports?: object) => { readonly exports: object };
  };
};

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** Adds pages of `WASM_PAGE` bytes. @returns the previous number of pages */
  grow(pages: number): number;
}

/** Bytes of one page. */
export const WASM_PAGE = 65_536;
