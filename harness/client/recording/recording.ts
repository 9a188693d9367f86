import { hash } from 'node:crypto'
import {
  type Exchange,
  type ExchangeLabels,
  header,
  type WireRequest,
} from '../../../contract/index.ts'
import type { Outgoing, Pending } from '../conversation.ts'

/** Error code of an exchange that a recording lacks; its ending is `unreachable`. */
export const notRecorded = 'NOT_RECORDED'

/**
 * Responses from a recording that serves as evidence: each counts only for the request that it answered.
 * Another version of a scenario may send another request in the same place; judging the old response by it
 * would report a violation that never happened. Equal requests of a scenario get their responses in the order
 * of sending. `redact` makes a new request comparable with a stored one.
 */
export function createRecordingTransport(
  recorded: ReadonlyMap<string, Exchange>,
  redact: (request: WireRequest) => WireRequest,
) {
  // The rest of an exchange is read on demand.
  const all = Array.from(recorded.values(), (exchange) => {
    const { id, labels, request } = exchange
    const identity = identityOf(labels.scenario, request)
    return { id, labels, identity, isPresent: wasRecorded(exchange) }
  })
  const exchanges = all.filter(({ isPresent }) => isPresent)
  const supplied = new Map(all.map(({ labels }) => [placeOf(labels), labels.supplied ?? []]))
  const places = new Map(exchanges.map(({ labels, id }) => [placeOf(labels), id]))
  const firstTries = exchanges
    .filter(({ labels }) => labels.attempt === 0)
    .toSorted((a, b) => a.labels.ordinal - b.labels.ordinal)
  /** First tries of equal requests, in the order of sending. */
  const equals = Map.groupBy(firstTries, ({ identity }) => identity)
  /** Ordinal of the recorded request for each new one, so that its retries find theirs. */
  const chosen = new Map<string, number | undefined>()

  function find({ labels, request }: Outgoing): Exchange | undefined {
    const today = placeOf({ ...labels, attempt: 0 })
    if (!chosen.has(today)) {
      const found = equals.get(identityOf(labels.scenario, redact(request)))?.shift()
      chosen.set(today, found?.labels.ordinal)
    }
    const ordinal = chosen.get(today)
    const id = ordinal === undefined ? undefined : places.get(placeOf({ ...labels, ordinal }))
    return id === undefined ? undefined : recorded.get(id)
  }

  return {
    send(outgoing: Outgoing): Pending {
      const { labels, request } = outgoing
      const found = find(outgoing)
      const exchange = found === undefined ? absent(outgoing) : { ...found, labels, request }
      return { answered: Promise.resolve(), exchange: Promise.resolve(exchange) }
    },
    /** Tests if a recorded request was sent again. */
    wasRepeated({ labels }: Pick<Exchange, 'labels'>): boolean {
      const ordinal = chosen.get(placeOf({ ...labels, attempt: 0 }))
      const next = { ...labels, attempt: labels.attempt + 1 }
      return ordinal !== undefined && places.has(placeOf({ ...next, ordinal }))
    },
    /** Names of the fields added to a recorded first try; undefined if there is none. */
    suppliedIn: (place: Pick<ExchangeLabels, 'scenario' | 'ordinal'>) =>
      supplied.get(placeOf({ ...place, attempt: 0 })),
    close: async () => {},
  }
}

/** Identity of a request; of the credential only its scheme, as a wrong one differs from run to run. */
function identityOf(scenario: string, { method, url, headers, body }: WireRequest): string {
  const [scheme] = (header(headers, 'authorization') ?? '').split(' ')
  const digest = body === null ? null : hash('sha256', body, 'base64')
  const type = header(headers, 'content-type')
  return JSON.stringify([scenario, method, url, scheme, type, header(headers, idempotency), digest])
}

const idempotency = 'idempotency-key'

function placeOf({ scenario, ordinal, attempt }: Omit<ExchangeLabels, 'role'>): string {
  return JSON.stringify([scenario, ordinal, attempt])
}

/** Placeholder for a request that a recording lacks. */
function absent({ id, labels, request }: Outgoing): Exchange {
  return {
    id,
    labels,
    request,
    startedAt: new Date(0).toISOString(),
    response: null,
    events: [],
    ending: {
      kind: 'unreachable',
      atMs: 0,
      code: notRecorded,
      error: 'the recording has no such request',
    },
  }
}

/** A recording may itself have been made from a recording that lacked something. */
export function wasRecorded({ ending }: Exchange): boolean {
  return ending.kind !== 'unreachable' || ending.code !== notRecorded
}
