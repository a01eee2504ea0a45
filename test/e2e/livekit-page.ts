import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

/** What the page of a LiveKit client has recorded. */
export interface SeenInRoom {
  /** From LiveKit's transcription packets: the texts of each segment, with the speaker. */
  readonly transcripts: readonly {
    readonly id: string;
    readonly text: string;
    readonly final: boolean;
    readonly from: string;
  }[];
  /** From text streams. */
  readonly texts: readonly {
    readonly topic: string;
    readonly text: string;
    readonly from: string;
    readonly segment: string | undefined;
  }[];
  /** From data packets. */
  readonly states: readonly string[];
  /** Current level of the agent's audio; 0 is silence. */
  readonly level: number;
  readonly loudest: number;
  readonly isOut: boolean;
}

/**
 * The client's page. Its microphone plays the given clips when a test requests it; everything else
 * is LiveKit's client and the browser.
 */
const SCRIPT = `
const { Room, RoomEvent, Track } = LivekitClient;
const room = new Room({ publishDefaults: { preConnectBuffer: true } });
const seen = { transcripts: [], texts: [], states: [], level: 0, loudest: 0, isOut: false };
let audio, microphone, published;
const guest = {};
globalThis.guest = guest;

guest.open = () => {
  audio = new AudioContext({ sampleRate: 48000 });
  microphone = audio.createMediaStreamDestination();
  navigator.mediaDevices.getUserMedia = async () => microphone.stream;
};
guest.say = (samples) => {
  const buffer = audio.createBuffer(1, samples.length, 16000);
  buffer.getChannelData(0).set(samples);
  const source = audio.createBufferSource();
  source.buffer = buffer;
  source.connect(microphone);
  const over = new Promise((resolve) => { source.onended = resolve; });
  source.start();
  return over;
};
guest.speakAhead = () => {
  const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  published = room.localParticipant.setMicrophoneEnabled(true, plain);
};
guest.join = async (url, token) => {
  await room.connect(url, token);
  await published;
};
guest.type = (text) => room.localParticipant.sendText(text, { topic: 'lk.chat' });
guest.seen = () => seen;

room.on(RoomEvent.TrackSubscribed, (track, publication, { identity }) => {
  if (track.kind !== Track.Kind.Audio || !identity.includes('agent')) return;
  document.body.append(track.attach());
  const analyser = audio.createAnalyser();
  audio.createMediaStreamSource(new MediaStream([track.mediaStreamTrack])).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    seen.level = Math.max(...samples.map(Math.abs));
    seen.loudest = Math.max(seen.loudest, seen.level);
  }, 50);
});
room.on(RoomEvent.TranscriptionReceived, (segments, participant) => {
  const from = participant?.identity ?? '';
  for (const { id, text, final } of segments) seen.transcripts.push({ id, text, final, from });
});
room.on(RoomEvent.DataReceived, (payload) => {
  const told = JSON.parse(new TextDecoder().decode(payload));
  if (told.type === 'agent_state') seen.states.push(told.state);
});
room.on(RoomEvent.Disconnected, () => { seen.isOut = true; });
for (const topic of ['lk.chat', 'lk.transcription']) {
  room.registerTextStreamHandler(topic, async (reader, { identity }) => {
    const segment = reader.info.attributes?.['lk.segment_id'];
    seen.texts.push({ topic, segment, from: identity, text: await reader.readAll() });
  });
}
`;

/** Serves the page of a LiveKit client on loopback, where browsers allow microphones. */
export async function serveRoomPage() {
  const require = createRequire(import.meta.url);
  const client = readFileSync(require.resolve('livekit-client').replace(/[^/\\]+$/, UMD));
  const server = createServer((request, response) => {
    const isClient = request.url === '/client.js';
    response.setHeader('Content-Type', isClient ? 'text/javascript' : 'text/html');
    response.end(
      isClient
        ? client
        : `<body><script src="/client.js"></script><script type="module">${SCRIPT}</script>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const UMD = 'livekit-client.umd.js';
