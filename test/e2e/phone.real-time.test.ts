import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import type { AgentConfigInput } from '../../src/features/agents/config/agent-config.schema.js';
import type { SimulatedCall } from '../../tools/simulator/simulated-call.js';
import type { SimulatedLeg } from '../../tools/simulator/simulated-leg.js';
import { TwilioCall } from '../../tools/simulator/twilio/twilio-call.js';
import { type FakeCarrier, TWILIO } from '../support/fakes/carrier.js';
import { startTwilio } from '../support/fakes/carrier-servers.js';
import { addCall } from '../support/fakes/twilio-calls.js';
import { status, WebhookReceiver } from '../support/fakes/webhook-receiver.js';
import { decodeChannels } from '../support/harness/audio/decode-audio.js';
import { SpeechTranscriber } from '../support/harness/audio/speech-transcriber.js';
import { toneOnsets } from '../support/harness/audio/tone-onsets.js';
import {
  ask,
  endedCall,
  makeAgent,
  SHOP,
  StoredCalls,
} from '../support/harness/call/call-agents.js';
import {
  CALLER,
  callByPhone,
  LINE_RATE,
  type PhoneScenario,
  spokenByProduct,
  VARIABLES,
} from '../support/harness/call/phone-scenarios.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';

const ROSES = 'How much are twelve red roses?';
/** The variable is set by the owner's webhook or by the dialplan; its words occur nowhere else. */
const GREETING =
  'Hello, this is {{place}}. You can ask me anything about our flowers, our prices and our opening hours, and I will tell you all that I have been told about them, for as long as you like to listen to me. We have roses and tulips and lilies of every colour, we have them in the morning and in the evening, and we bring them to your door on any day of the week that you want to have them, in the city and in all the villages around it.';
const BREAK_IN_AFTER_MS = 6_000;
const CARRIERS = ['twilio', 'audiosocket'] as const;
/** Longer than any pause in the agent's speech, on a busy machine too. */
const SPOKEN_MS = 2_000;
const LISTENED_S = 12;
/** Tolerance between the recordings of two legs, because the machine may stall. In milliseconds. */
const APART_MS = 1_000;
/** Number of attempts per question, because a busy machine may recognise only a part of it. */
const MAX_QUESTIONS = 3;

/** Protocol violations of a call, except for lead times, which a stalled test process distorts. */
const brokenRules = ({ faults }: SimulatedCall) => faults.filter(({ code }) => code !== 'lead');

