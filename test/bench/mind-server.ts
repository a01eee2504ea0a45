import { parentPort } from 'node:worker_threads';
import { LanguageServer } from '../support/fakes/llm-server.js';

/** A language server on a thread of its own: its work is none of the gateway's. */
const server = await LanguageServer.start({ quick: () => ({ say: 'Yes.' }) });
parentPort?.postMessage(server.baseUrl);
