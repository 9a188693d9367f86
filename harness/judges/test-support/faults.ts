import { expect, test } from 'vitest'
import type { TranscriptName } from '../../../fixtures/transcripts.ts'
import type { Body } from './bodies.ts'
import { type Edit, edited, the } from './edit.ts'
import { brokenIn, type ExchangeParts, transcriptExchange } from './exchanges.ts'

/** A fault, the rows that it turns red (`17` for `V3-SSE-17`), and the transcript that it is put into. */
export type Fault = readonly [fault: string, rows: string, base: TranscriptName, edit: Edit]

/** Each fault turns exactly its rows red. */
export function testFaults(faults: readonly Fault[]): void {
  test.each(faults)('%s breaks %s', (_, rows, base, edit) => {
    expectBroken(base, { body: edited(base, edit) }, rows)
  })
}

export function expectBroken(
  base: TranscriptName,
  more: Partial<ExchangeParts>,
  rows: string,
): void {
  const broken = brokenIn(transcriptExchange(base, more))
  // The sentences are compared too, so that a failing test shows why a row is red.
  const expected = rowIds(base, rows).map((row) => [row, broken[row] ?? 'nothing was said'])
  expect(broken).toEqual(Object.fromEntries(expected))
}

export const names = {
  added: 'response.output_item.added',
  done: 'response.output_item.done',
  partAdded: 'response.content_part.added',
  partDone: 'response.content_part.done',
  delta: 'response.output_text.delta',
  textDone: 'response.output_text.done',
  completed: 'response.completed',
} as const

/** An edit of every event. */
export function everywhere(change: (event: ReturnType<typeof the>) => void): Edit {
  return (events) => {
    for (const event of events) change(event)
    return undefined
  }
}

/** An edit of the final response. */
export function inFinal(change: (response: Body) => void): Edit {
  return (events) => {
    change(the(events, names.completed).json.response)
    return undefined
  }
}

function rowIds(base: TranscriptName, rows: string): string[] {
  const area = base.startsWith('chat') ? 'OAI-STREAM' : 'V3-SSE'
  const ids = rows.split(' ').filter((row) => row !== '')
  return ids.map((row) => (/^\d/.test(row) ? `${area}-${row}` : row)).sort()
}
