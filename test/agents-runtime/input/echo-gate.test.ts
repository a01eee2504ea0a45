import { afterAll, describe, expect, it } from 'vitest';
import { EchoGate } from '../../../agents-runtime/input/echo-gate.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { SpeechSynthesiser } from '../../support/harness/audio/synthesised-speech.js';
import { ModelWork } from '../../support/harness/audio/virtual-clock-models.js';
import {
  countFalseCuts,
  countInterrupted,
  otherVoice,
  SENTENCES,
} from '../../support/harness/call/echo-trial.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

/** A sound at this level, dB of full scale. */
const sound = (levelDb: number, length: number) =>
  new Float32Array(length).fill(10 ** (levelDb / 20));

/** The same in 16 bit. */
const pcm = (levelDb: number, length: number) =>
  new Int16Array(length).fill(32_768 * 10 ** (levelDb / 20));

/** One window that ends at this time. */
function weighed(gate: EchoGate, levelDb: number, atMs: number, probability = 0.9): number {
  gate.received(sound(levelDb, 512), atMs - 32, atMs);
  return gate.gate(probability);
}

describe('the echo gate', () => {
  it('lets everything through while nothing was played', () => {
    const gate = new EchoGate(0.6);
    expect(weighed(gate, -60, 1_000)).toBe(0.9);
    gate.played(1_000, new Int16Array(480));
    expect(weighed(gate, -60, 1_032)).toBe(0.9);
  });

  it('takes no echo for speech, however late it comes', () => {
    for (const delayMs of [0, 60, 250, 400, 480]) {
      const gate = new EchoGate(0.6);
      gate.played(1_000, pcm(-20, 480));
      expect(weighed(gate, -35, 1_020 + delayMs)).toBe(0);
    }
  });

  it('forgets what was played longer ago than that', () => {
    const gate = new EchoGate(0.6);
    gate.played(1_000, pcm(-20, 480));
    expect(weighed(gate, -35, 1_600)).toBe(0.9);
  });

  it('hears speech that is louder, with the quiet syllables that follow', () => {
    const gate = new EchoGate(0.6);
    for (let atMs = 0; atMs < 2_000; atMs += 20) gate.played(atMs, pcm(-20, 480));
    expect(weighed(gate, -40, 1_000)).toBe(0);
    expect(weighed(gate, -25, 1_032)).toBe(0.9);
    expect(weighed(gate, -45, 1_064)).toBe(0.9);
    expect(weighed(gate, -45, 1_096, 0.3)).toBe(0.3);
    for (let i = 0; i < 10; i++) weighed(gate, -45, 1_128 + 32 * i);
    expect(weighed(gate, -45, 1_500)).toBe(0);
  });

  it('is not opened by a noise that is no speech', () => {
    const gate = new EchoGate(0.6);
    for (let atMs = 0; atMs < 2_000; atMs += 20) gate.played(atMs, pcm(-20, 480));
    expect(weighed(gate, -10, 1_000, 0.2)).toBe(0);
    expect(weighed(gate, -35, 1_032)).toBe(0);
  });

  it('weighs windows by what was played when they were heard, however late the model answers', () => {
    const gate = new EchoGate(0.6);
    gate.played(1_000, pcm(-20, 480));
    gate.received(sound(-35, 512), 1_068, 1_100);
    gate.received(sound(-35, 512), 1_768, 1_800);
    gate.played(1_810, pcm(-20, 480));
    expect([gate.gate(0.9), gate.gate(0.9)]).toEqual([0, 0.9]);
  });
});

/** Real models on a busy machine. */
const SLOW = { timeout: 120_000 };

describe('a telephone call', SLOW, () => {
  const scheduler = new CpuScheduler(1);
  const speaker = new SpeechSynthesiser(scheduler);
  const voice = new HibariVoice({
    id: 'hibari-heart',
    folder: modelFolder('hibari-heart'),
    scheduler,
  });
  const faults: unknown[] = [];
  const voiceActivity = new SileroVoiceActivity({
    folder: modelFolder('silero-vad'),
    onFault: (error) => faults.push(error),
  });
  const work = new ModelWork();
  const line = { work, voice: work.voice(voice), voiceActivity, hasEchoCanceller: false };

  afterAll(async () => {
    await Promise.all([speaker, voice, voiceActivity].map((part) => part.close()));
  });

  it('is not interrupted by its own echo, which would cut it without the gate', async () => {
    const sentences = SENTENCES.filter((_, i) => i % 6 === 0);
    expect(await countFalseCuts(line, sentences)).toMatchObject({ falseCuts: 0, falsePauses: 0 });
    const without = { ...line, hasEchoCanceller: true };
    const control = await countFalseCuts(without, sentences.slice(0, 1));
    expect(control.falseCuts).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('is interrupted by somebody who speaks over the echo', async () => {
    const sentences = SENTENCES.filter((_, i) => i % 10 === 0);
    const speech = otherVoice(await speaker.say('Wait, I have another question.'), -6);
    expect(await countInterrupted(line, sentences, [speech])).toBe(sentences.length);
  });
});
