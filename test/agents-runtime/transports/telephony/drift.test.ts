import { expect, it } from 'vitest';
import type { CallInputEvent } from '../../../../agents-runtime/contract/call-observer.js';
import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import { PlaybackTimeline } from '../../../../agents-runtime/output/playback-timeline.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { PhoneTransport } from '../../../../agents-runtime/transports/telephony/phone-transport.js';
import type { AudioChunk } from '../../../../media/recording/spool-writer.js';
import { tone } from '../../../support/harness/audio/tones.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

/** As much drift as 100 ppm make in 30 minutes, in a tenth of the time. */
const MINUTES = 3;
const PPM = 1_000;
const EVERY_MS = 10_000;
const TONE_MS = 100;
/** Samples of 20 ms of the agent's audio. */
const FRAME = 320;
/** Half of what the issue asks for: the other half is for carriers that do not come on time. */
const BAR_MS = 10;

/** Where sound begins after silence, ms. */
function onsets(pieces: readonly AudioChunk[], leg: AudioChunk['leg'], rate: number): number[] {
  const found: number[] = [];
  let lastLoud = Number.NEGATIVE_INFINITY;
  for (const piece of pieces) {
    if (piece.leg !== leg) continue;
    const loud = piece.samples instanceof Int16Array ? 3_000 : 0.1;
    for (let i = 0; i < piece.samples.length; i++) {
      if (Math.abs(piece.samples[i]!) < loud) continue;
      const at = ((piece.at + i) * 1000) / rate;
      if (at - lastLoud > 1_000) found.push(at);
      lastLoud = at;
    }
  }
  return found;
}

it('the legs of a recording stay together over a line whose clock drifts', () => {
  for (const [ppm, buffers] of [
    [PPM, false],
    [-PPM, true],
  ] as const) {
    const clock = new VirtualClock();
    const pieces: AudioChunk[] = [];
    const sentAt: number[] = [];
    const line = new PhoneTransport({
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
      sampleRate: line.sampleRate,
      callerDelayMs: line.callerDelayMs,
      sink: { write: (more) => void pieces.push(...more), end: () => undefined },
    });
    const timeline = new PlaybackTimeline({
      clock,
      frameLength: FRAME,
      onPlayed: (startMs, samples) => recorder.played({ startMs, samples }),
    });
    const observe = (event: CallInputEvent) => recorder.input(event, clock.now());
    const nothing = () => undefined;
    line.start({
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
      line.handle({ type: 'audio', pcm: isLoud ? loud : quiet, tsMs: (frame - 1) * 20 });
      const isTurn = frame % (EVERY_MS / 20) === 250;
      if (!isTurn) continue;
      const samples = tone(1_000, 16_000, 1_600);
      for (let at = 0; at < samples.length; at += FRAME)
        timeline.sent(samples.subarray(at, at + FRAME));
      line.sendAudio(samples);
    }
    timeline.publishRemaining();
    recorder.output({ type: 'close' }, clock.now());
    line.close();
    const caller = onsets(pieces, 'caller', 16_000);
    const agent = onsets(pieces, 'agent', 16_000);
    expect(caller.length).toBe(spoken.length);
    expect(agent.length).toBe(sentAt.length);
    const apart = (found: readonly number[], wanted: readonly number[]) =>
      Math.max(...found.map((at, i) => Math.abs(at - wanted[i]!)));
    expect(apart(caller, spoken)).toBeLessThanOrEqual(BAR_MS);
    expect(apart(agent, sentAt)).toBeLessThanOrEqual(BAR_MS);
  }
});
