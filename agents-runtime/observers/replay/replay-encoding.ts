import { float32Of, int16Of } from '../../../media/audio/pcm.js';
import type { WordTime } from '../../../media/tts/text-to-speech.js';
import type { AgentConfig } from '../../contract/agent-config.js';

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
