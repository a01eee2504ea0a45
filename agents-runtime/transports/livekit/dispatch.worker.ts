import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../timing/system-clock.js';
import type { DispatchThreadData, FromDispatch, ToDispatch } from './dispatch-messages.js';
import { WorkerConnection, type WorkerState } from './worker-connection.js';
import type { JobAnswer } from './worker-protocol.js';

/** Time without a state message (one a second) after which the main thread counts as hung. */
const HUNG_AFTER_MS = 2_500;
const CHECK_MS = 250;

const { url, agentName } = workerData as DispatchThreadData;
const port = parentPort!;
const send = (message: FromDispatch) => port.postMessage(message);

let state: WorkerState = { isFull: true, load: 0, jobs: 0 };
let stateAtMs = performance.now();
let nextId = 1;
const answers = new Map<number, (answer: JobAnswer) => void>();
const tokens = new Map<number, (token: string | undefined) => void>();

const isHung = () => performance.now() - stateAtMs > HUNG_AFTER_MS;

const connection = new WorkerConnection({
  clock: systemClock,
  url,
  agentName,
  token: async () => {
    const id = nextId++;
    const token = new Promise<string | undefined>((resolve) => tokens.set(id, resolve));
    send({ type: 'token-wanted', id });
    const made = await token;
    if (made === undefined) throw new Error('no token could be made');
    return made;
  },
  // LiveKit offers jobs to a worker while its socket is open, even if it does not answer.
  state: () => (isHung() ? { ...state, isFull: true } : state),
  onAsked: (job) => {
    if (isHung()) return Promise.resolve({ type: 'no' });
    const id = nextId++;
    const answer = new Promise<JobAnswer>((resolve) => answers.set(id, resolve));
    send({ type: 'asked', id, job });
    return answer;
  },
  onAssigned: (assignment) => send({ type: 'assigned', assignment }),
  onTerminated: (jobId) => send({ type: 'terminated', jobId }),
  onUp: (serverVersion) => send({ type: 'up', serverVersion }),
  onDown: (why) => send({ type: 'down', why }),
  onFault: (error) => send({ type: 'fault', error }),
});

const check = setInterval(() => connection.reportState(), CHECK_MS);
port.on('message', (message: ToDispatch) => {
  switch (message.type) {
    case 'state':
      state = message.state;
      stateAtMs = performance.now();
      connection.reportState();
      return;
    case 'answer':
      answers.get(message.id)?.(message.answer);
      answers.delete(message.id);
      return;
    case 'token':
      tokens.get(message.id)?.(message.token);
      tokens.delete(message.id);
      return;
    case 'job':
      connection.reportJob(message.jobId, message.status, message.error);
      return;
    case 'close':
      clearInterval(check);
      connection.close();
      port.close();
  }
});
connection.start();
