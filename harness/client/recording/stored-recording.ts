import { type Exchange, restoreExchange } from '../../../contract/index.ts'
import { readStoredLine, type StoredLine, storedLines } from './stored-lines.ts'

type Place = Pick<StoredLine, 'start' | 'length'>

/**
 * The exchanges of an `exchanges.ndjson` by id, in the order of the file. Each is read when it is
 * asked for and kept no longer than it is used: together they may be larger than memory. What a run
 * that was killed has cut is not there.
 */
export class StoredRecording implements ReadonlyMap<string, Exchange> {
  readonly #file: string
  readonly #places = new Map<string, Place>()
  /** The last one alone: reports show an exchange several times in a row. A WeakRef would keep each until the report is written. */
  #latest: Exchange | undefined
  #lost = 0
  #checked = false

  /** @throws the error of the file system where the file cannot be read. */
  constructor(file: string) {
    this.#file = file
    for (const { start, length, head } of storedLines(file)) {
      const place = { start, length }
      const id = /^\{"id":"([^"\\]*)"/.exec(head)?.[1] ?? this.#restore(place)?.id
      if (id === undefined) this.#lost += 1
      else this.#places.set(id, place)
    }
  }

  /** Lines that hold no exchange: a run that is killed cuts its last one. Reads every line once. */
  get lost(): number {
    if (!this.#checked) for (const _ of this);
    this.#checked = true
    return this.#lost
  }

  get size(): number {
    return this.#places.size
  }

  has(id: string): boolean {
    return this.#places.has(id)
  }

  get(id: string): Exchange | undefined {
    const place = this.#places.get(id)
    if (place === undefined) return undefined
    if (this.#latest?.id === id) return this.#latest
    this.#latest = undefined
    const exchange = this.#restore(place)
    if (exchange === undefined) this.#lose(id)
    this.#latest = exchange
    return exchange
  }

  keys(): MapIterator<string> {
    return this.#places.keys()
  }

  *entries(): MapIterator<[string, Exchange]> {
    for (const id of [...this.#places.keys()]) {
      const exchange = this.get(id)
      if (exchange !== undefined) yield [id, exchange]
    }
  }

  *values(): MapIterator<Exchange> {
    for (const [, exchange] of this.entries()) yield exchange
  }

  [Symbol.iterator](): MapIterator<[string, Exchange]> {
    return this.entries()
  }

  forEach(visit: (value: Exchange, key: string, map: ReadonlyMap<string, Exchange>) => void): void {
    for (const [id, exchange] of this.entries()) visit(exchange, id, this)
  }

  #restore(place: Place): Exchange | undefined {
    try {
      return restoreExchange(JSON.parse(readStoredLine(this.#file, place)))
    } catch {
      return undefined
    }
  }

  #lose(id: string): void {
    this.#places.delete(id)
    this.#lost += 1
  }
}
