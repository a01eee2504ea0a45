// A participant of a LiveKit room in a child process: executes commands from its IPC channel and
// reports what it receives. Started by `RoomParticipant`.
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  type LocalTrackPublication,
  type Participant,
  type RemoteTrack,
  Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import type { ParticipantCommand, ParticipantReport } from '../harness/call/room-participant.js';

const FRAME_MS = 20;

let room = new Room();
let source: AudioSource | undefined;
let rate = 48_000;
let publication: LocalTrackPublication | undefined;
let microphone: Int16Array = new Int16Array(0);
let at = 0;

const report = (message: ParticipantReport) => process.send?.(message);

/** Also reports the current attributes, because they cause no change event. */
function reportParticipant(participant: Participant): void {
  report({ type: 'came', identity: participant.identity });
  reportAttributes(participant);
}

function reportAttributes({ identity, attributes }: Participant): void {
  report({ type: 'attributes', from: identity, attributes });
}

function newRoom(): Room {
  room = new Room();
  room.on(RoomEvent.TrackSubscribed, (track, _publication, participant) => {
    void listen(track, participant.identity);
  });
  room.on(RoomEvent.DataReceived, (payload, participant) => {
    report({
      type: 'data',
      from: participant?.identity ?? '',
      text: new TextDecoder().decode(payload),
    });
  });
  room.on(RoomEvent.ParticipantAttributesChanged, (_changed, participant) =>
    reportAttributes(participant),
  );
  room.on(RoomEvent.DtmfReceived, (code, digit, participant) => {
    report({ type: 'dtmf', from: participant.identity, code, digit });
  });
  room.on(RoomEvent.ParticipantConnected, reportParticipant);
  room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => report({ type: 'went', identity }));
  room.on(RoomEvent.Disconnected, (reason) => report({ type: 'out', reason }));
  for (const topic of ['lk.chat', 'lk.transcription']) {
    room.registerTextStreamHandler(topic, async (stream, { identity }) => {
      const { attributes = {} } = stream.info;
      report({ type: 'text', topic, from: identity, attributes, text: await stream.readAll() });
    });
  }
  return room;
}

async function listen(track: RemoteTrack, from: string): Promise<void> {
  const stream = new AudioStream(track, { sampleRate: 16_000, numChannels: 1, frameSizeMs: 20 });
  for await (const { data } of stream) {
    let sum = 0;
    let crossings = 0;
    for (let i = 0; i < data.length; i++) {
      sum += data[i]! ** 2;
      if (i > 0 && data[i - 1]! < 0 !== data[i]! < 0) crossings++;
    }
    const level = Math.sqrt(sum / data.length) / 32768;
    report({ type: 'heard', from, level, hz: (crossings * 25) | 0 });
  }
}

/** Sends the microphone's samples by the clock, then silence. */
async function speakOn(own: AudioSource): Promise<void> {
  const length = (rate * FRAME_MS) / 1000;
  while (source === own) {
    const frame = new Int16Array(length);
    frame.set(microphone.subarray(at, at + length));
    at += length;
    await own.captureFrame(new AudioFrame(frame, rate, 1, length));
  }
}

async function publish(sampleRate: number, preconnectBuffer: boolean): Promise<string> {
  rate = sampleRate;
  source = new AudioSource(rate, 1, 100);
  const track = LocalAudioTrack.createAudioTrack('microphone', source);
  const options = new TrackPublishOptions({
    source: TrackSource.SOURCE_MICROPHONE,
    preconnectBuffer,
  });
  publication = await room.localParticipant!.publishTrack(track, options);
  void speakOn(source);
  return publication.sid ?? '';
}

function say(hz: number, ms: number): void {
  at = 0;
  microphone = Int16Array.from(
    { length: (rate * ms) / 1000 },
    (_, i) => 12_000 * Math.sin((2 * Math.PI * hz * i) / rate),
  );
}

function sayWords(pcm16: string): void {
  const bytes = new Uint8Array(Buffer.from(pcm16, 'base64'));
  const words = new Int16Array(bytes.buffer);
  at = 0;
  // Requires a microphone track of 16 kHz.
  microphone = words;
}

async function leave(): Promise<void> {
  source = undefined;
  await room.disconnect();
}

async function execute(order: ParticipantCommand): Promise<string | undefined> {
  const me = room.localParticipant;
  switch (order.type) {
    case 'join':
      await leave();
      await newRoom().connect(order.url, order.token, { autoSubscribe: true, dynacast: false });
      for (const participant of room.remoteParticipants.values()) reportParticipant(participant);
      return undefined;
    case 'publish':
      return publish(order.sampleRate, order.hasPreconnectAudio ?? false);
    case 'unpublish':
      source = undefined;
      await me!.unpublishTrack(publication!.sid!);
      return undefined;
    case 'tone':
      say(order.hz, order.ms);
      return undefined;
    case 'words':
      sayWords(order.pcm16);
      return undefined;
    case 'type':
      await me!.sendText(order.text, { topic: 'lk.chat' });
      return undefined;
    case 'data':
      await me!.publishData(new Uint8Array(order.bytes), { reliable: true });
      return undefined;
    case 'dtmf':
      for (const [code, digit] of order.keys) await me!.publishDtmf(code, digit);
      return undefined;
    case 'attributes':
      await me!.setAttributes(order.attributes);
      return undefined;
    case 'early': {
      const writer = await me!.streamBytes({
        topic: 'lk.agent.pre-connect-audio-buffer',
        mimeType: order.mimeType,
        attributes: { trackId: publication?.sid ?? '', sampleRate: '24000', channels: '1' },
      });
      await writer.write(Buffer.from(order.bytes, 'base64'));
      await writer.close();
      return undefined;
    }
    case 'leave':
      await leave();
      return undefined;
  }
}

process.on('message', ({ id, order }: { id: number; order: ParticipantCommand }) => {
  execute(order).then(
    (answer) => report({ type: 'done', id, answer }),
    (error: Error) => report({ type: 'done', id, error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
