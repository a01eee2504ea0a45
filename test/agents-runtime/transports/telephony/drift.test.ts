import { expect, it } from 'vitest';
import type { CallInputEvent } from '../../../../agents-runtime/contract/call-observer.js';
import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import { PlaybackTimeline } from '../../../../agents-runtime/output/playback-timeline.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { PhoneTransport } from '../../../../agents-runtime/transports/telephony/phone-transport.js';
import type { AudioChunk } from '../../../../media/recording/spool-writer.js';
import { tone } from '../../../support/harness/audio/tones.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

/** A tenth of 30 minutes; the drift is ten times 100 ppm to compensate. */
const MINUTES = 3;
const PPM = 1_000;
const EVERY_MS = 10_000;
const TONE_MS = 100;
/** Samples in 20 ms of the agent's audio. */
const FRAME = 320;
/** Half of the accepted drift of 20 ms; the other half is for carriers that are late. */
const BAR_MS = 10;

/** Start times of audio after silence, in milliseconds. */
function onsets(chunks: readonly AudioChunk[], leg: AudioChunk['leg'], rate: number): number[] {
  const found: number[] = [];
  let lastLoud = Number.NEGATIVE_INFINITY;
  for (const chunk of chunks) {
    if (chunk.leg !== leg) continue;
    const loud = chunk.samples instanceof Int16Array ? 3_000 : 0.1;
    for (let i = 0; i < chunk.samples.length; i++) {
      if (Math.abs(chunk.samples[i]!) < loud) continue;
      const at = ((chunk.at + i) * 1000) / rate;
      if (at - lastLoud > 1_000) found.push(at);
      lastLoud = at;
    }
  }
  return found;
}

it('both legs of a recording stay synchronous with a drifting carrier clock', () => {
  for (const [ppm, buffers] of [
    [PPM, false],
    [-PPM, true],
  ] as const) {
    const clock = new VirtualClock();
    const chunks: AudioChunk[] = [];
    const sentAt: number[] = [];
    const transport = new PhoneTransport({
      clock,
      ticker: new FrameTicker(clock),
      traits: { sampleRate: 8_000, buffers },
      link: {
        backlogBytes: 0,
        act: ({ type }) => {
          if (type === 'audio' && clock.now() - (sentAt.at(-1) ?? -9_999) > 1_000) {
            sentAt.push(clock.now());
          }
        },
        close: () => undefined,
      },
    });
    const recorder = new CallRecorder({
      sampleRate: transport.sampleRate,
      callerDelayMs: transport.callerDelayMs,
      sink: { write: (more) => void chunks.push(...more), end: () => undefined },
    });
    const timeline = new PlaybackTimeline({
      clock,
      frameLength: FRAME,
      onPlayed: (startMs, samples) => recorder.played({ startMs, samples }),
    });
    const observe = (event: CallInputEvent) => recorder.input(event, clock.now());
    const nothing = () => undefined;
    transport.start({
      connected: () => observe({ type: 'connected' }),
      audio: (samples) => observe({ type: 'audio', samples }),
      typed: nothing,
      say: nothing,
      played: (playedMs) => void timeline.reported(playedMs, false),
      lost: nothing,
      regained: nothing,
      hangUp: nothing,
    });
    const speed = 1 + ppm / 1e6;
    const spoken: number[] = [];
    const loud = Int16Array.from(tone(440, 8_000, 160), (sample) => sample * 32_767);
    const quiet = new Int16Array(160);
    for (let frame = 1; frame * 20 < MINUTES * 60_000; frame++) {
      const at = (frame * 20) / speed;
      const startedAt = ((frame - 1) * 20) / speed;
      const isLoud = startedAt % EVERY_MS < TONE_MS && startedAt > TONE_MS;
      if (isLoud && startedAt - (spoken.at(-1) ?? 0) > 1_000) spoken.push(startedAt);
      clock.advance(Math.max(0, at - clock.now()));
      transport.handle({ type: 'audio', pcm: isLoud ? loud : quiet, tsMs: (frame - 1) * 20 });
      const isTurn = frame % (EVERY_MS / 20) === 250;
      if (!isTurn) continue;
      const samples = tone(1_000, 16_000, 1_600);
      for (let at = 0; at < samples.length; at += FRAME)
        timeline.sent(samples.subarray(at, at + FRAME));
      transport.sendAudio(samples);
    }
    timeline.publishRemaining();
    recorder.output({ type: 'close' }, clock.now());
    transport.close();
    const caller = onsets(chunks, 'caller', 16_000);
    const agent = onsets(chunks, 'agent', 16_000);
    expect(caller.length).toBe(spoken.length);
    expect(agent.length).toBe(sentAt.length);
    const apart = (found: readonly number[], wanted: readonly number[]) =>
      Math.max(...found.map((at, i) => Math.abs(at - wanted[i]!)));
    expect(apart(caller, spoken)).toBeLessThanOrEqual(BAR_MS);
    expect(apart(agent, sentAt)).toBeLessThanOrEqual(BAR_MS);
  }
});
