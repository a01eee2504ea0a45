import pLimit from 'p-limit';
import { ApiError } from '../../platform/http/api-error.js';
import { valueError } from '../../platform/http/validation/invalid-input.js';
import type { UploadedFile } from '../../platform/http/validation/multipart-body.js';
import {
  type DocumentsRepository,
  type NewDocument,
  storableName,
} from './documents.repository.js';
import { documentKindOf } from './extraction/document-kind.js';

/** Maximum size of the files of an account that wait for extraction. */
const MAX_PENDING_BYTES = 500 * 1_048_576;
/**
 * Files that are inserted at the same time. Each may wait for the lock of the indexer and occupy a
 * connection that calls need.
 */
const MAX_INSERTS = 2;

export interface SubmittedFile {
  readonly file: UploadedFile;
  /** Default: the name of the file. */
  readonly name?: string | null | undefined;
}

/** Checks files that clients send, and stores a few at a time. */
export class FileIntake {
  readonly #documents: Pick<DocumentsRepository, 'pendingBytes'>;
  readonly #inserts = pLimit(MAX_INSERTS);

  constructor(documents: Pick<DocumentsRepository, 'pendingBytes'>) {
    this.#documents = documents;
  }

  /**
   * Stores a file by `insert`.
   * @throws ApiError UNSUPPORTED_MEDIA_TYPE, RATE_LIMITED; InvalidInput when the file is empty
   */
  store<T>(
    accountId: string,
    { file, name }: SubmittedFile,
    insert: (document: NewDocument) => Promise<T>,
  ): Promise<T> {
    const { bytes } = file;
    if (bytes.length === 0) throw valueError(['body', 'file'], 'the file is empty', null);
    const kind = documentKindOf(file.name, bytes);
    if (!kind) {
      throw new ApiError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The file must be plain text (.txt, .csv), Markdown (.md), HTML, PDF or DOCX',
      );
    }
    return this.#inserts(async () => {
      if ((await this.#documents.pendingBytes(accountId)) + bytes.length > MAX_PENDING_BYTES) {
        throw new ApiError(
          'RATE_LIMITED',
          'Too many files of this account wait for text extraction: try again later',
          {
            headers: { 'Retry-After': '30' },
          },
        );
      }
      return insert({ name: storableName(name ?? file.name), kind, bytes, metadata: {} });
    });
  }
}
