/** Messages for `getUserMedia` errors. Source: Media Capture and Streams, §10.2. */
const MICROPHONE: Readonly<Record<string, string>> = {
  NotAllowedError: 'The browser blocks the microphone. Allow it for this page in the address bar.',
  NotFoundError: 'No microphone was found. Connect one.',
  NotReadableError: 'The microphone is in use by another program, or the system blocks it.',
  OverconstrainedError: 'The selected microphone is not available. Select another one.',
  SecurityError: 'This browser does not allow pages to use the microphone.',
};

const REFUSALS: Readonly<Record<string, string>> = {
  agent_not_deployed: 'This agent is not deployed, so it accepts no calls.',
  insufficient_credits: 'The account has no credits left.',
  concurrency_limit: 'All call slots are in use. Try again when another call has ended.',
};

const ENDINGS: Readonly<Record<string, string>> = {
  user_hangup: 'You hung up.',
  agent_hangup: 'The agent ended the call.',
  inactivity: 'The call ended because nobody spoke.',
  max_duration_reached: 'The call reached its maximum duration.',
  concurrency_limit_reached: 'The call ended: all call slots are in use.',
  insufficient_credits: 'The call ended: the account has no credits left.',
  transferred: 'The call was transferred.',
  error_no_audio_received: 'The call ended: no audio arrived from your microphone.',
  error_asr: 'The call ended: speech recognition failed.',
  error_llm: 'The call ended: the language model failed.',
  error_tts: 'The call ended: the voice failed.',
  error_transport: 'The call ended: the connection broke.',
  drained: 'The call ended: the gateway is being restarted.',
  operator_ended: 'The operator ended the call.',
};

const STATES: Readonly<Record<string, string>> = {
  connecting: 'Connecting …',
  reconnecting: 'Reconnecting …',
  initializing: 'Starting …',
  listening: 'Listening',
  thinking: 'Thinking',
  speaking: 'Speaking',
  ended: 'Call ended',
};

export const INSECURE_PAGE =
  'Browsers allow calls only on secure pages: open this page with https, or as http://localhost on the same machine.';

/** @param name of the DOMException of `getUserMedia` */
export function microphoneSentence(name: string): string {
  return MICROPHONE[name] ?? 'The microphone is not available.';
}

/** The message for a refused call. `sentence` is the server's message. */
export function refusalSentence(reason: string | undefined, sentence: string): string {
  return (reason !== undefined && REFUSALS[reason]) || sentence;
}

export function endingSentence(reason: string): string {
  return ENDINGS[reason] ?? `The call ended (${reason.replaceAll('_', ' ')}).`;
}

export function stateName(state: string): string {
  return STATES[state] ?? state;
}

/** Formats a duration as minutes and seconds. */
export function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
