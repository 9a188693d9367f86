import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { type Exchange, restoreExchange } from '../../../contract/index.ts'

interface Place extends Pick<StoredLine, 'start' | 'length'> {
  readonly requestLine: string | undefined
}

/**
 * The exchanges of an `exchanges.ndjson` by id, in the order of the file. Each is restored on access and kept
 * no longer than it is used: together they may be larger than memory. A line that a killed
 * run left incomplete is skipped.
 */
export class StoredRecording implements ReadonlyMap<string, Exchange> {
  readonly #file: string
  /** The whole file, unless it is large. */
  readonly #bytes: Buffer | undefined
  readonly #places = new Map<string, Place>()
  /** The last one alone: reports show an exchange several times in a row. A WeakRef would keep each until the report is written. */
  #latest: Exchange | undefined
  #lost = 0
  #checked = false

  /** Folder of the results, if scripts are beside the file. */
  readonly folder: string | undefined

  /** @throws the error of the file system if the file cannot be read. */
  constructor(file: string, folder?: string) {
    this.#file = file
    this.folder = folder
    for (const { start, length, head } of storedLines(file)) {
      const [, method, url] = /"request":\{"method":"(\w+)","url":"([^"\\]*)"/.exec(head) ?? []
      const place = { start, length, requestLine: method && `${method} ${url}` }
      const id = /^\{"id":"([^"\\]*)"/.exec(head)?.[1] ?? this.#restore(place)?.id
      if (id === undefined) this.#lost += 1
      else this.#places.set(id, place)
    }
    if (statSync(file).size <= maxKept) this.#bytes = readFileSync(file)
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

  /** `POST http://host/path`, without reading the exchange; undefined if the beginning of its line does not say it. */
  requestLine(id: string): string | undefined {
    return this.#places.get(id)?.requestLine
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
    const { start, length } = place
    try {
      const line = this.#bytes?.toString('utf8', start, start + length)
      return restoreExchange(JSON.parse(line ?? readStoredLine(this.#file, place)))
    } catch {
      return undefined
    }
  }

  #lose(id: string): void {
    this.#places.delete(id)
    this.#lost += 1
  }
}

/** Bytes of a file that is kept in memory: opening it for each line takes longer than parsing the line. */
const maxKept = 1 << 26

/** A line of a file, without its end; `length` and `start` in bytes. */
export interface StoredLine {
  readonly start: number
  readonly length: number
  /** Beginning of the line: the id of its exchange, its labels, method and URL. */
  readonly head: string
}

const blockSize = 1 << 20
const headSize = 1024
const LF = 10

/** The lines of a file that may be larger than memory; empty ones are left out. */
export function* storedLines(file: string): Generator<StoredLine> {
  const block = Buffer.allocUnsafe(blockSize)
  const descriptor = openSync(file, 'r')
  try {
    // A device may be endless.
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not a regular file`)
    let position = 0
    let start = 0
    let head = ''
    for (;;) {
      const size = readSync(descriptor, block, 0, blockSize, position)
      let from = 0
      while (from < size) {
        const found = block.subarray(0, size).indexOf(LF, from)
        const end = found < 0 ? size : found
        if (head.length < headSize) {
          head += block.toString('latin1', from, Math.min(end, from + headSize - head.length))
        }
        if (found < 0) break
        const length = position + found - start
        if (length > 0) yield { start, length, head }
        from = found + 1
        start = position + from
        head = ''
      }
      position += size
      if (size === 0) break
    }
    if (position > start) yield { start, length: position - start, head }
  } finally {
    closeSync(descriptor)
  }
}

export function readStoredLine(
  file: string,
  { start, length }: Pick<StoredLine, 'start' | 'length'>,
): string {
  const bytes = Buffer.allocUnsafe(length)
  const descriptor = openSync(file, 'r')
  try {
    let filled = 0
    while (filled < length) {
      const size = readSync(descriptor, bytes, filled, length - filled, start + filled)
      if (size === 0) break
      filled += size
    }
    return bytes.toString('utf8', 0, filled)
  } finally {
    closeSync(descriptor)
  }
}
