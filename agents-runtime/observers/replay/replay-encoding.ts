import { float32Of, int16Of } from '../../../media/audio/pcm.js';
import type { WordTime } from '../../../media/tts/text-to-speech.js';
import type { AgentConfig } from '../../contract/agent-config.js';
import type { LlmRequest } from '../../contract/language-model.js';

/** Samples that a fingerprint looks at. */
const PROBES = 256;

/** Names a stretch of audio, so that the same question is known again. Source: FNV-1a, 32 bit. */
export function fingerprint(samples: Float32Array): string {
  let hash = 0x811c9dc5;
  const step = Math.max(1, Math.floor(samples.length / PROBES));
  for (let i = samples.length - 1; i >= 0; i -= step) {
    hash = Math.imul(hash ^ (Math.round(samples[i]! * 32768) & 0xffff), 0x01000193);
  }
  return `${samples.length} ${(hash >>> 0).toString(16)}`;
}

/** A reply is asked for by the newest words of the caller. */
export function questionOf({ history }: LlmRequest): string {
  return history.at(-1)?.text ?? '';
}

export function toolKey(name: string, args: Readonly<Record<string, unknown>>): string {
  return `${name} ${JSON.stringify(args)}`;
}

/** [textStart, textEnd, startSample, endSample] of each word. */
export type WordRow = readonly [number, number, number, number];

export function wordRows(words: readonly WordTime[]): readonly WordRow[] {
  return words.map((word) => [word.textStart, word.textEnd, word.startSample, word.endSample]);
}

export function wordTimes(rows: readonly WordRow[]): readonly WordTime[] {
  return rows.map(([textStart, textEnd, startSample, endSample]) => ({
    textStart,
    textEnd,
    startSample,
    endSample,
  }));
}

export function encodePcm(samples: Int16Array): string {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');
}

export function decodePcm(base64: string): Int16Array {
  const bytes = Buffer.from(base64, 'base64');
  const samples = new Int16Array(bytes.length >> 1);
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i);
  return samples;
}

/** Samples in −1…1 as s16le, base64. */
export function encodeSamples(samples: Float32Array): string {
  return encodePcm(int16Of(samples));
}

export function decodeSamples(base64: string): Float32Array {
  return float32Of(decodePcm(base64));
}

/** The settings of a call as a file may hold them. */
export function withoutSecrets(config: AgentConfig): AgentConfig {
  const authentication = { type: 'none', token: null, headers: {} } as const;
  return {
    ...config,
    tools: config.tools.map((tool) => ({ ...tool, authentication })),
    mcpServers: config.mcpServers.map((server) => ({ ...server, authentication })),
  };
}
