import { isNonce } from '../plan/plan.ts'

/**
 * Searches a text that arrives in fragments for nonces of other requests. All nonces of a run begin
 * alike and have one length, so a search for the beginning finds all of them.
 */
export class CrossTalkDetector {
  /** The first foreign nonce found. */
  foreignNonce: string | undefined
  readonly #prefix: string
  readonly #own: string
  readonly #first: string
  #tail = ''

  constructor(prefix: string, own: string) {
    this.#prefix = prefix
    this.#own = own
    this.#first = prefix.slice(0, 1)
  }

  add(fragment: string): void {
    if (this.foreignNonce !== undefined) return
    // Most fragments are words that contain no beginning of a nonce.
    if (this.#tail === '' && !fragment.includes(this.#first)) return
    const text = this.#tail + fragment
    const { length } = this.#own
    for (let at = text.indexOf(this.#prefix); at >= 0; at = text.indexOf(this.#prefix, at + 1)) {
      const found = text.slice(at, at + length)
      if (found.length < length) break
      if (found !== this.#own && isNonce(found)) {
        this.foreignNonce = found
        return
      }
    }
    const last = text.slice(-length + 1)
    const start = last.indexOf(this.#first)
    this.#tail = start < 0 ? '' : last.slice(start)
  }
}
