import {
  firstAudioOf,
  machineNow,
  measure,
  numberBehind,
  printFigures,
  printVerdicts,
  realTimeFactorOf,
  toVerdict,
} from './comparison.js';
import { gatewaySpeaker, startGateway } from './gateway.js';
import { startPeers } from './peers.js';
import type { Speaker } from './speaker.js';

/** Maximum time to the first audio relative to the best peer, by number of words. */
const FIRST_AUDIO_TARGETS = { 3: 0.4, 12: 0.2, 40: 0.15 };
const FACTOR_TARGET = 0.5;
const FACTOR_WORDS = 40;
const DEFAULT_ROUNDS = 15;

/**
 * Compares time to first audio and real-time factor of the gateway over HTTP with two peers in
 * child processes without HTTP. One thread each, interleaved rounds, medians. `--json` prints JSON,
 * `--rounds N` sets the rounds, `--peers-only` omits the gateway.
 */
export async function run(args: readonly string[]): Promise<number> {
  const rounds = numberBehind(args, '--rounds', DEFAULT_ROUNDS);
  const hasOurs = !args.includes('--peers-only');
  const speakers: Speaker[] = [...(await startPeers())];
  try {
    if (hasOurs) speakers.unshift(gatewaySpeaker(await startGateway()));
    const measured = await measure(speakers, rounds);
    const { figures } = measured;
    const first = Object.entries(FIRST_AUDIO_TARGETS).map(([words, target]) =>
      toVerdict(
        { name: `first audio, ${words} words`, words: Number(words), target },
        measured,
        firstAudioOf,
      ),
    );
    const factor = toVerdict(
      { name: 'real-time factor', words: FACTOR_WORDS, target: FACTOR_TARGET },
      measured,
      realTimeFactorOf,
    );
    const verdicts = hasOurs ? [...first, factor] : [];
    if (args.includes('--json')) {
      const machine = machineNow();
      console.log(JSON.stringify({ machine, rounds, figures, verdicts }, undefined, 2));
    } else {
      printFigures(figures);
      printVerdicts(verdicts);
    }
    return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
  } finally {
    await Promise.all(speakers.map((speaker) => speaker.close()));
  }
}
