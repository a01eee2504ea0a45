import type { AgentConfig } from '../../../agents-runtime/agent/agent-config.js';
import type { Scene } from './studio.js';

export interface SceneScript {
  readonly name: string;
  readonly config?: Partial<AgentConfig>;
  /** What the agent answers, turn by turn. */
  readonly replies: readonly string[];
  readonly play: (scene: Scene) => Promise<void>;
}

const STORY =
  'We open at nine in the morning and close at six in the evening, on Sundays we open at ten, and on holidays we are closed all day long.';

/** The calls of `test/fixtures/replays`. */
export const SCENES: readonly SceneScript[] = [
  {
    name: 'question-answered',
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
    config: { greeting: 'Hello, how can I help?', userSilenceTimeoutMs: 4_000 },
    replies: [],
    async play(scene) {
      await scene.silence(16_000);
    },
  },
  {
    name: 'resumed-socket',
    replies: ['We open at nine in the morning and close at six in the evening.'],
    async play(scene) {
      await scene.say('When are you open?');
      await scene.until('speaking', 1_000);
      await scene.away(2_000);
      await scene.until('listening', 400);
    },
  },
];
