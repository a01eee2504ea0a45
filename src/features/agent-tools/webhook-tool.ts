import { randomUUID } from 'node:crypto';
import type { ToolWebhook } from '../../../agents-runtime/contract/agent-config.js';
import type { ToolOutcome, ToolSpec } from '../../../agents-runtime/contract/tools.js';
import { runInSteps } from '../../../media/async/cooperative.js';
import type { EgressClient, EgressResponse } from '../../platform/egress/egress-client.js';
import { EgressError, type EgressErrorCode } from '../../platform/egress/egress-error.js';
import {
  cleanText,
  EXTRACTION_LIMITS,
  UnreadableDocument,
} from '../knowledge/extraction/extraction.js';
import { htmlSteps } from '../knowledge/extraction/html-text.js';
import { authHeaders } from './auth-headers.js';
import { formatToolResult } from './tool-result-format.js';
import { argumentSchema } from './tool-schema.js';
import type { CallTool } from './tool-set.js';
import type { ArgumentValidator } from './validation/argument-validator.js';

/** Larger than the result for the model, as HTML contains little text in much markup. */
const MAX_RESPONSE_BYTES = 65_536;
const MAX_DESCRIPTION = 4_000;
const MAX_URL = 8_192;

/** The call in which a tool runs. */
export interface ToolContext {
  readonly accountId: string;
  readonly agentId: string;
  readonly callId: string;
}

export interface WebhookToolParts {
  readonly egress: Pick<EgressClient, 'request'>;
  readonly validator: Pick<ArgumentValidator, 'validate'>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** An HTTP endpoint as a tool of one call. */
export function webhookTool(
  tool: ToolWebhook,
  toolContext: ToolContext,
  { egress, validator }: WebhookToolParts,
): CallTool {
  const parameters = argumentSchema(tool.parameters);
  const schema = JSON.stringify(parameters);
  const spec: ToolSpec = {
    name: tool.name,
    kind: 'webhook',
    description: descriptionOf(tool),
    parameters,
    mode: tool.executionMode,
    timeoutMs: tool.timeoutMs,
  };
  return {
    spec,
    problemWith: (args) =>
      validator.validate({ ...toolContext, name: tool.name }, { schema, args }),
    async call(args, signal) {
      const request = requestOf(tool, args, toolContext);
      if (request.url.length > MAX_URL) return failed('the arguments are too long for a URL');
      try {
        const answer = await egress.request({
          ...request,
          method: tool.method,
          timeoutMs: tool.timeoutMs,
          maxBytes: MAX_RESPONSE_BYTES,
          onTooLarge: 'cut',
          signal,
        });
        return await outcomeOf(answer);
      } catch (error) {
        if (error instanceof EgressError) return failed(FAILURE_REASONS[error.code]);
        throw error;
      }
    },
  };
}

const FAILURE_REASONS: Readonly<Record<EgressErrorCode, string>> = {
  INSECURE_URL: 'its address must not be called',
  BLOCKED_ADDRESS: 'its address must not be called',
  TIMEOUT: 'it did not answer in time',
  UNREACHABLE: 'it could not be reached',
  CLOSED_EARLY: 'its answer broke off',
  TOO_LARGE: 'its answer is too long',
};

function failed(why: string): ToolOutcome {
  return { text: `Error: the tool failed, because ${why}.`, failed: true };
}

/** The tool's description for the model, with the form of its response. */
function descriptionOf({ description, response }: ToolWebhook): string {
  const form = response === null ? '' : `\n\nIt answers with: ${JSON.stringify(response)}`;
  return (description + form).trim().slice(0, MAX_DESCRIPTION);
}

/** GET and DELETE have the arguments in the query, the others in a JSON body. */
function requestOf(tool: ToolWebhook, args: Arguments, { agentId, callId }: ToolContext) {
  const headers = {
    ...authHeaders(tool.authentication),
    'x-request-id': randomUUID(),
    'x-tool-name': tool.name,
    'x-agent-id': agentId,
    'x-call-id': callId,
  };
  if (tool.method === 'GET' || tool.method === 'DELETE') {
    return { url: withQuery(tool.url, args), headers };
  }
  return {
    url: tool.url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  };
}

/** Lists are repeated keys, objects JSON; what is null is left out. */
function withQuery(address: string, args: Arguments): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(args)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue;
      url.searchParams.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  return url.href;
}

async function outcomeOf({ status, headers, body }: EgressResponse): Promise<ToolOutcome> {
  if (status >= 300 && status < 400)
    return failed('it answered with a redirect, which is not followed');
  const hasFailed = status < 200 || status >= 300;
  const outcome = hasFailed
    ? `Error: the tool failed with status ${status}.`
    : `The tool answered (status ${status}).`;
  if (body.length === 0) return { text: `${outcome} It said nothing more.`, failed: hasFailed };
  const isCut = body.length >= MAX_RESPONSE_BYTES;
  const text = formatToolResult({
    outcome,
    data: await dataOf(body, headers['content-type'] ?? '', isCut),
    isCut,
  });
  return { text, failed: hasFailed };
}

async function dataOf(body: Buffer, contentType: string, isCut: boolean): Promise<unknown> {
  if (/^(image|audio|video|font)\/|octet-stream|\/(zip|gzip|pdf)\b/i.test(contentType)) {
    return `(${contentType.slice(0, 100)}: no text)`;
  }
  const text = body.toString('utf8');
  const looksLikeHtml = /\bhtml\b/i.test(contentType) || /^\s*<(!doctype|html)\b/i.test(text);
  if (looksLikeHtml) return htmlToText(text);
  if (isCut) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text of an HTML page, extracted in steps, as this thread must send frames on time. */
async function htmlToText(html: string): Promise<string> {
  try {
    const { text, title } = await runInSteps(htmlSteps(html, EXTRACTION_LIMITS));
    return cleanText(text) || title;
  } catch (error) {
    if (error instanceof UnreadableDocument) return `(a page without words: ${error.message})`;
    throw error;
  }
}
