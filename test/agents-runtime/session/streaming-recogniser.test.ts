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

interface Behaviour {
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
function scriptedStreaming(behaviour: Behaviour, streams: TranscriptionStreamOptions[]) {
  return (clock: VirtualClock): StreamingSpeechToText => ({
    id: 'live',
    open(stream) {
      streams.push(stream);
      let receivedSamples: number[] = [];
      let position = 0;
      let isOpen = !behaviour.isShut;
      const sendResult = (result: Omit<StreamingTranscript, 'language'>) => {
        if (isOpen && !behaviour.isDeaf)
          stream.onResult({ ...result, language: behaviour.language });
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
          receivedSamples.push(...samples);
          position += samples.length;
          if (behaviour.breaksAt !== undefined && position > behaviour.breaksAt) {
            isOpen = false;
            stream.onFault(new Error('the line broke'));
            return;
          }
          const text = textsIn(Float32Array.from(receivedSamples));
          const result = { text, isFinal: false, answersFinalise: false, toSample: position };
          void sleep(clock, 150).then(() => sendResult(result));
          if (behaviour.repeats) void sleep(clock, 900).then(() => sendResult(result));
        },
        finalise() {
          const text = textsIn(Float32Array.from(receivedSamples));
          receivedSamples = [];
          const result = {
            text,
            isFinal: true,
            answersFinalise: !behaviour.neverLast,
            toSample: position,
          };
          if (!behaviour.neverFinal) void sleep(clock, 60).then(() => sendResult(result));
        },
        close: () => {
          isOpen = false;
        },
      };
    },
  });
}

function begin(behaviour: Behaviour, options: HarnessOptions = {}) {
  const streams: TranscriptionStreamOptions[] = [];
  const call = harness({ ...options, streaming: scriptedStreaming(behaviour, streams) });
  call.call.connected();
  return { ...call, streams };
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
    expect(call.streams).toHaveLength(1);
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
  ])('that %s still transcribes the turn', async (_, behaviour) => {
    const call = begin(behaviour, { recogniserFails: true });
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
    for (const behaviour of [{}, { neverLast: true }]) {
      const call = begin(behaviour);
      await call.say('where is my order', 900);
      const saidAt = call.clock.now();
      while (call.texts('user').length === 0) await call.silence(20);
      committedMs.push(call.clock.now() - saidAt);
    }
    expect(committedMs[1]).toBe(committedMs[0]);
  });

  it.each([{ isShut: true }, { isDeaf: true }])(
    'that was replaced by the fallback repeats no word in the next turn (%o)',
    async (behaviour) => {
      const soon = { minSilenceMs: 200, minEndpointingMs: 100, userSilenceTimeoutMs: 0 };
      const call = begin(behaviour, { config: soon, transcriptMs: 20 });
      await call.say('where is my order', 900);
      await call.silence(behaviour.isDeaf ? 1_360 : 360);
      await call.say('and the other one', 900);
      await call.silence(5_000);
      expect(call.texts('user')).toEqual(['where is my order', 'and the other one']);
    },
  );

  it('that is unavailable or returns no words is replaced by the fallback', async () => {
    for (const behaviour of [{ isShut: true }, { isDeaf: true }]) {
      const call = begin(behaviour);
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
