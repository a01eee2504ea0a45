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

/** A signal at this level, in dBFS. */
const samplesAt = (levelDb: number, length: number) =>
  new Float32Array(length).fill(10 ** (levelDb / 20));

/** The same as 16-bit samples. */
const pcm = (levelDb: number, length: number) =>
  new Int16Array(length).fill(32_768 * 10 ** (levelDb / 20));

/** The gate's result for one window that ends at `atMs`. */
function gateWindow(gate: EchoGate, levelDb: number, atMs: number, probability = 0.9): number {
  gate.received(samplesAt(levelDb, 512), atMs - 32, atMs);
  return gate.gate(probability);
}

describe('echo gate', () => {
  it('passes everything while nothing was played', () => {
    const gate = new EchoGate(0.6);
    expect(gateWindow(gate, -60, 1_000)).toBe(0.9);
    gate.played(1_000, new Int16Array(480));
    expect(gateWindow(gate, -60, 1_032)).toBe(0.9);
  });

  it('suppresses echo at any delay up to the limit', () => {
    for (const delayMs of [0, 60, 250, 400, 480]) {
      const gate = new EchoGate(0.6);
      gate.played(1_000, pcm(-20, 480));
      expect(gateWindow(gate, -35, 1_020 + delayMs)).toBe(0);
    }
  });

  it('ignores audio played before that limit', () => {
    const gate = new EchoGate(0.6);
    gate.played(1_000, pcm(-20, 480));
    expect(gateWindow(gate, -35, 1_600)).toBe(0.9);
  });

  it('passes louder speech and the quiet syllables after it', () => {
    const gate = new EchoGate(0.6);
    for (let atMs = 0; atMs < 2_000; atMs += 20) gate.played(atMs, pcm(-20, 480));
    expect(gateWindow(gate, -40, 1_000)).toBe(0);
    expect(gateWindow(gate, -25, 1_032)).toBe(0.9);
    expect(gateWindow(gate, -45, 1_064)).toBe(0.9);
    expect(gateWindow(gate, -45, 1_096, 0.3)).toBe(0.3);
    for (let i = 0; i < 10; i++) gateWindow(gate, -45, 1_128 + 32 * i);
    expect(gateWindow(gate, -45, 1_500)).toBe(0);
  });

  it('is not opened by noise without speech', () => {
    const gate = new EchoGate(0.6);
    for (let atMs = 0; atMs < 2_000; atMs += 20) gate.played(atMs, pcm(-20, 480));
    expect(gateWindow(gate, -10, 1_000, 0.2)).toBe(0);
    expect(gateWindow(gate, -35, 1_032)).toBe(0);
  });

  it('compares windows with the audio played at their time, however late the VAD answers', () => {
    const gate = new EchoGate(0.6);
    gate.played(1_000, pcm(-20, 480));
    gate.received(samplesAt(-35, 512), 1_068, 1_100);
    gate.received(samplesAt(-35, 512), 1_768, 1_800);
    gate.played(1_810, pcm(-20, 480));
    expect([gate.gate(0.9), gate.gate(0.9)]).toEqual([0, 0.9]);
  });
});

/** Real models on a busy machine. */
const SLOW = { timeout: 120_000 };

describe('telephone call', SLOW, () => {
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
  const options = { work, voice: work.voice(voice), voiceActivity, hasEchoCanceller: false };

  afterAll(async () => {
    await Promise.all([speaker, voice, voiceActivity].map((part) => part.close()));
  });

  it('is not interrupted by its own echo, and would be without the gate', async () => {
    const sentences = SENTENCES.filter((_, i) => i % 6 === 0);
    expect(await countFalseCuts(options, sentences)).toMatchObject({
      falseCuts: 0,
      falsePauses: 0,
    });
    const without = { ...options, hasEchoCanceller: true };
    const control = await countFalseCuts(without, sentences.slice(0, 1));
    expect(control.falseCuts).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('is interrupted by speech over the echo', async () => {
    const sentences = SENTENCES.filter((_, i) => i % 10 === 0);
    const speech = otherVoice(await speaker.say('Wait, I have another question.'), -6);
    expect(await countInterrupted(options, sentences, [speech])).toBe(sentences.length);
  });
});
