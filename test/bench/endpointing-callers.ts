import { type CpuScheduler, ThreadQueue } from '../../media/runtime/cpu-scheduler.js';
import { EspeakVoice } from '../../media/tts/espeak/espeak-voice.js';
import { HibariVoice } from '../../media/tts/hibari/hibari-voice.js';
import { openJoe, startFormantProcess } from '../support/harness/audio/piper-joe.js';
import type { Caller } from '../support/harness/endpointing/takes.js';
import { modelFolder } from '../support/harness/process/model-folder.js';

/** Voices for the turns: tuning voices, from which the rules were chosen, and evaluation voices. */
export interface Callers {
  readonly tuning: readonly Caller[];
  readonly judging: readonly Caller[];
  close(): Promise<void>;
}

export async function openCallers(scheduler: CpuScheduler): Promise<Callers> {
  const process = startFormantProcess();
  const queue = new ThreadQueue(scheduler);
  const formant = (voice: string) =>
    new EspeakVoice({ id: voice, language: 'en', voice, process, queue });
  const heart = new HibariVoice({
    id: 'hibari-heart',
    folder: modelFolder('hibari-heart'),
    scheduler,
  });
  const joe = await openJoe(process, scheduler);
  return {
    tuning: [
      { voice: heart, speed: 1 },
      { voice: heart, speed: 1.2 },
      { voice: formant('en-us'), speed: 1 },
      { voice: heart, speed: 0.9 },
    ],
    judging: [
      { voice: joe, speed: 1 },
      { voice: joe, speed: 1.2 },
      { voice: joe, speed: 0.85 },
      { voice: formant('en-gb-scotland'), speed: 0.95 },
      { voice: formant('en-us+f3'), speed: 1.1 },
    ],
    close: async () => {
      await Promise.all([heart.close(), joe.close()]);
      await process.close();
    },
  };
}
