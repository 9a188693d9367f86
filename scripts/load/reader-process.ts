/** One reader in a process of its own: options as JSON in the argument, the result as JSON in a file. */
import { writeFileSync } from 'node:fs'
import { readWithEngine } from './engine-reader.ts'
import { readFetch } from './fetch-reader.ts'
import { readRaw } from './raw-reader.ts'
import type { ReaderOptions } from './reader.ts'

const readers = { raw: readRaw, fetch: readFetch, engine: readWithEngine }
export type ReaderName = keyof typeof readers

export interface ReaderOrder {
  readonly reader: ReaderName
  readonly options: ReaderOptions
  readonly file: string
}

const { reader, options, file }: ReaderOrder = JSON.parse(process.argv[2] ?? '')
writeFileSync(file, JSON.stringify(await readers[reader](options)))
