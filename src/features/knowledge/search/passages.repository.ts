import type { Knex } from 'knex';
import type { DocumentPassage } from '../../../../media/embeddings/document-chunker.js';
import type { PassageVectors } from './vector-comparison.js';
import { decodeVector } from './vector-encoding.js';
import type { KnowledgeVersion } from './vector-index.js';

/** Vectors per query: some milliseconds of parsing. */
const READ_BATCH = 200;

export interface StoredPassage extends DocumentPassage {
  readonly id: number;
}

/** A passage with its document. */
export interface FoundPassage extends StoredPassage {
  readonly documentId: number;
  readonly documentName: string;
}

interface EmbeddedRow {
  readonly id: number;
  readonly embedding: Buffer;
}

/** Reads passages and their vectors for searches. */
export class PassagesRepository {
  readonly #db: Knex;
  readonly #model: string;

  /** @param embeddingModel - vectors of other models are ignored */
  constructor(db: Knex, embeddingModel: string) {
    this.#db = db;
    this.#model = embeddingModel;
  }

  /** Undefined for an unknown knowledge base. */
  async versionOf(kbId: number): Promise<KnowledgeVersion | undefined> {
    return this.#db('knowledge_bases')
      .where({ kb_id: kbId })
      .first('version', 'deletions')
      .options({ name: 'knowledge-version' });
  }

  /**
   * The vectors of this model between two versions of a knowledge base, about `maxBytes` at most. Reads in
   * batches, so that other searches are not delayed.
   */
  async *vectorsOf(
    kbId: number,
    {
      dimensions,
      maxBytes,
      after,
      upTo,
    }: {
      readonly dimensions: number;
      readonly maxBytes: number;
      readonly after: number;
      readonly upTo: number;
    },
  ): AsyncGenerator<PassageVectors> {
    let bytes = 0;
    for (let afterId = 0; bytes < maxBytes; ) {
      const rows: EmbeddedRow[] = await this.#db('passages')
        .where({ kb_id: kbId, embedding_model: this.#model })
        .where('vector_version', '>', after)
        .where('vector_version', '<=', upTo)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(READ_BATCH)
        .select('id', 'embedding');
      const part = decodeVectors(rows, dimensions);
      bytes += part.vectors.byteLength;
      if (part.ids.length > 0) yield part;
      if (rows.length < READ_BATCH) return;
      afterId = rows.at(-1)!.id;
    }
  }

  /** Passages by id, and the version of their knowledge base, in one snapshot. */
  async passages(ids: readonly number[]): Promise<{
    readonly passages: readonly FoundPassage[];
    /** Undefined if all of them were deleted. */
    readonly version: KnowledgeVersion | undefined;
  }> {
    const { rows } = await this.#db
      .raw<{ rows: (FoundPassage & KnowledgeVersion)[] }>(
        `select p.id, p.heading as title, p.text, d.id as "documentId",
           coalesce(nullif(d.title, ''), d.name) as "documentName", k.version, k.deletions
         from passages p join documents d on d.id = p.document_id
           join knowledge_bases k on k.kb_id = p.kb_id
         where p.id = any(?::bigint[])`,
        [[...ids]],
      )
      .options({ name: 'passages-by-id' });
    const [first] = rows;
    return {
      passages: rows.map(({ version, deletions, ...passage }) => passage),
      version: first && { version: first.version, deletions: first.deletions },
    };
  }
}

/** Copies the vectors of this length. */
function decodeVectors(rows: readonly EmbeddedRow[], dimensions: number): PassageVectors {
  const bytesEach = dimensions * Float32Array.BYTES_PER_ELEMENT;
  const fitting = rows.filter(({ embedding }) => embedding.length % bytesEach === 0);
  const bytes = Buffer.concat(fitting.map(({ embedding }) => embedding));
  return {
    ids: Float64Array.from(
      fitting.flatMap(({ id, embedding }) =>
        new Array<number>(embedding.length / bytesEach).fill(id),
      ),
    ),
    vectors: decodeVector(bytes),
  };
}
