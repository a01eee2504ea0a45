import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../media/tts/hibari/hibari-voice.js';
import { SileroVoiceActivity } from '../../media/vad/silero-voice-activity.js';
import { SpeechSynthesiser } from '../support/harness/audio/synthesised-speech.js';
import { ModelWork } from '../support/harness/audio/virtual-clock-models.js';
import {
  countFalseCuts,
  countInterrupted,
  otherVoice,
  SENTENCES,
} from '../support/harness/call/echo-trial.js';
import { modelFolder } from '../support/harness/process/model-folder.js';

const INTERRUPTIONS = [
  'Wait, I have another question.',
  'Stop, please.',
  'No, that is not what I meant.',
  'Sorry, can I say something?',
  'Hold on a second.',
];
/** Level of callers relative to the agent, in dB. */
const CALLERS_DB = [0, -6, -10];
const MIN_CAUGHT = 0.95;

/**
 * Simulates echo at −15 and −25 dB with a delay of 60–400 ms on the virtual clock. Counts false
 * interruptions with and without the echo gate's floor, and detected interruptions. `--json` prints
 * JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const scheduler = new CpuScheduler(1);
  const speaker = new SpeechSynthesiser(scheduler);
  const voice = new HibariVoice({
    id: 'hibari-heart',
    folder: modelFolder('hibari-heart'),
    scheduler,
  });
  const voiceActivity = new SileroVoiceActivity({
    folder: modelFolder('silero-vad'),
    onFault: (error) => console.error(error),
  });
  const work = new ModelWork();
  const remembering = work.voice(voice);
  const options = { work, voice: remembering, voiceActivity, hasEchoCanceller: false };
  const echo = await countFalseCuts(options, SENTENCES);
  const without = await countFalseCuts({ ...options, hasEchoCanceller: true }, SENTENCES);
  const caught: Record<string, number> = {};
  for (const levelDb of CALLERS_DB) {
    const clips: Float32Array[] = [];
    for (const text of INTERRUPTIONS) clips.push(otherVoice(await speaker.say(text), levelDb));
    caught[`${levelDb} dB`] =
      (await countInterrupted(options, SENTENCES, clips)) / SENTENCES.length;
  }
  await Promise.all([speaker, voice, voiceActivity].map((part) => part.close()));
  const isMet = echo.falseCuts === 0 && (caught['0 dB'] ?? 0) >= MIN_CAUGHT;
  const figures = { echo, withoutFloor: without, caught, isMet };
  console.log(args.includes('--json') ? JSON.stringify(figures, undefined, 2) : tableOf(figures));
  return isMet ? 0 : 1;
}

function tableOf({
  echo,
  withoutFloor,
  caught,
  isMet,
}: {
  readonly echo: { readonly sentences: number; readonly falseCuts: number };
  readonly withoutFloor: { readonly falseCuts: number };
  readonly caught: Readonly<Record<string, number>>;
  readonly isMet: boolean;
}): string {
  const rows = Object.entries(caught).map(
    ([level, share]) =>
      `caller at ${level}: ${(share * 100).toFixed(0)} % of interruptions noticed`,
  );
  return [
    `false cuts in ${echo.sentences} sentences: ${echo.falseCuts} (without the floor ${withoutFloor.falseCuts})`,
    ...rows,
    isMet ? 'met' : 'missed',
  ].join('\n');
}
