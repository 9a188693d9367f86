import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Exchange, restoreExchanges, storedPieces } from '../../../contract/index.ts'
import { makeFolder, removeFolder } from '../../conformance/test-support/folders.ts'

interface Selection {
  /** Rows to judge; none: all. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

export interface Task extends Selection {
  readonly outDir: string
  /** Recording that answers; without it, the reference server is asked. */
  readonly recordingFile?: string
}

export interface Judged {
  readonly red: readonly string[]
  readonly passed: readonly string[]
  /** Internal errors. */
  readonly faults: readonly string[]
}

/** A run of the suites against the plain reference server, and what they say of other recordings. */
export interface Recording {
  readonly live: Judged
  readonly exchanges: readonly Exchange[]
  judge(exchanges: readonly Exchange[], selection?: Partial<Selection>): Promise<Judged>
  close(): void
}

export async function recordRun(): Promise<Recording> {
  const folder = makeFolder()
  const child = fork(fileURLToPath(new URL('./recording-process.ts', import.meta.url)))
  const lost = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that records ended with ${code}`)
  })
  lost.catch(() => {})
  const nextMessage = () => Promise.race([once(child, 'message'), lost])
  await nextMessage()
  let tasks = 0

  async function perform(selection: Partial<Selection>, recordingFile?: string) {
    tasks += 1
    const outDir = join(folder, String(tasks))
    const answered = nextMessage()
    const task = { only: [], skip: [], ...selection, outDir }
    child.send(recordingFile === undefined ? task : { ...task, recordingFile })
    const [judged] = await answered
    return { judged: judged as Judged, file: join(outDir, 'exchanges.ndjson') }
  }

  const { judged: live, file } = await perform({})
  return {
    live,
    exchanges: restoreExchanges(readFileSync(file, 'utf8')).exchanges,
    judge: async (exchanges, selection = {}) => {
      const recordingFile = join(folder, 'mutated.ndjson')
      const lines = exchanges.map((exchange) => [...storedPieces(exchange)].join(''))
      writeFileSync(recordingFile, lines.join(''))
      return (await perform(selection, recordingFile)).judged
    },
    close: () => {
      child.disconnect()
      removeFolder(folder)
    },
  }
}
