import { json, Router } from 'express';
import type { CallRegistry } from '../session/call-registry.js';
import { CallCommand, execute } from './call-command.js';

/** A text to say has at most 1,000 characters. */
const MAX_COMMAND_BYTES = 16 * 1024;
const BAD_REQUEST = 400;
const NOT_FOUND = 404;

/** The peer API's path for commands to a call. */
export function commandsPath(callId: string): string {
  return `/calls/${callId}/commands`;
}

/** Commands of other gateways to calls that this gateway holds. */
export function peerCommands(registry: Pick<CallRegistry, 'get'>): Router {
  const router = Router();
  const body = json({ limit: MAX_COMMAND_BYTES });
  router.post('/calls/:callId/commands', body, async (request, response) => {
    const call = registry.get(request.params.callId);
    const command = CallCommand.safeParse(request.body);
    if (!command.success) response.status(BAD_REQUEST).end();
    else if (!call) response.status(NOT_FOUND).end();
    else response.json({ answer: await execute(call, command.data) });
  });
  return router;
}
