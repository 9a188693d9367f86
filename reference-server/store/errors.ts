/** Failures of a store, each with its message for logs and answers. */

const failures = {
  /** The next request may succeed. */
  store_unavailable: 'The database of the server does not answer',
  /** Stored data can be read, nothing can be added. */
  store_full: 'The disk of the database is full',
  /** The lease of the first request had expired. */
  idempotency_key_in_use: 'Another request with this Idempotency-Key has taken over',
}

/** A failure after which nothing of a turn is stored. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly code: keyof typeof failures

  constructor(code: StoreFailure['code'], cause?: unknown) {
    super(failures[code], { cause })
    this.code = code
  }
}

/** A store that cannot be opened: unknown, in use, of a newer server, or not a store. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code = 'store_open'
}
