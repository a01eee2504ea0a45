import { parentPort } from 'node:worker_threads';
import { LlmServer } from '../support/fakes/llm-server.js';

/** An LLM server on a separate thread, so that its work is not the gateway's. */
const server = await LlmServer.start({ quick: () => ({ say: 'Yes.' }) });
parentPort?.postMessage(server.baseUrl);
