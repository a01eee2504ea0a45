/** Jobs of many accounts: round robin over the accounts, one running job per account. */
export class AccountQueue<Job> {
  /** In round-robin order. An account without jobs has no entry. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #busy = new Set<string>();

  add(accountId: string, job: Job): void {
    const jobs = this.#waiting.get(accountId);
    if (jobs) jobs.push(job);
    else this.#waiting.set(accountId, [job]);
  }

  /** The next job of the first account without a running job. The account is busy until `release`. */
  take(): Job | undefined {
    for (const [accountId, jobs] of this.#waiting) {
      if (this.#busy.has(accountId)) continue;
      const job = jobs.shift();
      // To the end of the order.
      this.#waiting.delete(accountId);
      if (jobs.length > 0) this.#waiting.set(accountId, jobs);
      this.#busy.add(accountId);
      return job;
    }
    return undefined;
  }

  release(accountId: string): void {
    this.#busy.delete(accountId);
  }

  /** Removes and returns all waiting jobs. */
  clear(): readonly Job[] {
    const jobs = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return jobs;
  }
}
