/** Something that takes a while to load: asked for by each job of a worker. */
export interface Lazy<T> {
  /** Loads with the first who asks. A failure is told to who waited for it, and the next one tries again. */
  get(): Promise<T>;
  /** What is there, or on its way; nothing is loaded for this question. */
  peek(): Promise<T> | undefined;
}

export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  return {
    get: () => {
      loading ??= load().catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    peek: () => loading,
  };
}
