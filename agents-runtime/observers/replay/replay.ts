import { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import type { AgentConfig } from '../../contract/agent-config.js';
import type { Transport } from '../../contract/transport.js';
import { Call } from '../../session/call.js';
import { FrameTicker } from '../../timing/frame-ticker.js';
import { EffectObservingLog, EffectObservingTransport, observeFaults } from './effect-observer.js';
import { createReplayDependencies, type LiveSpeechToText } from './replay-adapters.js';
import { decodePcm } from './replay-encoding.js';
import {
  type InputLine,
  isObservedEffect,
  type ObservedEffect,
  type ReplayFile,
  type ReplayHeader,
} from './replay-format.js';
import { type AnswerCounts, ReplayPlayer } from './replay-player.js';
import { SimulatedClient } from './simulated-client.js';

export interface ReplayOptions {
  /**
   * Settings to hold the call with instead of its own. The client's reports are then made up, since
   * the recorded ones are about other audio.
   */
  readonly changes?: Partial<AgentConfig> | undefined;
  /** Answer questions that the recorded call did not ask; without them the nearest answer does. */
  readonly ears?: LiveSpeechToText | undefined;
}

export interface Replayed {
  /** What the call did then, and what it did now. */
  readonly recorded: readonly ObservedEffect[];
  readonly replayed: readonly ObservedEffect[];
  readonly answers: AnswerCounts;
  /** ms of call time. */
  readonly durationMs: number;
}

/** Holds a recorded call again, with the real engine, as fast as it can be computed. */
export async function replay(
  replayFile: ReplayFile,
  { changes, ears }: ReplayOptions = {},
): Promise<Replayed> {
  const { head } = replayFile;
  const player = new ReplayPlayer(replayFile);
  const replayed: ObservedEffect[] = [];
  const effectObserver = {
    clock: player,
    tell: (happening: ObservedEffect) => void replayed.push(happening),
  };
  const client = changes ? new SimulatedClient(player, head) : undefined;
  const recordedTransport = new RecordedTransport(head);
  const transport = new EffectObservingTransport(client ?? recordedTransport, effectObserver);
  const { ports, noise, vad } = createReplayDependencies({ head, player, ears });
  const call = new Call({
    ...ports,
    config: { ...head.config, ...changes },
    dictionary: head.dictionary && new Dictionary(head.dictionary),
    clock: player,
    ticker: new FrameTicker(player),
    transport,
    log: new EffectObservingLog(ports.log, effectObserver),
    onFault: observeFaults(() => undefined, effectObserver),
    onEnded: () => undefined,
  });
  if (client) client.onPlayed = (playedMs) => call.played(playedMs);
  const input = (line: InputLine) => {
    switch (line.type) {
      case 'connected':
        return call.connected();
      case 'audio':
        return call.audio(decodePcm(line.pcm));
      case 'typed':
        return call.typed(line.text);
      case 'say':
        call.say(line.text);
        return;
      case 'played':
        return client ? undefined : call.played(line.playedMs);
      case 'lost':
        client?.leave();
        return call.lost(line.forMs);
      case 'regained':
        return call.regained(client?.receivedMs ?? line.receivedMs, (fromMs) => {
          transport.announce(fromMs);
          client?.comeBack(fromMs);
        });
      case 'hang-up':
        return call.hangUp(line.reason);
      case 'backlog':
        recordedTransport.backlogBytes = line.bytes;
    }
  };
  await player.play({
    input,
    vad,
    cleaned: (line) => noise.cleaned(line),
    notCleaned: () => noise.failed(),
  });
  return {
    recorded: replayFile.lines.filter(isObservedEffect),
    replayed,
    answers: player.counts,
    durationMs: replayFile.lines.at(-1)?.t ?? 0,
  };
}

/** A wire whose client is on the tape: what is sent need not arrive. */
class RecordedTransport implements Transport {
  readonly sampleRate: number;
  readonly hasEchoCanceller: boolean;
  readonly canPause: boolean;
  readonly callerDelayMs = 0;
  backlogBytes = 0;

  constructor({ sampleRate, hasEchoCanceller, canPause = true }: ReplayHeader) {
    this.sampleRate = sampleRate;
    this.hasEchoCanceller = hasEchoCanceller;
    this.canPause = canPause;
  }

  sendAudio(): void {
    // Only its length counts, and the witness has that.
  }

  pause(): void {
    // The reports that follow are on the tape.
  }

  resumeFrom(): void {
    // As for `pause`.
  }

  clear(): void {
    // As for `pause`.
  }

  send(): void {
    // The witness has it.
  }

  close(): void {
    // There is nothing to close.
  }
}
