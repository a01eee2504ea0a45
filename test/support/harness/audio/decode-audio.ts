import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Decodes a file with ffmpeg. @param ffmpeg path of the program @returns samples per channel */
export async function decodeChannels(
  ffmpeg: string,
  file: Uint8Array,
  { channels, sampleRate }: { readonly channels: number; readonly sampleRate: number },
): Promise<readonly Float32Array[]> {
  const mixed = await decodeWithFfmpeg(ffmpeg, file, { sampleRate, channels });
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from(
      { length: mixed.length / channels },
      (_, i) => mixed[i * channels + channel]!,
    ),
  );
}

/**
 * Decodes a file with ffmpeg, an implementation independent of the code under test.
 * @param ffmpeg path of the program @returns samples, interleaved if there are several channels
 */
export async function decodeWithFfmpeg(
  ffmpeg: string,
  file: Uint8Array,
  {
    input = [],
    sampleRate,
    channels = 1,
  }: { input?: readonly string[]; sampleRate: number; channels?: number },
): Promise<Float32Array> {
  const raw = ['-f', 'f32le', '-ac', String(channels), '-ar', String(sampleRate), 'pipe:1'];
  const quiet = ['-v', 'error', '-nostdin'];
  const child = spawn(ffmpeg, [...quiet, ...input, '-i', 'pipe:0', ...raw]);
  const out: Buffer[] = [];
  const faults: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => faults.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(file);
  const [status] = (await once(child, 'close')) as [number];
  const complaint = Buffer.concat(faults).toString();
  if (status !== 0 || complaint !== '') throw new Error(`ffmpeg ${status}: ${complaint}`);
  const bytes = Buffer.concat(out);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
