import type { RequestRecord } from '../record.ts'

/** Turns of chats that grow, told apart as far as their contexts differ much. */
export const turnRanges = [
  { from: 1, to: 1 },
  { from: 2, to: 2 },
  { from: 3, to: null },
] as const

/** Limit of transactions in progress. */
const maxRemembered = 10_000

/** Tells which turn of a growing chat a request was. */
export class TurnTracker {
  readonly #growing: ReadonlySet<string>
  /** Transactions whose first request made their chat. */
  readonly #ownChat = new Set<number>()

  constructor(growing: readonly string[]) {
    this.#growing = new Set(growing)
  }

  /** Index of the span; undefined for what is no turn of a chat that grows. */
  rangeOf({ transaction, operation, index, step }: RequestRecord): number | undefined {
    if (!this.#growing.has(transaction)) return undefined
    if (operation === 'v3.createChat') this.#remember(index)
    if (operation !== 'v3.generate') return undefined
    const turn = this.#ownChat.has(index) ? step : step + 1
    return turnRanges.findIndex(({ to }) => to === null || turn <= to)
  }

  #remember(index: number): void {
    const [oldest] = this.#ownChat
    if (oldest !== undefined && this.#ownChat.size >= maxRemembered) this.#ownChat.delete(oldest)
    this.#ownChat.add(index)
  }
}
