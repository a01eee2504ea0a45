/** Begin and end of a text. Source: the model's generation settings. */
export const BEGIN = 1;
export const END = 2;

/** The recogniser's vocabulary: token ids → text. */
export class MoonshineTokens {
  readonly #tokens: readonly Uint8Array[];

  /**
   * Reads `tokenizer.bin`: per token a length (one byte; 128 and more: second byte × 128 + first −
   * 128), then that many bytes of UTF-8.
   */
  constructor(file: Uint8Array) {
    const tokens: Uint8Array[] = [];
    for (let at = 0; at < file.length; ) {
      let length = file[at++]!;
      if (length >= 128) length = file[at++]! * 128 + length - 128;
      tokens.push(file.subarray(at, at + length));
      at += length;
    }
    this.#tokens = tokens;
  }

  /** The text of token ids; special tokens (`<…>`) are left out, `<0xNN>` is a byte. */
  decode(ids: readonly number[]): string {
    const bytes: number[] = [];
    for (const id of ids) {
      const token = this.#tokens[id];
      if (!token) continue;
      const text = Buffer.from(token).toString('utf8');
      const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
      if (byte) bytes.push(Number.parseInt(byte, 16));
      else if (!/^<.*>$/.test(text)) bytes.push(...token);
    }
    return Buffer.from(bytes).toString('utf8').replaceAll('▁', ' ').replace(/\s+/g, ' ').trim();
  }
}
