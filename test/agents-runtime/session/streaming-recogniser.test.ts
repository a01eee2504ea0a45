import { describe, expect, it } from 'vitest';
import type {
  StreamingSpeechToText,
  StreamingTranscript,
  TranscriptionStreamOptions,
} from '../../../media/stt/speech-to-text.js';
import type { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import {
  type HarnessOptions,
  harness,
  sleep,
  textsIn,
} from '../../support/harness/call/call-harness.js';

interface Manner {
  /** The connection fails when this many samples have been pushed. */
  readonly breaksAt?: number;
  readonly isShut?: boolean;
  readonly neverFinal?: boolean;
  /** Final results do not mark which one answers `finalise`. */
  readonly neverLast?: boolean;
  /** Returns no words. */
  readonly isDeaf?: boolean;
  /** Sends old results again after newer ones. */
  readonly repeats?: boolean;
  readonly language?: string;
}

/** Returns a text 150 ms after its audio; a final result follows 60 ms after `finalise`. */
function scriptedStreaming(manner: Manner, lines: TranscriptionStreamOptions[]) {
  return (clock: VirtualClock): StreamingSpeechToText => ({
    id: 'live',
    open(line) {
      lines.push(line);
      let heard: number[] = [];
      let position = 0;
      let isOpen = !manner.isShut;
      const tell = (result: Omit<StreamingTranscript, 'language'>) => {
        if (isOpen && !manner.isDeaf) line.onResult({ ...result, language: manner.language });
      };
      return {
        get isOpen() {
          return isOpen;
        },
        get position() {
          return position;
        },
        push(samples) {
          if (!isOpen) return;
          heard.push(...samples);
          position += samples.length;
          if (manner.breaksAt !== undefined && position > manner.breaksAt) {
            isOpen = false;
            line.onFault(new Error('the line broke'));
            return;
          }
          const text = textsIn(Float32Array.from(heard));
          const result = { text, isFinal: false, answersFinalise: false, toSample: position };
          void sleep(clock, 150).then(() => tell(result));
          if (manner.repeats) void sleep(clock, 900).then(() => tell(result));
        },
        finalise() {
          const text = textsIn(Float32Array.from(heard));
          heard = [];
          const result = {
            text,
            isFinal: true,
            answersFinalise: !manner.neverLast,
            toSample: position,
          };
          if (!manner.neverFinal) void sleep(clock, 60).then(() => tell(result));
        },
        close: () => {
          isOpen = false;
        },
      };
    },
  });
}

function begin(manner: Manner, options: HarnessOptions = {}) {
  const lines: TranscriptionStreamOptions[] = [];
  const call = harness({ ...options, streaming: scriptedStreaming(manner, lines) });
  call.call.connected();
  return { ...call, lines };
}

describe('streaming recogniser', () => {
  it('transcribes several turns on one connection, without the batch recogniser', async () => {
    const call = begin({}, { recogniserFails: true });
    await call.say('where is my order', 900);
    await call.silence(4_000);
    await call.say('and the other one', 700);
    await call.silence(4_000);
    expect(call.texts('user')).toEqual(['where is my order', 'and the other one']);
    expect(call.providers('user')).toEqual(Array(2).fill({ recognisers: ['live'] }));
    expect(call.faults).toEqual([]);
    expect(call.lines).toHaveLength(1);
    call.call.hangUp('user_hangup');
    await call.clock.run(2_000);
    expect(call.clock.pending).toBe(0);
  });

  it('transcribes a turn with a pause as one', async () => {
    const call = begin({}, { completeness: (text) => (text === 'my number is' ? 0 : 1) });
    await call.say('my number is', 700);
    await call.silence(900);
    await call.say('five five five', 700);
    await call.silence(3_000);
    expect(call.texts('user')).toEqual(['my number is five five five']);
  });

  it('that repeats old results late has no effect on the text', async () => {
    const call = begin({ repeats: true });
    await call.say('where is my order', 900);
    await call.silence(2_500);
    await call.say('thank you very much', 700);
    await call.silence(4_000);
    expect(call.texts('user')).toEqual(['where is my order', 'thank you very much']);
  });

  it('that fails in mid-utterance loses no word', async () => {
    const call = begin({ breaksAt: 12_000 });
    await call.say('where is my order', 1_500);
    await call.silence(4_000);
    await call.say('and the other one', 900);
    await call.silence(4_000);
    expect(call.texts('user')).toEqual(['where is my order', 'and the other one']);
    expect(call.faults).toEqual([expect.stringContaining('the line broke')]);
    expect(call.texts('agent')).toHaveLength(2);
  });

  it('that fails in a later part of a turn keeps the final results', async () => {
    const call = begin(
      { breaksAt: 36_000 },
      { completeness: (text) => (text === 'my number is' ? 0 : 1) },
    );
    await call.say('my number is', 900);
    await call.silence(900);
    await call.say('five five five', 1_200);
    await call.silence(3_000);
    expect(call.texts('user')).toEqual(['my number is five five five']);
    expect(call.providers('user')).toEqual([{ recognisers: ['live', 'script'] }]);
    expect(call.faults).toHaveLength(1);
  });

  it.each([
    ['never marks the last final result', { neverLast: true }],
    ['sends no final results', { neverFinal: true }],
  ])('that %s still transcribes the turn', async (_, manner) => {
    const call = begin(manner, { recogniserFails: true });
    await call.say('where is my order', 900);
    await call.silence(4_000);
    await call.say('and the other one', 900);
    await call.silence(4_000);
    expect(call.texts('user')[0]).toBe('where is my order');
    expect(call.texts('user')[1]).toContain('and the other one');
    expect(call.faults).toEqual([]);
  });

  it('that does not mark the last final result is as fast as one that does', async () => {
    const committedMs: number[] = [];
    for (const manner of [{}, { neverLast: true }]) {
      const call = begin(manner);
      await call.say('where is my order', 900);
      const saidAt = call.clock.now();
      while (call.texts('user').length === 0) await call.silence(20);
      committedMs.push(call.clock.now() - saidAt);
    }
    expect(committedMs[1]).toBe(committedMs[0]);
  });

  it.each([{ isShut: true }, { isDeaf: true }])(
    'that was replaced by the fallback repeats no word in the next turn (%o)',
    async (manner) => {
      const soon = { minSilenceMs: 200, minEndpointingMs: 100, userSilenceTimeoutMs: 0 };
      const call = begin(manner, { config: soon, transcriptMs: 20 });
      await call.say('where is my order', 900);
      await call.silence(manner.isDeaf ? 1_360 : 360);
      await call.say('and the other one', 900);
      await call.silence(5_000);
      expect(call.texts('user')).toEqual(['where is my order', 'and the other one']);
    },
  );

  it('that is unavailable or returns no words is replaced by the fallback', async () => {
    for (const manner of [{ isShut: true }, { isDeaf: true }]) {
      const call = begin(manner);
      await call.say('where is my order', 900);
      await call.silence(5_000);
      expect(call.texts('user')).toEqual(['where is my order']);
      expect(call.texts('agent')).toHaveLength(1);
    }
  });

  it('reports the detected language', async () => {
    const voice = { language: 'auto' } as never;
    const call = begin({ language: 'de' }, { config: { voice }, languages: ['en', 'de'] });
    await call.say('wo ist mein paket', 900);
    await call.silence(3_000);
    expect(call.requests.at(-1)!.language).toBe('de');
  });
});
