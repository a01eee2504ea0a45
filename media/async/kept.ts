import { putNewest } from './bounded-map.js';

/** What is known under a key, or else made and known from now on; the oldest goes. A failure is not kept. */
export function cachedPromise<T>(
  all: Map<string, Promise<T>>,
  key: string,
  most: number,
  make: () => Promise<T>,
): Promise<T> {
  const known = all.get(key);
  if (known) return known;
  const made = make();
  made.catch(() => all.delete(key));
  putNewest(all, key, made, most);
  return made;
}
