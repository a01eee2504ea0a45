/** The compiler knows the browser's WebAssembly only: the part of Node's that is needed here. */
export const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (binary: Uint8Array) => object;
    readonly Instance: new (module: object, imports?: object) => { readonly exports: object };
  };
};

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** By pages. */
  grow(pages: number): number;
}

/** Bytes. */
export const WASM_PAGE = 65_536;
