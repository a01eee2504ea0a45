import { parentPort } from 'node:worker_threads';
import { LlmServer } from '../support/fakes/llm-server.js';

/** A language server on a thread of its own: its work is none of the gateway's. */
const server = await LlmServer.start({ quick: () => ({ say: 'Yes.' }) });
parentPort?.postMessage(server.baseUrl);
