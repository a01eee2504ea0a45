/** Something that takes a while to load: asked for by each job of a worker. */
export interface LoadOnce<T> {
  /** Loads with the first who asks. A failure is told to who waited for it, and the next one tries again. */
  get(): Promise<T>;
  /** What is there, or on its way; nothing is loaded for this question. */
  peek(): Promise<T> | undefined;
}

export function loadOnce<T>(load: () => Promise<T>): LoadOnce<T> {
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
