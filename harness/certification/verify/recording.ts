import { isDeepStrictEqual } from 'node:util'
import { type Exchange, restoreExchange, storedPieces } from '../../../contract/index.ts'
import { decodeEvents, isEventStream } from '../../client/index.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import type { StoredRound } from './content.ts'

/** Exchanges of a round, in the order of the file. */
export interface RoundRecording {
  readonly round: number
  readonly exchanges: readonly Exchange[]
  /** Lines that `certify` does not write. */
  readonly problems: readonly string[]
}

/** Reads every line of a recording: one exchange in its one form, whose events follow from its bytes. */
export function readRecordingOf({ round, exchanges: stored }: StoredRound): RoundRecording {
  const exchanges: Exchange[] = []
  const problems: string[] = []
  const ids = new Set<string>()
  const lines = stored.toString('utf8').split('\n')
  if (lines.pop() !== '') problems.push(`the last line of ${exchangesName} has no line end`)
  for (const [at, line] of lines.entries()) {
    const exchange = restored(line)
    if (exchange === null) {
      problems.push(`line ${at + 1} of ${exchangesName} is not an exchange as chatgen stores it`)
      continue
    }
    const { id } = exchange
    if (ids.has(id)) problems.push(`${id} is recorded twice`)
    if (!hasOwnEvents(exchange)) problems.push(`${id} has events that its bytes do not contain`)
    ids.add(id)
    exchanges.push(exchange)
  }
  return { round, exchanges, problems: problems.slice(0, 5) }
}

function restored(line: string): Exchange | null {
  try {
    const exchange = restoreExchange(JSON.parse(line))
    return [...storedPieces(exchange)].join('') === `${line}\n` ? exchange : null
  } catch {
    return null
  }
}

/** Marks of the redaction: what stood there is in neither the bytes nor the events. */
const mark = /\[(?:(?:api|other) key|native token|header |base url |proxy )/

function hasOwnEvents({ response, events }: Exchange): boolean {
  if (response === null) return events.length === 0
  if (events.length === 0 && !isEventStream(response.headers)) return true
  const isRedacted = mark.test(Buffer.concat(response.chunks.map(({ bytes }) => bytes)).toString())
  return isRedacted || isDeepStrictEqual(decodeEvents(response.chunks), events)
}
