import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type LoadReport, loadReport } from '../../../../reports/load/model/report.ts'
import { listening } from '../../../client/test-support/listen-on-loopback.ts'
import { chatgen, type Ended, emptyFolder, serving } from '../../test-support/chatgen.ts'

const key = 'load-test-key'
export const withKey = { CHATGEN_API_KEY: key }

export interface Loaded extends Ended {
  readonly report: LoadReport
}

/** Puts a load on a target with the real CLI, and reads its report. */
export async function load(line: string, folder = emptyFolder()): Promise<Loaded> {
  const ended = await chatgen(`load ${line}`, withKey, folder)
  // On a busy machine a run lasts long enough to log progress.
  expect(ended.stderr.replaceAll(/^load: \w+ \d+ s of .*\n/gm, '')).toBe('')
  return { ...ended, report: reportIn(folder) }
}

export function reportIn(folder: string): LoadReport {
  const text = readFileSync(join(folder, 'chatgen-results', 'report.json'), 'utf8')
  return loadReport.parse(JSON.parse(text))
}

/** The URL of a reference server in a separate process, for one test. */
export async function served(line = ''): Promise<string> {
  return (await serving(`--key ${key} ${line}`)).url
}

/** A v3 surface that creates chats, but never answers a generation or deletion; `waits` resolves with the first of them. */
export async function halfSilentServer() {
  const waits = Promise.withResolvers<void>()
  const { url } = await listening((request, response) => {
    request.resume()
    const isNew = request.method === 'POST' && request.url === '/api/v3/chat'
    if (request.method !== 'GET' && !isNew) {
      waits.resolve()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isNew ? { chat: { id: randomUUID() } } : { result: [] }))
  })
  return { url, waits: waits.promise }
}
