import { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import type { AgentConfig } from '../agent/agent-config.js';
import { FrameTicker } from '../audio/frame-ticker.js';
import { Call } from '../call/call.js';
import type { CallTransport } from '../call/transport.js';
import { type LiveEars, replayedParts } from './replayed-parts.js';
import { SimulatedClient } from './simulated-client.js';
import { type Happening, type InputLine, isHappening, type Tape, type TapeHead } from './tape.js';
import { type AnswerCounts, TapePlayer } from './tape-player.js';
import { decodePcm } from './tape-values.js';
import { WitnessedLog, WitnessedTransport, witnessedFaults } from './witnessed.js';

export interface ReplayOptions {
  /**
   * Settings to hold the call with instead of its own. The client's reports are then made up, since
   * the recorded ones are about other audio.
   */
  readonly changes?: Partial<AgentConfig> | undefined;
  /** Answer questions that the recorded call did not ask; without them the nearest answer does. */
  readonly ears?: LiveEars | undefined;
}

export interface Replayed {
  /** What the call did then, and what it did now. */
  readonly recorded: readonly Happening[];
  readonly replayed: readonly Happening[];
  readonly answers: AnswerCounts;
  /** ms of call time. */
  readonly durationMs: number;
}

/** Holds a recorded call again, with the real engine, as fast as it can be computed. */
export async function replay(tape: Tape, { changes, ears }: ReplayOptions = {}): Promise<Replayed> {
  const { head } = tape;
  const player = new TapePlayer(tape);
  const replayed: Happening[] = [];
  const witness = { clock: player, tell: (happening: Happening) => void replayed.push(happening) };
  const client = changes ? new SimulatedClient(player, head) : undefined;
  const recordedWire = new RecordedWire(head);
  const transport = new WitnessedTransport(client ?? recordedWire, witness);
  const { ports, noise, vad } = replayedParts({ head, player, ears });
  const call = new Call({
    ...ports,
    config: { ...head.config, ...changes },
    dictionary: head.dictionary && new Dictionary(head.dictionary),
    clock: player,
    ticker: new FrameTicker(player),
    transport,
    log: new WitnessedLog(ports.log, witness),
    onFault: witnessedFaults(() => undefined, witness),
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
        recordedWire.backlogBytes = line.bytes;
    }
  };
  await player.play({
    input,
    vad,
    cleaned: (line) => noise.cleaned(line),
    notCleaned: () => noise.failed(),
  });
  return {
    recorded: tape.lines.filter(isHappening),
    replayed,
    answers: player.counts,
    durationMs: tape.lines.at(-1)?.t ?? 0,
  };
}

/** A wire whose client is on the tape: what is sent need not arrive. */
class RecordedWire implements CallTransport {
  readonly sampleRate: number;
  readonly hasEchoCanceller: boolean;
  readonly canPause: boolean;
  backlogBytes = 0;

  constructor({ sampleRate, hasEchoCanceller, canPause = true }: TapeHead) {
    this.sampleRate = sampleRate;
    this.hasEchoCanceller = hasEchoCanceller;
    this.canPause = canPause;
  }

  audio(): void {
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
