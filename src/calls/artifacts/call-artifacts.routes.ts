import type { Request } from 'express';
import { ApiError } from '../../platform/http/api-error.js';
import { sendBytes, sendObject } from '../../platform/http/file-response.js';
import {
  type Principal,
  type Route,
  type RouteResponse,
  route,
  SENT,
} from '../../platform/http/route.js';
import type { SignedLinks } from '../../platform/http/signed-links.js';
import { model, oneOf, str } from '../../platform/http/validation/schema-builders.js';
import { StorageError } from '../../platform/storage/object-store.js';
import { RECORDING_FILE } from '../recordings/recording-files.js';
import type { RecordingService } from '../recordings/recordings.service.js';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { CallsRepository } from '../store/calls.repository.js';
import { CallPath, loadCall } from '../store/load-call.js';
import { type DownloadLinkParts, downloadLink } from './download-link.js';
import {
  TRANSCRIPT_FILES,
  type TranscriptFormat,
  TURN_ORDERS,
  writeTranscript,
} from './transcript.js';

const TAG = 'Calls';
const FORMATS = Object.keys(TRANSCRIPT_FILES) as TranscriptFormat[];
const NO_CALL: RouteResponse = { description: 'No such call' };

const Link = model({ url: str({ format: 'uri' }) }).meta({ id: 'DownloadLink' });
const Recording = model({
  status: oneOf(['ready', 'processing', 'not_recorded']),
  url: str().nullable(),
}).meta({ id: 'Recording' });

export interface CallArtifactRouteParts extends DownloadLinkParts {
  readonly calls: CallsRepository;
  readonly turns: Pick<CallTurnsRepository, 'has' | 'read'>;
  readonly recordings: Pick<RecordingService, 'prepare' | 'fileOf'>;
}

/** Transcripts and recordings of calls, and their download by signed links. */
export function callArtifactRoutes(parts: CallArtifactRouteParts): readonly Route[] {
  const { calls, turns } = parts;
  const common = { tag: TAG, scope: 'calls:records', method: 'get', params: CallPath } as const;
  return [
    route({
      ...common,
      path: '/agent/call-history/{call_id}/transcript',
      summary: "Get a link to a call's transcript",
      description: 'The link is valid for an hour and needs no API key.',
      query: model({ format: oneOf(FORMATS).default('json') }),
      responses: {
        200: { description: 'The link', schema: Link },
        404: { description: 'No such call, or the call has no turns' },
        503: { description: 'PUBLIC_URL is missing' },
      },
      async handle({ principal, params, query }) {
        const { call_id: callId } = await loadCall(calls, principal.accountId, params.call_id);
        if (!(await turns.has(callId))) throw noTranscript();
        return { url: linkTo(parts, callId, TRANSCRIPT_FILES[query.format].name) };
      },
    }),
    route({
      ...common,
      path: '/agent/call-history/{call_id}/recording',
      summary: "Get a link to a call's recording",
      description:
        'Creates the file if it does not exist. The status is `processing` while the call runs and if the creation takes more than 20 s. The link is valid for an hour and needs no API key.',
      responses: {
        200: {
          description: 'The status of the recording, and its link if it is ready',
          schema: Recording,
        },
        404: NO_CALL,
        503: { description: 'PUBLIC_URL is missing, or the storage does not respond' },
      },
      async handle({ principal, params }) {
        const call = await loadCall(calls, principal.accountId, params.call_id);
        const status = await withStorageErrors(parts.recordings.prepare(call));
        const url = status === 'ready' ? linkTo(parts, call.call_id, RECORDING_FILE.name) : null;
        return { status, url };
      },
    }),
    downloadRoute(parts),
  ];
}

function downloadRoute({ calls, turns, links, recordings }: CallArtifactRouteParts): Route {
  return route({
    tag: TAG,
    scope: 'any',
    method: 'get',
    path: '/downloads/{call_id}/{file}',
    summary: 'Download by a signed link',
    description:
      'The signature of the link is the credential; no API key is needed. Supports `Range`.',
    params: model({ call_id: str(), file: str() }),
    isForBrowsers: true,
    credential: {
      kind: 'signed_link',
      check: (request) => authenticateLink(request, links, calls),
    },
    responses: {
      200: {
        description: 'The file',
        mediaTypes: [...Object.values(TRANSCRIPT_FILES), RECORDING_FILE].map(
          ({ type }) => type.split(';')[0]!,
        ),
      },
      206: { description: 'The requested range' },
      403: { description: 'The link was altered or has expired' },
      404: { description: 'No such file' },
      416: { description: 'The range starts after the end of the file' },
    },
    async handle({ principal, params, req, res }) {
      const format = FORMATS.find((name) => TRANSCRIPT_FILES[name].name === params.file);
      const call = await loadCall(calls, principal.accountId, params.call_id);
      if (params.file === RECORDING_FILE.name) {
        const file = await withStorageErrors(recordings.fileOf(call));
        if (!file) throw new ApiError('RECORDING_NOT_FOUND', 'This call has no recording');
        res.set(fileHeaders(RECORDING_FILE));
        await withStorageErrors(sendObject(req, res, file));
        return SENT;
      }
      if (!format) throw noTranscript();
      const pages = turns.read(call.call_id, TURN_ORDERS[format]);
      const bytes = await writeTranscript(call, pages, format);
      if (!bytes) throw noTranscript();
      res.set(fileHeaders(TRANSCRIPT_FILES[format]));
      sendBytes(req, res, bytes);
      return SENT;
    },
  });
}

function fileHeaders({ type, name }: { readonly type: string; readonly name: string }) {
  return {
    'Content-Type': type,
    'Content-Disposition': `inline; filename="${name}"`,
    'Cache-Control': 'private, no-store',
  };
}

/** @throws ApiError STORAGE_UNAVAILABLE for a StorageError */
async function withStorageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new ApiError('STORAGE_UNAVAILABLE', `${error.message}: try again in 30 s`, {
      cause: error,
      retryAfterS: 30,
    });
  }
}

/** The account of a link's call. @throws ApiError FORBIDDEN */
async function authenticateLink(
  request: Request,
  links: SignedLinks,
  calls: CallsRepository,
): Promise<Principal> {
  const callId = request.path.split('/').at(2) ?? '';
  const row = links.isValid(request.originalUrl) ? await calls.find(callId) : undefined;
  if (row) return { accountId: row.account_id, keyId: null, scopes: [] };
  throw new ApiError('FORBIDDEN', 'This link was altered or has expired: ask for a new one');
}

function linkTo(parts: CallArtifactRouteParts, callId: string, file: string): string {
  const link = downloadLink(parts, callId, file);
  if (link !== undefined) return link;
  throw new ApiError(
    'PUBLIC_URL_REQUIRED',
    'This gateway does not know its own address: set PUBLIC_URL',
  );
}

function noTranscript(): ApiError {
  return new ApiError('TRANSCRIPT_NOT_FOUND', 'This call has no transcript');
}