describeWith(['ffmpeg'], 'phone call', ({ ffmpeg }) => {
  let question: Int16Array;
  let rest: FakeCarrier;
  let hook: WebhookReceiver;
  let product: Product;
  let stored: StoredCalls;
  let listener: SpeechTranscriber;
  /** Counter for the numbers of outbound calls. */
  let made = 0;

  beforeAll(async () => {
    rest = await startTwilio();
    hook = await WebhookReceiver.open();
    product = await startProduct({
      env: {
        TWILIO_ACCOUNT_SID: TWILIO.accountSid,
        TWILIO_AUTH_TOKEN: TWILIO.authToken,
        TWILIO_BASE_URL: rest.baseUrl,
        AUDIOSOCKET_PORT: '0',
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
    });
    stored = new StoredCalls(product);
    listener = new SpeechTranscriber();
    question = await spokenByProduct(product, ROSES);
  });
  afterAll(async () => {
    await listener?.close();
    await stored?.close();
    await product?.stop();
    hook?.close();
    rest?.close();
  });

  /** Starts an answered call that ends with its test. */
  async function phone(
    carrier: (typeof CARRIERS)[number],
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    config: AgentConfigInput = {},
  ) {
    const webhooks = {
      inbound_call: { url: hook.url(), secret: 'hush', timeout: 5, enabled: true },
    };
    const scenario = await callByPhone(product, carrier, {
      greeting: GREETING,
      allow_interruptions_on_greeting: true,
      // Whether and when speech over another voice is recognised is not guaranteed.
      min_interruption_words: 0,
      ...(carrier === 'twilio' && { webhooks }),
      ...config,
    });
    const { call } = scenario;
    onTestFinished(() => call.hangUp());
    if ('callSid' in call) addCall(rest, String(call.callSid));
    expect(await call.ring()).toBe('answered');
    return scenario;
  }

  /**
   * Transcript of the agent's audio since `fromMs`, at most the longest input of the recogniser.
   */
  function transcribed({ audio: legAudio }: SimulatedLeg, fromMs: number): Promise<string> {
    const agent = legAudio.agent.slice((fromMs * LINE_RATE) / 1000).slice(-LISTENED_S * LINE_RATE);
    return listener.transcribe(
      Float32Array.from(agent, (sample) => sample / 32768),
      LINE_RATE,
    );
  }

  /** Repeats a question until the answer contains one of the words and has ended. */
  async function askFor(scenario: PhoneScenario, words: RegExp): Promise<void> {
    const { leg: line } = scenario.call;
    let text = '';
    for (let times = 0; times < MAX_QUESTIONS; times++) {
      const askedMs = await askAloud(line);
      for (
        let sinceMs = askedMs;
        await line.untilAgentIsSilent(sinceMs, SPOKEN_MS);
        sinceMs = line.atMs
      ) {
        text += ` ${await transcribed(line, sinceMs)}`;
        if (words.test(text)) return;
      }
    }
    const turns = (await turnsOf(scenario)).map(({ role, text: said, cut }) => [role, said, cut]);
    expect(text, JSON.stringify(turns)).toMatch(words);
  }

  /** Asks by voice and returns the end of the question. */
  async function askAloud(line: SimulatedLeg): Promise<number> {
    line.say(question);
    await line.until(() => !line.isCallerSpeaking);
    return line.callerLoudMs;
  }

  const turnsOf = ({ call }: PhoneScenario) => stored.turns(call.callId!);

  async function recordOf({ call, number }: PhoneScenario) {
    const record = await endedCall(product, call.callId!);
    expect(record).toMatchObject({ from_number: CALLER, to_number: number });
    const { body } = await ask(product, 'GET', '/agent/call-history?limit=100');
    const ofNumber = (item: { to_number: string }) => item.to_number === number;
    expect(body.items.filter(ofNumber)).toHaveLength(1);
    return record;
  }

  async function recordingOf({ call }: PhoneScenario) {
    const path = `/agent/call-history/${call.callId}/recording`;
    let answer = await ask(product, 'GET', path);
    for (let tries = 0; answer.body.status !== 'ready' && tries < 300; tries++) {
      await sleep(100);
      answer = await ask(product, 'GET', path);
    }
    expect(answer.body.status).toBe('ready');
    const file = Buffer.from(await (await fetch(answer.body.url)).arrayBuffer());
    const form = { channels: 2, sampleRate: LINE_RATE };
    const [caller, agent] = await decodeChannels(ffmpeg, file, form);
    return { caller: caller!, agent: agent! };
  }

  /** Time from the first tone of one leg to the first tone of the other, in milliseconds. */
  const between = (caller: Float32Array, agent: Float32Array) =>
    toneOnsets(caller, LINE_RATE)[0]! - toneOnsets(agent, LINE_RATE)[0]!;

  it.concurrent.for(CARRIERS)(
    'through %s is greeted, answered, interrupted and receives DTMF, and the caller hangs up',
    async (carrier, context) => {
      if (carrier === 'twilio') hook.answer(status(200, { dynamic_variables: VARIABLES }));
      const scenario = await phone(carrier, context);
      const { call } = scenario;
      const { leg: line } = call;
      expect(await line.untilAgentSpeaks(0)).toBe(true);
      const breakInMs = line.agentOnsetMs + BREAK_IN_AFTER_MS;
      await line.until(() => line.atMs >= breakInMs);
      const greeted = transcribed(line, 0);
      await askFor(scenario, /thirty|30|vase|bouquet|roses/);
      expect(await greeted).toMatch(/garden|library|boston/);

      const keyedMs = line.atMs;
      call.press('5#');
      expect(await line.untilAgentSpeaks(keyedMs)).toBe(true);
      call.hangUp();
      expect(await call.ended).toEqual({ by: 'caller', how: 'hung up' });

      const record = await recordOf(scenario);
      expect(record).toMatchObject({ ended_reason: 'user_hangup', call_type: 'sip_inbound' });
      const turns = await turnsOf(scenario);
      expect(turns[0]).toMatchObject({ role: 'agent', cut: true });
      expect(turns[0]!.text.length).toBeLessThan(
        GREETING.replace('{{place}}', VARIABLES.place).length,
      );
      expect(turns.map(({ text }) => text)).toContainEqual(expect.stringContaining('5#'));
      expect(brokenRules(call)).toEqual([]);
      if (carrier === 'twilio') expect(line.clears).toBeGreaterThan(0);

      const { caller, agent } = await recordingOf(scenario);
      const { audio: legAudio } = line;
      const [ours, theirs] = [legAudio.caller, legAudio.agent].map((leg) =>
        Float32Array.from(leg, (sample) => sample / 32768),
      );
      expect(Math.abs(between(caller, agent) - between(ours!, theirs!))).toBeLessThan(APART_MS);
    },
  );

  // Runs alone, because a busy gateway refuses a fifth call.
  it('from an agent plays the agent to the called party', async ({ onTestFinished }) => {
    const [from, to] = [`+1555${2000 + made++}`, '+14155550123'];
    const calling = { allow_outbound_calling: true, outbound_contacts: { Ann: to } };
    const agent_id = await makeAgent(product, { ...SHOP, ...calling, phone_number: from });
    const requestBody = { agent_id, target_phone_number: to };
    const { status: answered, body } = await ask(product, 'POST', '/calls/outbound', requestBody);
    expect([answered, body.status]).toEqual([200, 'initiated']);
    const ordered = [...rest.calls.values()].find(({ order }) => order.get('From') === from)!;
    const call = new TwilioCall({
      clock: systemClock,
      gatewayUrl: product.url,
      ...TWILIO,
      from,
      to,
      outbound: {
        callSid: ordered.sid,
        answerUrl: ordered.order.get('Url')!,
        statusUrl: ordered.order.get('StatusCallback')!,
      },
    });
    onTestFinished(() => call.hangUp());
    expect(await call.ring()).toBe('answered');
    expect(await call.leg.untilAgentSpeaks(0)).toBe(true);
    call.hangUp();
    expect(await endedCall(product, body.call_id)).toMatchObject({
      call_type: 'sip_outbound',
      from_number: from,
      to_number: to,
      ended_reason: 'user_hangup',
    });
    expect(brokenRules(call)).toEqual([]);
  });

  it.concurrent.for(CARRIERS)(
    'through %s ends when the gateway hangs up',
    async (carrier, context) => {
      const scenario = await phone(carrier, context, { greeting: SHOP.greeting, webhooks: null });
      const { call } = scenario;
      expect(await call.leg.untilAgentSpeaks(0)).toBe(true);
      const ended = await ask(product, 'POST', `/calls/${call.callId}/end`);
      expect(ended.status).toBe(200);
      expect((await call.ended).by).toBe('gateway');
      expect(brokenRules(call)).toEqual([]);
      await recordOf(scenario);
    },
  );
});
