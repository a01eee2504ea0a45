import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import { ineffectiveSettings } from '../../../agents-runtime/turn/endpointing.js';
import { Segmenter, type SpeechEdge } from '../../../media/vad/segmenter.js';
import { harness } from '../../support/harness/call/call-harness.js';

const STEP = 20;
/** Time resolution: VAD windows have 32 ms, packets 20 ms. */
const GRAIN_MS = 60;

interface Turn {
  readonly config?: Partial<AgentConfig>;
  readonly text?: string;
  readonly probability?: number;
  readonly spokenMs?: number;
  /** The agent's first text. */
  readonly greeting?: string;
}

/** Time from the end of speech to the commit in ms; undefined if there is none within 5 s. */
async function waitAfter(turn: Turn): Promise<number | undefined> {
  const { text = 'what time is it', probability = 1, spokenMs = 800, greeting = '' } = turn;
  const call = harness({
    config: { ...turn.config, greeting },
    completeness: () => probability,
    transcriptMs: 60,
  });
  call.call.connected();
  await call.silence(greeting ? 2_400 : 400);
  const before = call.states().length;
  await call.say(text, spokenMs);
  for (let ms = 0; ms < 5_000; ms += STEP) {
    if (call.states().slice(before).includes('thinking')) return ms;
    await call.silence(STEP);
  }
  return undefined;
}

async function expectWait(turn: Turn, ms: number): Promise<void> {
  const waited = await waitAfter(turn);
  expect(waited).toBeGreaterThanOrEqual(ms - GRAIN_MS);
  expect(waited).toBeLessThanOrEqual(ms + GRAIN_MS);
}

describe('min_endpointing_delay and min_silence_duration', () => {
  it('are one delay, the longer of the two and not their sum', async () => {
    await expectWait({}, 550);
    await expectWait({ config: { minSilenceMs: 300, minEndpointingMs: 900 } }, 900);
    await expectWait({ config: { minSilenceMs: 900, minEndpointingMs: 300 } }, 900);
    await expectWait({ config: { minSilenceMs: 700, minEndpointingMs: 700 } }, 700);
  });

  it('at 0 leave only the time of the models', async () => {
    await expectWait({ config: { minSilenceMs: 0, minEndpointingMs: 0 } }, 120);
    await expectWait({ config: { minSilenceMs: 0, minEndpointingMs: 500 } }, 500);
    await expectWait({ config: { minSilenceMs: 500, minEndpointingMs: 0 } }, 500);
  });
});

describe('max_endpointing_delay', () => {
  const hanging = { text: 'I called because', probability: 0 };

  it('is the delay of an incomplete turn', async () => {
    await expectWait(hanging, 3000);
    await expectWait({ ...hanging, config: { maxEndpointingMs: 1500 } }, 1500);
  });

  it('at the minimum is the only delay', async () => {
    await expectWait({ ...hanging, config: { maxEndpointingMs: 500 } }, 550);
    await expectWait(
      { ...hanging, config: { minSilenceMs: 0, minEndpointingMs: 0, maxEndpointingMs: 0 } },
      120,
    );
  });

  it('has no effect below min_silence_duration', async () => {
    const config = { minSilenceMs: 1200, minEndpointingMs: 500, maxEndpointingMs: 1000 };
    await expectWait({ ...hanging, config }, 1200);
  });

  it('is approached as the end becomes less likely', async () => {
    const waits: number[] = [];
    for (const probability of [1, 0.7, 0.3, 0]) {
      waits.push((await waitAfter({ probability }))!);
    }
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits[3]! - waits[0]!).toBeGreaterThan(500);
  });
});

describe('ineffective setting', () => {
  it('is reported with the setting that overrides it', () => {
    const names = (minSilenceMs: number, minEndpointingMs: number, maxEndpointingMs: number) =>
      ineffectiveSettings({ minSilenceMs, minEndpointingMs, maxEndpointingMs }).map(
        ({ setting, by }) => `${setting} by ${by}`,
      );
    expect(names(550, 500, 3000)).toEqual(['min_endpointing_delay by min_silence_duration']);
    expect(names(300, 500, 3000)).toEqual(['min_silence_duration by min_endpointing_delay']);
    expect(names(500, 500, 500)).toEqual([]);
    expect(names(900, 500, 800)).toEqual([
      'min_endpointing_delay by min_silence_duration',
      'max_endpointing_delay by min_silence_duration',
    ]);
  });
});

describe('endpointing delay for a dictated number', () => {
  const ask = 'What is your phone number?';

  it('is the maximum until the number is complete', async () => {
    await expectWait({ greeting: ask, text: 'four one five' }, 3000);
    const whole = await waitAfter({ greeting: ask, text: '415 555 0192' });
    expect(whole).toBeLessThan(900);
    // After another question, the same words are not a dictated number.
    expect(await waitAfter({ greeting: 'How may I help you?', text: '20' })).toBeLessThan(700);
  });
});

describe('min_speech_duration', () => {
  it('detects a short answer by default, and nothing shorter than its value', async () => {
    expect(await waitAfter({ text: 'no', spokenMs: 180 })).toBeDefined();
    const config = { minSpeechMs: 500 };
    expect(await waitAfter({ config, text: 'no', spokenMs: 300 })).toBeUndefined();
    expect(await waitAfter({ config, text: 'no', spokenMs: 700 })).toBeDefined();
  });

  it('at 0 detects a single window', async () => {
    const config = { minSpeechMs: 0 };
    expect(await waitAfter({ config, text: 'no', spokenMs: 40 })).toBeDefined();
    expect(await waitAfter({ text: 'no', spokenMs: 40 })).toBeUndefined();
  });
});

describe('vad_activation_threshold', () => {
  /** Speech edges of one second each of silence, of audio with `probability`, and of silence. */
  function edges(threshold: number, probability: number, quiet = 0.005): string[] {
    const segmenter = new Segmenter({ threshold, minSpeechMs: 100, minSilenceMs: 550 });
    const seen: string[] = [];
    const record = (edge: SpeechEdge) => seen.push(edge.type);
    const second = (value: number) => {
      for (let i = 0; i < 31; i++) segmenter.push(value, record);
    };
    second(quiet);
    second(probability);
    second(quiet);
    return seen;
  }
  const DETECTED_EDGES = ['speech-started', 'pause', 'speech-stopped'];

  it('decides what counts as speech', () => {
    expect(edges(0.6, 0.7)).toEqual(DETECTED_EDGES);
    expect(edges(0.8, 0.7)).toEqual([]);
    expect(edges(0.3, 0.35)).toEqual(DETECTED_EDGES);
    expect(edges(0.6, 0.35)).toEqual([]);
  });

  it('has a lower threshold, by 0.15, for the end of speech', () => {
    expect(edges(0.6, 0.7, 0.5)).toEqual(['speech-started']);
    expect(edges(0.6, 0.7, 0.4)).toEqual(DETECTED_EDGES);
  });

  it('detects the start and the end of speech at its bounds', () => {
    expect(edges(0, 0.3)).toEqual(DETECTED_EDGES);
    expect(edges(0.1, 0.3)).toEqual(DETECTED_EDGES);
    expect(edges(1, 0.995)).toEqual(DETECTED_EDGES);
    expect(edges(1, 0.9)).toEqual([]);
  });
});
