/** What is known under a key, or else made and known from now on; the oldest goes. A failure is not kept. */
export function kept<T>(
  all: Map<string, Promise<T>>,
  key: string,
  most: number,
  make: () => Promise<T>,
): Promise<T> {
  const known = all.get(key);
  if (known) return known;
  const made = make();
  made.catch(() => all.delete(key));
  all.set(key, made);
  if (all.size > most) {
    const [oldest] = all.keys();
    all.delete(oldest!);
  }
  return made;
}
