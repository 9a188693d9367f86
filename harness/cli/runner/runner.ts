/** A run that was prepared for several machines. */
export interface PreparedJob {
  /** Unique; letters, digits and dashes, at most 40. */
  readonly name: string
  /** Contents of the job file; it contains keys. */
  readonly text: string
  readonly shards: number
  readonly startAt: Date
  /** Time after which the job is given up, in milliseconds from now. */
  readonly timeoutMs: number
  /** Folder of the results of the shards. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Prints a line of progress. */
  readonly log: (line: string) => void
}

/** Output of a shard, or the reason why there is none. */
export interface ShardResult {
  /** Standard output (`shard-output.ts`); null where it has no report. */
  readonly output: string | null
  /** Reason, where there is none. */
  readonly reason: string
}

/**
 * Runs a job by an engine that exists, through the client of that engine: starts all shards, waits for
 * their end, and collects their reports in any order. Leaves nothing behind.
 */
export type Runner = (job: PreparedJob) => Promise<readonly ShardResult[]>
