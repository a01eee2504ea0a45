/** Speak the text so far now. The text that follows is a separate sentence. */
export const FLUSH: unique symbol = Symbol('flush');
/** Flush, and speak what follows in the call's current language and voice. */
export const VOICE_CHANGED: unique symbol = Symbol('voice-changed');
/** The reply broke off here, and the next model continues it. */
export const REPLY_BROKEN_OFF: unique symbol = Symbol('reply-broken-off');

/** A part of a reply before synthesis: text, or a control token between texts. */
export type SpokenToken = string | typeof FLUSH | typeof VOICE_CHANGED;
