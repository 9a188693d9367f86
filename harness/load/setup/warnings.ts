/** A failed setup or cleanup request, with its number of occurrences; structured-cloneable. */
export interface Warning {
  readonly text: string
  /** Null without an answer, or if the status does not matter. */
  readonly status: number | null
  readonly count: number
}

/** Counts warnings by text and status. */
export class WarningCounter {
  readonly #warnings = new Map<string, Warning>()

  static of(warnings: readonly Warning[]): readonly Warning[] {
    const counter = new WarningCounter()
    for (const warning of warnings) counter.add(warning)
    return counter.all
  }

  add({ text, status, count }: Warning): void {
    const key = `${status} ${text}`
    const before = this.#warnings.get(key)?.count ?? 0
    this.#warnings.set(key, { text, status, count: before + count })
  }

  get all(): readonly Warning[] {
    return [...this.#warnings.values()]
  }
}

/** `chat creation failed (status 500, 2 times)` */
export function warningText({ text, status, count }: Warning): string {
  const times = count === 1 ? 'once' : `${count} times`
  return `${text} (${status === null ? '' : `status ${status}, `}${times})`
}
