/** Where the store keeps the sound of a call: its spool until it is merged, and the file after that. */
export const spoolKey = (callId: string) => `spools/${callId}.spool`;
export const fileKey = (callId: string) => `recordings/${callId}.mp3`;

/** What a client downloads. */
export const RECORDING_FILE = { name: 'recording.mp3', type: 'audio/mpeg' } as const;
