/** Reader with fetch, as most clients use it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../contract/error-message.ts'
import { type ReaderOptions, type ReaderResult, requestOf, Window } from './reader.ts'

export async function readFetch(options: ReaderOptions): Promise<ReaderResult> {
  const window = new Window(options)
  const { path, headers, body } = requestOf(options)
  const completions: Promise<void>[] = []
  for (let index = 0; index < options.streams; index += 1) {
    completions.push(oneAfterTheOther())
    await sleep(options.streamMs / options.streams)
  }
  await Promise.all(completions)
  return window.result()

  async function oneAfterTheOther(): Promise<void> {
    while (!window.over) {
      try {
        await oneStream()
      } catch (error) {
        window.error(messageOf(error))
      }
    }
  }

  async function oneStream(): Promise<void> {
    const response = await fetch(options.url + path, { method: 'POST', headers, body })
    if (response.status !== 200 || response.body === null) window.error('status')
    let events = 0
    for await (const chunk of response.body ?? []) {
      const at = process.hrtime.bigint()
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      for (let end = bytes.indexOf(blockEnd); end >= 0; end = bytes.indexOf(blockEnd, end + 2)) {
        events += 1
      }
      window.read(bytes, at)
    }
    if (events === 0) window.error('no event')
    window.streams += 1
  }
}

const blockEnd = Buffer.from('\n\n')
