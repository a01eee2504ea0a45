import { z } from 'zod';
import {
  type CallServerMessage,
  clientMessage,
} from '../../../agents-runtime/transports/websocket/protocol.js';

/** JSON Schemas of the gateway's messages, without `seq`. */
const SERVER_MESSAGES = {
  ready: {
    callId: text('Id of the call.'),
    resumeToken: text('Resumes this call on a new socket.'),
    positionMs: milliseconds('Position of the next binary frame.'),
    audio: {
      type: 'object',
      properties: {
        up: { enum: ['pcm', 'opus'] },
        upSampleRate: hertz('Sample rate of the caller’s audio.'),
        down: { enum: ['pcm', 'opus'] },
        downSampleRate: hertz('Sample rate of the agent’s audio.'),
      },
      required: ['up', 'upSampleRate', 'down', 'downSampleRate'],
    },
  },
  state: { state: { enum: ['initializing', 'listening', 'thinking', 'speaking'] } },
  transcript: {
    segment: text('The same from the first interim to the final text.'),
    role: { enum: ['user', 'agent'] },
    text: text('An empty final text removes the segment.'),
    final: { type: 'boolean' },
    startMs: milliseconds('Start, since the call began.'),
    endMs: milliseconds('End, since the call began.'),
  },
  pause: {},
  resume: { fromMs: milliseconds('Position at which playback continues.') },
  clear: {},
  latency: {
    turn: { type: 'integer', minimum: 1, description: 'Number of the turn.' },
    endpointing: milliseconds('Wait for the end of the turn.'),
    stt: milliseconds('Wait for the final transcript after that.'),
    knowledge: milliseconds('Search of the knowledge base.'),
    llm: milliseconds('To the first token.'),
    chunk: milliseconds('To the first words that can be spoken.'),
    tts: milliseconds('To the first synthesised sample.'),
    playout: milliseconds('To the playback of that sample.'),
    total: milliseconds('Sum of the parts.'),
  },
  error: { code: text('Error code.'), message: text('What is wrong.') },
  end: { reason: text('Why the call ended, as in the call history.') },
} satisfies Record<CallServerMessage['type'], object>;

/** The AsyncAPI 3 document of the call socket. */
export function callSocketAsyncApi() {
  const client = z.toJSONSchema(clientMessage, { io: 'input' });
  const server = {
    oneOf: Object.entries(SERVER_MESSAGES).map(([type, properties]) => ({
      type: 'object',
      properties: {
        type: { const: type },
        seq: { type: 'integer', minimum: 1, description: 'Number of the message.' },
        ...properties,
      },
      required: ['type', 'seq', ...Object.keys(properties)],
      additionalProperties: false,
    })),
  };
  const audio = (description: string) => ({
    description,
    contentType: 'application/octet-stream',
    payload: { type: 'string', format: 'binary' },
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parley call socket',
      version: '1',
      description:
        'WebSocket of one call. Connect to `server_url` of the connection details with the subprotocol `parley.call.v1`.',
    },
    channels: {
      call: {
        address: '/api/v1/calls/{call_id}/socket',
        parameters: { call_id: { description: 'Id of the call.' } },
        messages: {
          clientMessage: { contentType: 'application/json', payload: client },
          clientAudio: audio('Caller audio: s16le mono 16 kHz, or Opus packets of 20 ms.'),
          serverMessage: { contentType: 'application/json', payload: server },
          serverAudio: audio('Agent audio: s16le mono at `downSampleRate`, or Opus packets.'),
        },
      },
    },
    operations: {
      sendMessage: operation('receive', ['clientMessage', 'clientAudio']),
      receiveMessage: operation('send', ['serverMessage', 'serverAudio']),
    },
  };
}

/** AsyncAPI describes the gateway: it receives what clients send. */
function operation(action: 'send' | 'receive', messages: readonly string[]) {
  return {
    action,
    channel: { $ref: '#/channels/call' },
    messages: messages.map((name) => ({ $ref: `#/channels/call/messages/${name}` })),
  };
}

function text(description: string) {
  return { type: 'string', description };
}

function milliseconds(description: string) {
  return { type: 'number', minimum: 0, description: `${description} In ms.` };
}

function hertz(description: string) {
  return { type: 'integer', description: `${description} In Hz.` };
}
