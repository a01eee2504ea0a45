import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import type { AudioFileType } from './sniff-audio-type.js';
import type { VOICE_STATUSES, VOICE_VISIBILITIES } from './voices.schema.js';

type VoiceStatus = (typeof VOICE_STATUSES)[number];
export type VoiceVisibility = (typeof VOICE_VISIBILITIES)[number];

/** A voice that an account made. */
export interface OwnVoice {
  readonly id: string;
  readonly name: string;
  readonly visibility: VoiceVisibility;
  /** ISO 639-1. */
  readonly language: string;
  readonly status: VoiceStatus;
  /** Set for FAILED voices. */
  readonly failureReason: string | null;
  /** Hz; null without a model. */
  readonly sampleRate: number | null;
}

export interface NewVoice extends Pick<OwnVoice, 'name' | 'visibility' | 'language'> {
  readonly status: VoiceStatus;
  readonly failureReason: string | null;
  readonly recording: { readonly kind: AudioFileType; readonly bytes: Uint8Array };
}

interface VoiceRow {
  readonly voice_id: string;
  readonly account_id: string;
  readonly name: string;
  readonly visibility: VoiceVisibility;
  readonly language: string;
  readonly status: VoiceStatus;
  readonly failure_reason: string | null;
  readonly sample_rate: number | null;
  readonly created_at: Date;
}

/** The voices that accounts made. */
export class VoicesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(accountId: string, voice: NewVoice): Promise<OwnVoice> {
    return this.#db.transaction(async (transaction) => {
      const [row] = await transaction<VoiceRow>('voices')
        .insert({
          voice_id: randomUUID(),
          account_id: accountId,
          name: voice.name,
          visibility: voice.visibility,
          language: voice.language,
          status: voice.status,
          failure_reason: voice.failureReason,
        })
        .returning('*');
      const { kind, bytes } = voice.recording;
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await transaction('voice_recordings').insert({ voice_id: row!.voice_id, kind, content });
      return toVoice(row!);
    });
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.#db('voices')
      .where({ account_id: accountId })
      .count<{ count: number }[]>('*');
    return Number(row!.count);
  }

  /** The account's own voices, newest first, ties by id. */
  async list(accountId: string): Promise<OwnVoice[]> {
    const rows = await this.#db<VoiceRow>('voices')
      .where({ account_id: accountId })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'voice_id', order: 'desc' },
      ]);
    return rows.map(toVoice);
  }

  /** A voice that the account may use. */
  async find(accountId: string, id: string): Promise<OwnVoice | undefined> {
    if (!isUuid(id)) return undefined;
    const row = await this.#db<VoiceRow>('voices')
      .where({ voice_id: id })
      .andWhere(isUsableBy(accountId))
      .first();
    return row && toVoice(row);
  }

  /** Changes the given fields. Undefined if the account has no such voice. */
  async update(
    accountId: string,
    id: string,
    { name, visibility }: { name?: string | undefined; visibility?: VoiceVisibility | undefined },
  ): Promise<OwnVoice | undefined> {
    if (!isUuid(id)) return undefined;
    const own = this.#db<VoiceRow>('voices').where({ account_id: accountId, voice_id: id });
    if (name === undefined && visibility === undefined) {
      const row = await own.first();
      return row && toVoice(row);
    }
    const [row] = await own
      .update({ ...(name !== undefined && { name }), ...(visibility && { visibility }) })
      .returning('*');
    return row && toVoice(row);
  }

  /** Deletes a voice and its recording. @returns whether the account had it */
  async delete(accountId: string, id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    const own = this.#db('voices').where({ account_id: accountId, voice_id: id });
    return (await own.delete()) > 0;
  }
}

function toVoice(row: VoiceRow): OwnVoice {
  return {
    id: row.voice_id,
    name: row.name,
    visibility: row.visibility,
    language: row.language,
    status: row.status,
    failureReason: row.failure_reason,
    sampleRate: row.sample_rate,
  };
}

/** Limits a query of voices to the account's own and the PUBLIC ones. */
function isUsableBy(accountId: string): (voices: Knex.QueryBuilder) => void {
  return (voices) => voices.where({ account_id: accountId }).orWhere({ visibility: 'PUBLIC' });
}
