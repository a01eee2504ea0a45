// Program of the child process: loads the eSpeak NG engine from the file in its one argument, reads
// requests from standard input and writes replies to standard output, both as frames. It exits at the end
// of standard input. No other module loads the engine.
import { writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { EspeakFrameReader, encodeFrame } from './ipc-frames.js';
import type { EspeakEvent, EspeakReply, EspeakRequest } from './protocol.js';

/** The used part of the engine, which has no types. Source: espeak-ng.js of the package. */
interface Engine {
  set_voice(name: string): number;
  set_rate(wordsPerMinute: number): void;
  /** Stops when the callback returns true. */
  synthesize(text: string, onSound: (samples: Int16Array, events: EngineEvent[]) => boolean): void;
  /** Returns the address of a zero-terminated text. */
  convert_to_phonemes(text: string, isIpa: boolean): { readonly ptr: number };
}

interface EngineEvent {
  readonly type: string;
  /** Index in code points, starting at 1. */
  readonly text_position: number;
  readonly word_length: number;
  /** In ms. */
  readonly audio_position: number;
}

interface EngineModule {
  readonly eSpeakNGWorker: new () => Engine | Promise<Engine>;
  readonly HEAPU8: Uint8Array;
}

type Load = (options: { print(): void; printErr(): void }) => Promise<EngineModule>;

/** The engine's default speed. */
const WORDS_PER_MINUTE = 175;
const NOTHING = new Uint8Array(0);
/** Below the gateway's threads, but not far: a first chunk waits for its phonemes. */
const NICENESS = 2;

setPriority(NICENESS);
// Ctrl-C reaches the whole process group; the gateway decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const quiet = () => undefined;
const { default: load } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  default: Load;
};
const engineModule = await load({ print: quiet, printErr: quiet });
const engine = await new engineModule.eSpeakNGWorker();
let voice = '';

const reader = new EspeakFrameReader();
process.stdin.on('data', (bytes: Buffer) => {
  for (const { head } of reader.push(bytes)) answer(head as EspeakRequest);
});
process.stdin.on('end', () => process.exit(0));

function answer(request: EspeakRequest): void {
  try {
    choose(request.voice);
    if (request.type === 'speak') {
      speak(request.id, request.text, request.speed);
      send({ id: request.id, type: 'done' });
    } else if (request.type === 'mnemonics') {
      const words = request.text.split(' ');
      const all = (isIpa: boolean) => words.map((word) => phonemesOf(word, isIpa).trim()).join(' ');
      send({ id: request.id, type: 'mnemonics', ipa: all(true), mnemonics: all(false) });
    } else {
      send({ id: request.id, type: 'phonemes', lines: request.clauses.map(linesOf) });
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ id: request.id, type: 'failed', message });
  }
}

function choose(name: string): void {
  if (name === voice) return;
  voice = '';
  if (engine.set_voice(name) !== 0) throw new Error(`There is no voice ${name}`);
  voice = name;
}

function speak(id: number, text: string, speed: number): void {
  engine.set_rate(Math.round(WORDS_PER_MINUTE * speed));
  engine.synthesize(text, (samples, engineEvents) => {
    const events = engineEvents.flatMap(toEvent);
    const body = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    if (body.length > 0 || events.length > 0) send({ id, type: 'audio', events }, body);
    return false;
  });
}

function toEvent(event: EngineEvent): EspeakEvent[] {
  const { type, text_position, word_length: length, audio_position: atMs } = event;
  if (type === 'word') return [{ type, start: text_position - 1, length, atMs }];
  return type === 'end' ? [{ type, start: 0, length: 0, atMs }] : [];
}

function linesOf(words: readonly string[]): string[] {
  const whole = phonemesOf(words.join(' '));
  const groups = whole.split(/[\s|]+/).filter((group) => /[^_]/.test(group));
  return groups.length === words.length
    ? [whole]
    : [whole, ...words.map((word) => phonemesOf(word))];
}

function phonemesOf(text: string, isIpa = true): string {
  const { ptr } = engine.convert_to_phonemes(text, isIpa);
  if (ptr === 0) return '';
  const memory = engineModule.HEAPU8;
  return new TextDecoder().decode(memory.slice(ptr, memory.indexOf(0, ptr)));
}

function send(reply: EspeakReply, body: Uint8Array = NOTHING): void {
  const bytes = encodeFrame(reply, body);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent);
}
