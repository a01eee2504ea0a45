import { expect, it } from 'vitest';
import type { Tools } from '../../../agents-runtime/contract/tools.js';
import { type ExecutedTool, ToolExecutor } from '../../../agents-runtime/reply/tool-executor.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { toolCall } from '../../support/harness/call/scripted-tools.js';

it('a tool does not run if the call ends while its arguments are checked', async () => {
  let finishCheck: () => void = () => undefined;
  const checking = new Promise<undefined>((resolve) => {
    finishCheck = () => resolve(undefined);
  });
  const called: string[] = [];
  const tools: Tools = {
    specs: [{ name: 'look', description: '', parameters: {}, mode: 'sync', timeoutMs: 1_000 }],
    problemWith: () => checking,
    call: async (name) => {
      called.push(name);
      return { text: 'done' };
    },
  };
  const ran: ExecutedTool[] = [];
  const nothing = () => undefined;
  const runs = new ToolExecutor(tools, systemClock, {
    started: nothing,
    ended: nothing,
    remember: nothing,
    toolCallEnded: (tool) => void ran.push(tool),
    onFault: nothing,
  });
  const outcome = runs.run(toolCall('look'), new AbortController().signal);
  runs.close();
  finishCheck();
  expect(await outcome).toMatchObject({ failed: true });
  expect(called).toEqual([]);
  expect(ran.map((tool) => tool.status)).toEqual(['cancelled']);
});
