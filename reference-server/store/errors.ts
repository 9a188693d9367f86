/** Failures of a store, each with its message for logs and answers. */

/** The database does not answer; the next request may succeed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly code = 'store_unavailable'

  constructor(cause: unknown) {
    super('The database of the server does not answer', { cause })
  }
}

/** The disk of the database is full: stored data can be read, nothing can be added. */
export class StoreFull extends Error {
  override readonly name = 'StoreFull'
  readonly code = 'store_full'

  constructor(cause: unknown) {
    super('The disk of the database is full', { cause })
  }
}

/** Another request holds the key of the run, because its lease had expired. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
  readonly code = 'idempotency_key_in_use'

  constructor() {
    super('Another request with this Idempotency-Key has taken over')
  }
}

/** True for failures after which nothing of a turn is stored. */
export function isStoreFailure(error: unknown): error is StoreUnavailable | StoreFull | ClaimLost {
  return [StoreUnavailable, StoreFull, ClaimLost].some((failure) => error instanceof failure)
}

/** A store that cannot be opened: unknown, in use, of a newer server, or not a store. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code = 'store_open'
}
