import type { z } from 'zod';
import { bool, int, model } from './schema-builders.js';

/** Query parameters of a list with pages. */
export const PAGE_FIELDS = {
  page: int({ ge: 1, description: '1-based.' }).optional(),
  limit: int({ ge: 1, le: 100 }).optional(),
};

/** The position of a page in the list. */
export const Pagination = model({
  current_page: int(),
  total_pages: int({ description: '0 for an empty list.' }),
  total_items: int(),
  limit: int(),
  has_next: bool(),
  has_previous: bool(),
}).meta({ id: 'Pagination' });
export type Pagination = z.output<typeof Pagination>;

const DEFAULT_LIMIT = 20;

/** The requested page. Default: the first page. */
export interface PageQuery {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
}

/** A range of a list, counted in items. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

/** One page of a list: the items to read, and the description of the page for the client. */
export interface Page extends Slice {
  /** False past the end of the list: there is nothing to read. */
  readonly hasItems: boolean;
  readonly pagination: Pagination;
}

/** Computes a page. `query.page` is 1 and `query.limit` is `defaultLimit` by default. */
export function pageOf(
  query: PageQuery,
  totalItems: number,
  defaultLimit: number = DEFAULT_LIMIT,
): Page {
  const { page = 1, limit = defaultLimit } = query;
  const totalPages = Math.ceil(totalItems / limit);
  return {
    offset: (page - 1) * limit,
    limit,
    hasItems: page <= totalPages,
    pagination: {
      current_page: page,
      total_pages: totalPages,
      total_items: totalItems,
      limit,
      has_next: page < totalPages,
      has_previous: page > 1 && totalPages > 0,
    },
  };
}

/** Reads the page of a list that a query asks for. */
export async function readPage<T>(
  query: PageQuery,
  list: {
    readonly count: () => Promise<number>;
    readonly read: (slice: Slice) => Promise<readonly T[]>;
  },
): Promise<{ readonly items: readonly T[]; readonly pagination: Pagination }> {
  const page = pageOf(query, await list.count());
  return { items: page.hasItems ? await list.read(page) : [], pagination: page.pagination };
}
