import { Segmenter, type SpeechEdge } from '../../../../media/vad/segmenter.js';
import type { EndpointingSettings, Outcome } from './endpointing-call.js';
import type { RealSpeechModels } from './real-models.js';
import { RATE, type Take } from './takes.js';

const PRE_ROLL = 8_000;
const TAIL = 3_200;

interface Pause {
  readonly speechEndSample: number;
  /** Start of the next speech; undefined if there is none. */
  readonly nextSample: number | undefined;
}

/**
 * The outcome of simpler rules on a take, from the same speech edges: a silence threshold (`vad`),
 * or two delays chosen by the turn model (`turn-model`).
 */
export async function baseline(
  kind: 'vad' | 'turn-model',
  take: Take,
  probabilities: readonly number[],
  models: RealSpeechModels,
  settings: EndpointingSettings,
): Promise<Outcome> {
  const shortest = Math.max(settings.minSilenceMs, settings.minEndpointingMs);
  const commits: number[] = [];
  let startSample: number | undefined;
  for (const { start, pause } of pausesOf(probabilities, settings)) {
    startSample ??= start;
    let delayMs = shortest;
    if (kind === 'turn-model') {
      const from = Math.max(0, startSample - PRE_ROLL);
      const speech = take.samples.slice(from, pause.speechEndSample + TAIL);
      if ((await models.completeness(speech)) <= 0.5) delayMs = settings.maxEndpointingMs;
    }
    const dueSample = pause.speechEndSample + (delayMs * RATE) / 1000;
    if (pause.nextSample !== undefined && pause.nextSample < dueSample) continue;
    commits.push(((dueSample - take.endSample) * 1000) / RATE);
    startSample = undefined;
  }
  return { commits, texts: [] };
}

/** Each pause with the start of the speech before it. */
function pausesOf(probabilities: readonly number[], { minSilenceMs }: EndpointingSettings) {
  const segmenter = new Segmenter({ threshold: 0.6, minSpeechMs: 100, minSilenceMs });
  const edges: SpeechEdge[] = [];
  for (const probability of probabilities) segmenter.push(probability, (edge) => edges.push(edge));
  const pauses: { start: number; pause: Pause }[] = [];
  let start = 0;
  edges.forEach((edge, i) => {
    if (edge.type === 'speech-started') start = edge.startSample;
    if (edge.type === 'speech-resumed') start = edge.atSample;
    if (edge.type !== 'pause') return;
    const next = edges.slice(i + 1).find(({ type }) => /started|resumed/.test(type));
    const { speechEndSample } = edge;
    pauses.push({ start, pause: { speechEndSample, nextSample: next?.atSample } });
  });
  return pauses;
}
