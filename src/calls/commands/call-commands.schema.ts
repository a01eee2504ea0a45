import {
  float,
  model,
  oneOf,
  phoneNumber,
  str,
} from '../../platform/http/validation/schema-builders.js';

/** Over a minute of speech. */
const MAX_SAY_CHARACTERS = 1_000;
/** Six seconds of tones. */
const MAX_KEYS = 32;

export const SayInput = model({
  text: str({ min: 1, max: MAX_SAY_CHARACTERS }).refine((text) => /[\p{L}\p{N}]/u.test(text), {
    message: 'the text must contain a letter or a digit',
  }),
}).meta({ id: 'SayInput' });
export const TextQueued = model({ call_id: str(), status: oneOf(['queued']) }).meta({ id: 'Said' });
export const KeysInput = model({
  keys: str({ min: 1, max: MAX_KEYS, pattern: /^[0-9*#A-Da-d]+$/ }),
}).meta({ id: 'KeysInput' });
export const TransferInput = model({
  target_phone_number: phoneNumber(),
}).meta({ id: 'TransferInput' });
export const CommandDone = model({ call_id: str(), status: oneOf(['done']) }).meta({
  id: 'Obeyed',
});

export const EndedCall = model({
  call_id: str(),
  status: str(),
  ended_at: str({ format: 'date-time' }).nullable(),
  actual_duration_seconds: float(),
  credits_used: float(),
}).meta({ id: 'EndedCall' });
