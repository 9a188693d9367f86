import { createHash } from 'node:crypto'
import { type Exchange, header, type WireRequest } from '../../../contract/index.ts'
import type { Outgoing, Transport } from '../conversation.ts'

/** Code of an exchange that a recording lacks: `unreachable`, for want of an answer. */
export const notRecorded = 'NOT_RECORDED'

/**
 * Answers from a recording that is evidence: an answer counts only for the request that it was
 * given to. Another version of a scenario may ask something else in the same place, and to judge
 * the old answer by the new question would accuse a target of what it never did. Equal requests of
 * a scenario get their answers in the order in which they were sent. `redact` makes the request of
 * today comparable with one that was stored.
 */
export function createRecordingTransport(
  recorded: ReadonlyMap<string, Exchange>,
  redact: (request: WireRequest) => WireRequest,
): Transport {
  const exchanges = [...knownIn(recorded)]
  const places = new Map(exchanges.map(({ labels, id }) => [placeOf(labels), id]))
  const ordinals = queues(exchanges)
  /** Ordinal of the recorded request for each one of today, so that its further tries find theirs. */
  const chosen = new Map<string, number | undefined>()

  function find({ labels, request }: Outgoing): Exchange | undefined {
    const today = placeOf({ ...labels, attempt: 0 })
    if (!chosen.has(today)) {
      chosen.set(today, ordinals.get(identityOf(labels.scenario, redact(request)))?.shift())
    }
    const ordinal = chosen.get(today)
    const id = ordinal === undefined ? undefined : places.get(placeOf({ ...labels, ordinal }))
    return id === undefined ? undefined : recorded.get(id)
  }

  return {
    send(outgoing) {
      const { labels, request } = outgoing
      const found = find(outgoing)
      const exchange = found === undefined ? absent(outgoing) : { ...found, labels, request }
      return { answered: Promise.resolve(), exchange: Promise.resolve(exchange) }
    },
    close: async () => {},
  }
}

/** Key of an exchange; the rest of it is read on demand. */
interface Known extends Pick<Exchange, 'id' | 'labels'> {
  readonly identity: string
}

function* knownIn(recorded: ReadonlyMap<string, Exchange>): Generator<Known> {
  for (const exchange of recorded.values()) {
    const { id, labels, request } = exchange
    if (!wasRecorded(exchange)) continue
    yield { id, labels, identity: identityOf(labels.scenario, request) }
  }
}

/** Ordinals of equal requests, in the order of sending. */
function queues(exchanges: readonly Known[]): ReadonlyMap<string, number[]> {
  const firstTries = exchanges
    .filter(({ labels }) => labels.attempt === 0)
    .toSorted((a, b) => a.labels.ordinal - b.labels.ordinal)
  const groups = Map.groupBy(firstTries, ({ identity }) => identity)
  return new Map([...groups].map(([key, group]) => [key, group.map((one) => one.labels.ordinal)]))
}

/**
 * Identity of a request. Of the credential only its scheme counts: a wrong one differs
 * from run to run, and the right one is not stored.
 */
function identityOf(scenario: string, { method, url, headers, body }: WireRequest): string {
  const [scheme] = (header(headers, 'authorization') ?? '').split(' ')
  const digest = body === null ? null : createHash('sha256').update(body).digest('base64')
  const type = header(headers, 'content-type')
  return JSON.stringify([scenario, method, url, scheme, type, header(headers, idempotency), digest])
}

const idempotency = 'idempotency-key'

function placeOf({ scenario, ordinal, attempt }: Outgoing['labels']): string {
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
