import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../media/stt/moonshine-speech-to-text.js';
import { HibariVoice } from '../../media/tts/hibari/hibari-voice.js';
import { ModelWork } from '../support/harness/audio/virtual-clock-models.js';
import {
  type InterruptionResult,
  runInterruptions,
} from '../support/harness/call/interruption-trial.js';
import { modelFolder } from '../support/harness/process/model-folder.js';

const CUTS = 50;

/**
 * Compares the history of interrupted agents with a transcript of the audio that the client played:
 * 50 interruptions by text and by speech with network delays of 0–100 ms. `--json` prints JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const scheduler = new CpuScheduler(1);
  const recogniser = new MoonshineSpeechToText({
    id: 'moonshine-tiny-en',
    folder: modelFolder('moonshine-tiny-en'),
    scheduler,
  });
  const voice = new HibariVoice({
    id: 'hibari-heart',
    folder: modelFolder('hibari-heart'),
    scheduler,
  });
  const work = new ModelWork();
  const cachedVoice = work.voice(voice);
  const cuts = await runInterruptions({ work, voice: cachedVoice, recogniser, cuts: CUTS });
  await Promise.all([voice, recogniser].map((part) => part.close()));
  const counts: Record<string, number> = {};
  for (const { extraWords } of cuts) counts[extraWords] = (counts[extraWords] ?? 0) + 1;
  const worst = Math.max(...cuts.map(({ extraWords }) => Math.abs(extraWords)));
  const isMet = worst <= 1;
  if (args.includes('--json')) {
    console.log(
      JSON.stringify({ cuts: cuts.length, counts, worst, isMet, all: cuts }, undefined, 2),
    );
  } else {
    console.log(cuts.map(lineOf).join('\n'));
    console.log(
      `${isMet ? 'met' : 'missed'}: at most ${worst} words of difference in ${cuts.length} interruptions`,
    );
  }
  return isMet ? 0 : 1;
}

function lineOf({
  by,
  networkDelayMs,
  seconds,
  extraWords,
  committed,
  playedTranscript,
}: InterruptionResult): string {
  const facts = [
    by.padEnd(6),
    `${networkDelayMs} ms`.padStart(6),
    `${seconds.toFixed(1)} s`.padStart(6),
  ];
  return `${facts.join(' ')} ${String(extraWords).padStart(3)}  …${committed.slice(-40)} | …${playedTranscript.slice(-40)}`;
}
