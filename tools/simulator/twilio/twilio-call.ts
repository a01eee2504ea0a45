import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../agents-runtime/contract/clock.js';
import { callIdOf } from '../../../src/calls/inbound/carrier-call-id.js';
import { type ProtocolViolation, ProtocolViolations } from '../protocol-violations.js';
import type { CallEnd, SimulatedCall } from '../simulated-call.js';
import { SimulatedLeg } from '../simulated-leg.js';
import { TwilioStream } from './twilio-stream.js';
import { TwilioWebhooks } from './twilio-webhooks.js';
import { readTwiml, streamOf, textOf, type Verb } from './twiml-reader.js';

/** Bounds redirects in a circle. */
const MAX_STEPS = 50;

export interface TwilioCallOptions {
  readonly clock: Clock;
  /** Where the gateway listens, such as `http://127.0.0.1:8080`. */
  readonly gatewayUrl: string;
  /** The gateway's PUBLIC_URL, if set. */
  readonly publicUrl?: string;
  readonly accountSid: string;
  readonly authToken: string;
  /** A number, a SIP address, or `anonymous`. */
  readonly from: string;
  readonly to: string;
  readonly driftPpm?: number;
  readonly isRecorded?: boolean;
  /** Set for a call that the gateway requested: its id and webhook URLs. */
  readonly outbound?: {
    readonly callSid: string;
    readonly answerUrl: string;
    readonly statusUrl?: string;
  };
}

/** A call through Twilio: its webhooks, the TwiML that answers them, and its media stream. */
export class TwilioCall implements SimulatedCall {
  readonly leg: SimulatedLeg;
  readonly callSid: string;
  readonly callId: string | undefined;
  readonly ended: Promise<CallEnd>;
  /** Executed TwiML verbs, such as `Connect` and `Reject busy`. */
  readonly steps: string[] = [];
  readonly #options: TwilioCallOptions;
  readonly #webhooks: TwilioWebhooks;
  readonly #faults = new ProtocolViolations();
  #stream: TwilioStream | undefined;
  #end: ((end: CallEnd) => void) | undefined;
  #isOver = false;
  readonly #pendingWebhooks: Promise<void>[] = [];
  #answered: (() => void) | undefined;
  /** TwiML of the gateway's REST request, which replaces the remaining verbs. */
  #replacement: readonly Verb[] | undefined;

  constructor(options: TwilioCallOptions) {
    this.#options = options;
    const { clock, gatewayUrl, publicUrl = gatewayUrl, authToken, driftPpm, isRecorded } = options;
    this.callSid = options.outbound?.callSid ?? `CA${randomBytes(16).toString('hex')}`;
    this.callId = options.outbound ? undefined : callIdOf('twilio', this.callSid);
    this.#webhooks = new TwilioWebhooks({ gatewayUrl, publicUrl, authToken });
    this.leg = new SimulatedLeg({
      clock,
      sampleRate: 8000,
      driftPpm,
      isRecorded,
      send: (frame) => this.#stream?.sendFrame(frame),
      onMark: (name) => this.#stream?.sendMark(name),
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get faults(): readonly ProtocolViolation[] {
    return this.#faults.list;
  }

  async ring(): Promise<'answered' | 'ended'> {
    return new Promise((resolve, reject) => {
      this.#answered = () => resolve('answered');
      void this.ended.then(() => resolve('ended'));
      this.#follow().catch((error: unknown) => {
        this.#finish({ by: 'carrier', how: 'the call could not go on' });
        reject(error);
      });
    });
  }

  press(digits: string): void {
    for (const digit of digits) this.#stream?.sendDigit(digit);
  }

  hangUp(): void {
    this.#stream?.stop();
    this.#finish({ by: 'caller', how: 'hung up' });
  }

  /** The gateway ended the call by Twilio's REST interface: `Status=completed`. */
  complete(): void {
    this.#stream?.stop();
    this.#finish({ by: 'gateway', how: 'ended the call over REST' });
  }

  /** The gateway replaced the TwiML by Twilio's REST interface: `Twiml=…`. */
  update(twiml: string): void {
    this.#replacement = readTwiml(twiml);
    this.#stream?.stop();
  }

  async #follow(): Promise<void> {
    const { outbound } = this.#options;
    const url = outbound?.answerUrl ?? '/telephony/twilio/voice';
    const answer = await this.#webhooks.post(url, this.#form(outbound ? 'in-progress' : 'ringing'));
    let rest = [...readTwiml(answer)];
    for (let step = 0; step < MAX_STEPS && !this.#isOver; step++) {
      const verb = rest.shift();
      if (!verb) {
        this.#finish({ by: 'gateway', how: 'hung up' });
        return;
      }
      const next = await this.#execute(verb);
      const instead = this.#replacement ?? next;
      this.#replacement = undefined;
      if (instead) rest = [...instead];
    }
    this.#finish({ by: 'carrier', how: `gave up after ${MAX_STEPS} steps of TwiML` });
  }

