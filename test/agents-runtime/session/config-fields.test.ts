import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { LlmRequest, ReplyToken } from '../../../agents-runtime/contract/language-model.js';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';
import { toolCall } from '../../support/harness/call/scripted-tools.js';

type Harness = ReturnType<typeof harness>;

interface Field {
  /** The name of the API field and of the internal setting. */
  readonly name: string;
  readonly options?: HarnessOptions;
  readonly act: (call: Harness) => Promise<unknown>;
  /** Settings with their expected result. */
  readonly cases: readonly (readonly [Partial<AgentConfig>, unknown])[];
}

const LONG = 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.';

/** Answers with a long sentence, a tool call or an echo, depending on the request. */
async function* replyByRequest({ history }: LlmRequest): AsyncGenerator<ReplyToken> {
  const { role, text } = history.at(-1)!;
  if (role === 'tool') yield text.startsWith('Error') ? 'I cannot.' : 'Fine.';
  else if (text === 'tell me') yield LONG;
  else if (text === 'bye') {
    yield 'Goodbye then.';
    yield toolCall('end_call');
  } else if (text === 'think') yield toolCall('skip_turn');
  else yield `You said ${text}.`;
}

async function ask(call: Harness, text: string, ms = 3_000): Promise<void> {
  await call.say(text, 600);
  await call.silence(ms);
}

async function interrupted(call: Harness, words: string): Promise<unknown> {
  await call.say('tell me', 600);
  while (call.states().at(-1) !== 'speaking') await call.silence(20);
  await call.silence(300);
  await call.say(words, 400);
  await call.silence(4_000);
  return call.control();
}

/** The texts passed to the voice. */
const spoken: string[] = [];

const FIELDS: readonly Field[] = [
  {
    name: 'greeting',
    act: async (call) => {
      await call.silence(2_000);
      return call.texts('agent');
    },
    cases: [
      [{ greeting: '' }, []],
      [{ greeting: 'Hello there.' }, ['Hello there.']],
    ],
  },
  {
    name: 'tts_min_sentence_len',
    act: async (call) => {
      spoken.length = 0;
      await ask(call, 'hello');
      return spoken.length;
    },
    options: {
      reply: async function* () {
        for (const sentence of ['Yes it is. ', 'Come in. ', 'Sit down. ', 'Be quiet now.']) {
          yield sentence;
        }
      },
      voiceFailsAfter: (text) => {
        spoken.push(text);
        return undefined;
      },
    },
    // The first chunk is exempt; later chunks never have 200 characters.
    cases: [
      [{ ttsMinSentenceLength: 0 }, 4],
      [{ ttsMinSentenceLength: 15 }, 3],
      [{ ttsMinSentenceLength: 200 }, 2],
    ],
  },
  {
    name: 'min_speech_duration',
    act: async (call) => {
      await call.say('yes', 300);
      await call.silence(2_500);
      return call.texts('user');
    },
    cases: [
      [{ minSpeechMs: 0 }, ['yes']],
      [{ minSpeechMs: 200 }, ['yes']],
      [{ minSpeechMs: 500 }, []],
    ],
  },
  {
    name: 'vad_activation_threshold',
    act: async (call) => {
      await ask(call, 'hello');
      return call.texts('user');
    },
    // The scripted VAD returns 0.95 for speech and 0.02 for silence.
    cases: [
      [{ vadActivationThreshold: 0.6 }, ['hello']],
      [{ vadActivationThreshold: 0.97 }, []],
    ],
  },
  {
    name: 'user_silence_timeout',
    act: async (call) => {
      await call.silence(12_000);
      return call.texts('agent').length;
    },
    cases: [
      [{ userSilenceTimeoutMs: 0 }, 0],
      [{ userSilenceTimeoutMs: 3_000 }, 2],
      [{ userSilenceTimeoutMs: 10_000 }, 1],
      [{ userSilenceTimeoutMs: 1e12 }, 0],
    ],
  },
  {
    name: 'max_call_duration_seconds',
    act: async (call) => {
      await call.silence(8_000);
      return call.ended();
    },
    cases: [
      [{ maxCallDurationMs: 1_000 }, 'max_duration_reached'],
      [{ maxCallDurationMs: 900_000 }, undefined],
    ],
  },
  {
    name: 'allow_agent_to_end_call, after silence',
    act: async (call) => {
      await call.silence(16_000);
      return [call.texts('agent').length, call.ended()];
    },
    cases: [
      [{ userSilenceTimeoutMs: 2_000, allowAgentToEndCall: false }, [2, undefined]],
      [{ userSilenceTimeoutMs: 2_000, allowAgentToEndCall: true }, [3, 'inactivity']],
    ],
  },
  {
    name: 'allow_agent_to_end_call, by its tool',
    act: async (call) => {
      await ask(call, 'bye', 5_000);
      return [call.ended(), call.texts('agent')[0]?.startsWith('Goodbye then.')];
    },
    cases: [
      [{ allowAgentToEndCall: false }, [undefined, true]],
      [{ allowAgentToEndCall: true }, ['agent_hangup', true]],
    ],
  },
  {
    name: 'allow_agent_to_skip_turn',
    act: async (call) => {
      await ask(call, 'think');
      return [call.texts('agent'), call.states().at(-1)];
    },
    cases: [
      [{ allowAgentToSkipTurn: false }, [['I cannot.'], 'listening']],
      [{ allowAgentToSkipTurn: true }, [[], 'listening']],
    ],
  },
  {
    name: 'allow_interruptions',
    act: (call) => interrupted(call, 'stop that'),
    cases: [
      [{ allowInterruptions: true }, ['pause', 'clear']],
      [{ allowInterruptions: false }, []],
    ],
  },
  {
    name: 'min_interruption_words',
    act: (call) => interrupted(call, 'stop that now'),
    cases: [
      [{ minInterruptionWords: 0 }, ['clear']],
      [{ minInterruptionWords: 3 }, ['pause', 'clear']],
      [{ minInterruptionWords: 10 }, ['pause', 'resume']],
    ],
  },
  {
    name: 'allow_interruptions_on_greeting',
    act: async (call) => {
      await call.silence(200);
      await call.say('are you open', 500);
      await call.silence(4_000);
      return call.control();
    },
    cases: [
      [{ greeting: LONG, allowInterruptionsOnGreeting: false }, []],
      [{ greeting: LONG, allowInterruptionsOnGreeting: true }, ['pause', 'clear']],
    ],
  },
  {
    name: 'llm_temperature and prompt',
    act: async (call) => {
      await ask(call, 'hello');
      const { temperature, prompt } = call.requests.at(-1)!;
      return [temperature, prompt];
    },
    cases: [
      [{ llmTemperature: 0, prompt: 'Be kind.' }, [0, 'Be kind.']],
      [{ llmTemperature: 2, prompt: '' }, [2, '']],
    ],
  },
];

describe('agent setting', () => {
  const table = FIELDS.flatMap(({ name, options, act, cases }) =>
    cases.map(([config, wanted]) => ({ name, options, act, config, wanted })),
  );

  it.each(table)('$name: $config', async ({ options, act, config, wanted }) => {
    const call = harness({ reply: replyByRequest, ...options, config });
    call.call.connected();
    expect(await act(call)).toEqual(wanted);
  });
});
