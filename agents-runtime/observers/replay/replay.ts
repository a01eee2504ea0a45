import { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import type { AgentConfig } from '../../contract/agent-config.js';
import type { Transport } from '../../contract/transport.js';
import { Call } from '../../session/call.js';
import { CallLanguage } from '../../session/call-language.js';
import { FrameTicker } from '../../timing/frame-ticker.js';
import { type Difference, diffEffects, kindOf } from './diff.js';
import { EffectObserver } from './effect-observer.js';
import { createReplayDependencies, type LiveModels } from './replay-adapters.js';
import { decodePcm } from './replay-encoding.js';
import {
  type InputLine,
  isObservedEffect,
  type ObservedEffect,
  type ReplayFile,
  type ReplayHeader,
  type ReplayLine,
} from './replay-format.js';
import { type AnswerCounts, ReplayPlayer } from './replay-player.js';
import { SimulatedClient } from './simulated-client.js';
import { diffTurns, isTurnEvent } from './turn-replay.js';

export interface ReplayOptions {
  /**
   * Replaces settings of the call. The client is then simulated, since the recorded reports are about
   * other audio.
   */
  readonly changes?: Partial<AgentConfig> | undefined;
  /** Models for requests that are not in the file. Without them, the nearest response is used. */
  readonly liveModels?: LiveModels | undefined;
}

export interface Replayed {
  /** What the call did when it was recorded, and in the replay. */
  readonly recorded: readonly ObservedEffect[];
  readonly replayed: readonly ObservedEffect[];
  /** Whether the turn events came in the recorded order. */
  readonly isSameOrder: boolean;
  /** Of the effects or, if the turn events came in another order, of their replay through the reducer. */
  readonly differences: readonly Difference[];
  readonly answers: AnswerCounts;
  /** ms of call time. */
  readonly durationMs: number;
}

/** Replays a recorded call with the real engine, as fast as it can be computed. */
export async function replay(
  { header, lines }: ReplayFile,
  { changes, liveModels }: ReplayOptions = {},
): Promise<Replayed> {
  const player = new ReplayPlayer(lines);
  const observed: ReplayLine[] = [];
  const observer = new EffectObserver(header.sampleRate, (line) => void observed.push(line));
  const client = changes ? new SimulatedClient(player.clock, header) : undefined;
  const transport = new RecordedTransport(header);
  const { ports, noise, vad } = createReplayDependencies({ header, player, liveModels });
  const config = { ...header.config, ...changes };
  const call = new Call({
    ...ports,
    config,
    dictionary: header.dictionary && new Dictionary(header.dictionary),
    clock: player.clock,
    ticker: new FrameTicker(player.clock),
    transport: client ?? transport,
    observers: [observer],
    onFault: () => undefined,
    onEnded: () => undefined,
  });
  if (client) client.onPlayed = (playedMs) => call.played(playedMs);
  await player.play({
    input: (line) => {
      if (line.type === 'backlog') transport.backlogBytes = line.bytes;
      else passOn(line, call, client);
    },
    vad,
    cleaned: (line) => noise.cleaned(line),
    notCleaned: () => noise.failed(),
  });
  const recorded = lines.filter(isObservedEffect);
  const replayed = observed.filter(isObservedEffect);
  const isSameOrder = turnOrder(lines) === turnOrder(observed);
  const { language } = new CallLanguage({ settings: config.voice, ...ports });
  return {
    recorded,
    replayed,
    isSameOrder,
    differences:
      isSameOrder || changes
        ? diffEffects(recorded, replayed)
        : diffTurns({ ...config, language }, lines),
    answers: player.counts,
    durationMs: lines.at(-1)?.t ?? 0,
  };
}

function turnOrder(lines: readonly ReplayLine[]): string {
  return lines.filter(isTurnEvent).map(kindOf).join('\n');
}

function passOn(
  line: Exclude<InputLine, { type: 'backlog' }>,
  call: Call,
  client: SimulatedClient | undefined,
): void {
  switch (line.type) {
    case 'connected':
      call.connected();
      break;
    case 'audio':
      call.audio(decodePcm(line.pcm));
      break;
    case 'typed':
      call.typed(line.text);
      break;
    case 'say':
      call.say(line.text);
      break;
    case 'played':
      if (!client) call.played(line.playedMs);
      break;
    case 'lost':
      client?.leave();
      call.lost(line.forMs);
      break;
    case 'regained':
      call.regained(client?.receivedMs ?? line.receivedMs, (fromMs) => client?.comeBack(fromMs));
      break;
    case 'hang-up':
      call.hangUp(line.reason);
  }
}

const ignore = () => undefined;

/** A transport without a client: the client's reports are in the file. The observer sees what is sent. */
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

  readonly sendAudio = ignore;
  readonly pause = ignore;
  readonly resumeFrom = ignore;
  readonly clear = ignore;
  readonly send = ignore;
  readonly close = ignore;
}
