import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import { turnEnds } from '../../../agents-runtime/observers/replay/effect-listing.js';
import type { ObservedEffect } from '../../../agents-runtime/observers/replay/replay-format.js';
import type { Scene } from './replay-studio.js';

export interface SceneScript {
  readonly name: string;
  readonly config?: Partial<AgentConfig>;
  /** The agent's answers, turn by turn. */
  readonly replies: readonly string[];
  readonly play: (scene: Scene) => Promise<void>;
  /** Expected numbers of turns and utterances, and expected transport actions. */
  readonly expected: ExpectedEffects;
}

export interface ExpectedEffects {
  readonly turns: number;
  readonly utterances: number;
  readonly transportActions: readonly string[];
}

export function effectsOf(happenings: readonly ObservedEffect[]): ExpectedEffects {
  const utterances = happenings.filter(
    (happening) =>
      happening.type === 'event' &&
      happening.event.type === 'transcript' &&
      happening.event.role === 'agent' &&
      happening.event.final &&
      happening.event.text !== '',
  );
  const acts = happenings.flatMap((happening) =>
    happening.type === 'transport' ? [happening.action] : [],
  );
  return {
    turns: turnEnds(happenings).length,
    utterances: utterances.length,
    transportActions: acts.filter((act) => act !== 'audio' && act !== 'close'),
  };
}

const STORY =
  'We open at nine in the morning and close at six in the evening, on Sundays we open at ten, and on holidays we are closed all day long.';

/** The calls of `test/fixtures/replays`. */
export const SCENES: readonly SceneScript[] = [
  {
    name: 'question-answered',
    expected: { turns: 1, utterances: 2, transportActions: [] },
    config: { greeting: 'Hello, how can I help?' },
    replies: ['A swim costs four euros.'],
    async play(scene) {
      await scene.until('listening');
      await scene.say('How much does it cost to swim?');
      await scene.until('speaking');
      await scene.until('listening', 400);
    },
  },
  {
    name: 'barge-in',
    expected: { turns: 2, utterances: 2, transportActions: ['pause', 'clear'] },
    replies: [STORY, 'You are welcome.'],
    async play(scene) {
      await scene.say('When are you open?');
      await scene.until('speaking', 2_000);
      await scene.say('Thank you, that is all I need to know.');
      await scene.until('speaking');
      await scene.until('listening', 400);
    },
  },
  {
    name: 'false-interruption',
    expected: { turns: 1, utterances: 1, transportActions: ['pause', 'resume'] },
    replies: ['We open at nine in the morning and close at six in the evening.'],
    async play(scene) {
      await scene.say('When are you open?');
      await scene.until('speaking', 1_000);
      await scene.cough();
      await scene.until('listening', 400);
    },
  },
  {
    name: 'backchannel',
    expected: { turns: 1, utterances: 1, transportActions: ['pause', 'resume'] },
    replies: [STORY],
    async play(scene) {
      await scene.say('When are you open?');
      await scene.until('speaking', 1_500);
      await scene.say('Okay.');
      await scene.until('listening', 400);
    },
  },
  {
    name: 'number-with-pauses',
    expected: { turns: 1, utterances: 2, transportActions: [] },
    config: { greeting: 'What is your phone number?' },
    replies: ['Thank you, I have written it down.'],
    async play(scene) {
      await scene.until('listening');
      await scene.say('It is five five five,');
      await scene.silence(700);
      await scene.say('zero one two,');
      await scene.silence(800);
      await scene.say('three four five six.');
      await scene.until('speaking');
      await scene.until('listening', 400);
    },
  },
  {
    name: 'silence',
    expected: { turns: 0, utterances: 3, transportActions: [] },
    config: { greeting: 'Hello, how can I help?', userSilenceTimeoutMs: 4_000 },
    replies: [],
    async play(scene) {
      await scene.silence(16_000);
    },
  },
  {
    name: 'resumed-socket',
    expected: { turns: 1, utterances: 1, transportActions: ['announce'] },
    replies: ['We open at nine in the morning and close at six in the evening.'],
    async play(scene) {
      await scene.say('When are you open?');
      await scene.until('speaking', 1_000);
      await scene.disconnect(2_000);
      await scene.until('listening', 400);
    },
  },
];
