import { SloSyntaxError } from './syntax-error.ts'

/** Reads an expression piece by piece; space may stand between any two. */
export class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Index of the next piece. */
  get at(): number {
    this.#at += this.#match(/\s*/y).length
    return this.#at
  }

  get atEnd(): boolean {
    return this.at === this.#text.length
  }

  /** The next piece if it is of this form, and the empty text otherwise. */
  take(form: RegExp): string {
    void this.at
    const found = this.#match(new RegExp(form, 'y'))
    this.#at += found.length
    return found
  }

  fail(allowed: string, at = this.at): never {
    throw new SloSyntaxError(this.#text, at, allowed)
  }

  #match(sticky: RegExp): string {
    sticky.lastIndex = this.#at
    return sticky.exec(this.#text)?.[0] ?? ''
  }
}
