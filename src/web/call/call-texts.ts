/** Messages for `getUserMedia` errors. Source: Media Capture and Streams, §10.2. */
const MICROPHONE: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The microphone was refused. Allow it for this page in the browser’s address bar.',
  NotFoundError: 'No microphone was found. Plug one in.',
  NotReadableError: 'The microphone is in use by another program, or the system does not give it.',
  OverconstrainedError: 'The chosen microphone is gone. Choose another one.',
  SecurityError: 'This browser does not let pages use the microphone.',
};

const REFUSALS: Readonly<Record<string, string>> = {
  agent_not_deployed: 'This agent is not deployed, so it takes no calls.',
  insufficient_credits: 'The account has no credits left.',
  concurrency_limit: 'All lines are taken. Try again when another call has ended.',
};

const ENDINGS: Readonly<Record<string, string>> = {
  user_hangup: 'You hung up.',
  agent_hangup: 'The agent ended the call.',
  inactivity: 'The call ended because nobody spoke.',
  max_duration_reached: 'The call reached its longest duration.',
  concurrency_limit_reached: 'The call ended: all lines are taken.',
  insufficient_credits: 'The call ended: the account has no credits left.',
  transferred: 'The call was transferred.',
  error_no_audio_received: 'The call ended: no sound came from your microphone.',
  error_asr: 'The call ended: speech recognition failed.',
  error_llm: 'The call ended: the language model failed.',
  error_tts: 'The call ended: the voice failed.',
  error_transport: 'The call ended: the connection broke.',
  drained: 'The call ended: the gateway is being restarted.',
  operator_ended: 'The call was ended by the operator.',
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
  'Browsers hold calls only on secure pages: open this page by https, or on its own machine as http://localhost.';

/** @param name of the DOMException of `getUserMedia` */
export function microphoneSentence(name: string): string {
  return MICROPHONE[name] ?? 'The microphone cannot be used.';
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
