import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { type Exchange, restoreExchange } from '../../../contract/index.ts'

type Place = Pick<StoredLine, 'start' | 'length'>

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
      const place = { start, length }
      const id = /^\{"id":"([^"\\]*)"/.exec(head)?.[1] ?? this.#restore(place)?.id
      if (id === undefined) this.#lost += 1
      else this.#places.set(id, place)
    }
    if (statSync(file).size <= maxKept) this.#bytes = readFileSync(file)
  }

  /** Lines that contain no exchange: a run that is killed cuts its last one. Reads every line once. */
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
    if (exchange === undefined) {
      this.#places.delete(id)
      this.#lost += 1
    }
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

  #restore({ start, length }: Place): Exchange | undefined {
    const blocks = blocksOf(this.#bytes ?? this.#file, start, length)
    try {
      return restoreExchange(
        length <= blockSize ? JSON.parse([...blocks].join('')) : parseBlocks(blocks),
      )
    } catch {
      return undefined
    }
  }
}

/** Bytes of a file that is kept in memory: opening it for each line takes longer than parsing the line. */
const maxKept = 1 << 26

/** A line of a file, without its end; `length` and `start` in bytes. */
interface StoredLine {
  readonly start: number
  readonly length: number
  /** Beginning of the line: the id of its exchange. */
  readonly head: string
}

const blockSize = 1 << 20
const headSize = 1024
const LF = 10

/** The lines of a file that may be larger than memory; empty ones are left out. */
function* storedLines(file: string): Generator<StoredLine> {
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

/** A part of a file, or of its bytes, as text. */
function* blocksOf(source: Buffer | string, start: number, length: number): Generator<string> {
  const decoder = new StringDecoder()
  const descriptor = typeof source === 'string' ? openSync(source, 'r') : undefined
  const block = Buffer.allocUnsafe(Math.min(length, blockSize))
  try {
    for (let at = start; at < start + length; ) {
      const room = Math.min(blockSize, start + length - at)
      const size =
        typeof source === 'string'
          ? readSync(descriptor ?? 0, block, 0, room, at)
          : source.copy(block, 0, at, at + room)
      if (size === 0) break
      yield decoder.write(block.subarray(0, size))
      at += size
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
/** Neither occurs in a string, as its quotes are escaped. */
const listBegin = /"(?:chunks|events)":\[/
const listEnd = /\](?=\},"(?:chunks|events)":|,"ending":)/
const betweenElements = '},{"atMs":'

/**
 * A line as a value; the elements of its lists are parsed as they come. A long line may be three times as
 * large as its response, so as a whole it would take more memory than anything else in a run.
 */
function parseBlocks(blocks: Iterable<string>): unknown {
  const lists: unknown[][] = []
  let line = ''
  let isInList = false
  let rest = ''
  function take(end: number): void {
    const text = rest.slice(0, end)
    rest = rest.slice(end)
    if (isInList) lists.at(-1)?.push(...JSON.parse(`[${text}]`))
    else line += text
  }
  for (const block of blocks) {
    rest += block
    for (;;) {
      const found = (isInList ? listEnd : listBegin).exec(rest)
      if (found === null) break
      take(isInList ? found.index : found.index + found[0].length)
      isInList = !isInList
      if (isInList) lists.push([])
    }
    const separator = isInList ? rest.lastIndexOf(betweenElements) : -1
    if (separator < 0) continue
    take(separator + 1)
    rest = rest.slice(1)
  }
  return JSON.parse(line + rest, (key, value) =>
    key === 'chunks' || key === 'events' ? lists.shift() : value,
  )
}