  /** @returns the verbs that replace the remaining ones, if any */
  async #execute(verb: Verb): Promise<readonly Verb[] | undefined> {
    const { name, attributes } = verb;
    const said = textOf(verb);
    switch (name) {
      case 'Connect':
        this.steps.push(name);
        await this.#connectStream(verb);
        return attributes.action && !this.#isOver
          ? readTwiml(await this.#webhooks.post(attributes.action, this.#form('in-progress')))
          : undefined;
      case 'Redirect':
        this.steps.push(name);
        return readTwiml(await this.#webhooks.post(said, this.#form('in-progress')));
      case 'Reject': {
        const reason = attributes.reason ?? 'rejected';
        this.steps.push(`${name} ${reason}`);
        this.#finish({ by: 'gateway', how: `refused the call: ${reason}` });
        return undefined;
      }
      case 'Hangup':
        this.steps.push(name);
        this.#finish({ by: 'gateway', how: 'hung up' });
        return undefined;
      default:
        // Verbs that the carrier executes alone are only recorded.
        this.steps.push([name, said].filter((part) => part !== '').join(' '));
        return undefined;
    }
  }

  async #connectStream(connect: Verb): Promise<void> {
    const target = streamOf(connect);
    const url = this.#webhooks.toReachableUrl(target.url);
    const stream = new TwilioStream({
      url,
      signature: this.#webhooks.sign(target.url),
      parameters: target.parameters,
      accountSid: this.#options.accountSid,
      callSid: this.callSid,
      line: this.leg,
      faults: this.#faults,
    });
    await stream.open();
    if (this.#isOver) {
      stream.stop();
      return;
    }
    this.#stream = stream;
    const report = (event: string) =>
      this.#reportStreamEvent(target.statusCallback, event, stream.streamSid);
    report('stream-started');
    this.leg.start();
    this.#answered?.();
    await stream.closed;
    this.#stream = undefined;
    this.leg.stop();
    report(stream.isBroken ? 'stream-error' : 'stream-stopped');
    if (stream.isBroken) {
      this.#finish({ by: 'carrier', how: 'cut the stream off: the gateway broke its rules' });
    }
  }

  #reportStreamEvent(url: string | undefined, event: string, streamSid: string): void {
    if (url === undefined) return;
    const { accountSid } = this.#options;
    const form = {
      AccountSid: accountSid,
      CallSid: this.callSid,
      StreamSid: streamSid,
      StreamEvent: event,
      Timestamp: new Date().toISOString(),
    };
    this.#post(url, form);
  }

  #finish(end: CallEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.leg.stop();
    const { outbound } = this.#options;
    const status = /refused the call: busy/.test(end.how) ? 'busy' : 'completed';
    const url = outbound ? outbound.statusUrl : '/telephony/twilio/status';
    if (url !== undefined)
      this.#post(url, { ...this.#form(status), CallDuration: this.#seconds() });
    void Promise.all(this.#pendingWebhooks).then(() => this.#end?.(end));
  }

  #post(url: string, form: Readonly<Record<string, string>>): void {
    const sent = this.#webhooks.post(url, form).then(
      () => undefined,
      (error: unknown) => {
        const what = error instanceof Error ? error.message : 'a webhook failed';
        this.#faults.add('webhook', what, this.leg.atMs);
      },
    );
    this.#pendingWebhooks.push(sent);
  }

  #seconds(): string {
    return String(Math.ceil(this.leg.atMs / 1000));
  }

  #form(callStatus: string): Readonly<Record<string, string>> {
    const { accountSid, from, to, outbound } = this.#options;
    return {
      CallSid: this.callSid,
      AccountSid: accountSid,
      From: from,
      To: to,
      Caller: from,
      Called: to,
      CallStatus: callStatus,
      ApiVersion: '2010-04-01',
      Direction: outbound ? 'outbound-api' : 'inbound',
    };
  }
}
