import type { Exchange } from '../../../contract/index.ts'
import type { Outgoing, Pending, Transport } from '../transport.ts'

/** Code of an exchange that a recording lacks: `unreachable`, for want of an answer. */
export const notRecorded = 'NOT_RECORDED'

/**
 * Answers from a recording: the same scenario, ordinal and attempt get the same conversation, by
 * the id that it has there. The request of today replaces the recorded one, so that a judge sees
 * what this version would send.
 */
export function createRecordingTransport(recorded: ReadonlyMap<string, Exchange>): Transport {
  const byPlace = new Map<string, string>()
  for (const exchange of recorded.values()) {
    if (wasRecorded(exchange)) byPlace.set(placeOf(exchange), exchange.id)
  }
  return {
    send: (outgoing) => replay(recorded.get(byPlace.get(placeOf(outgoing)) ?? ''), outgoing),
    close,
  }
}

/** Placeholder for a request that a recording lacks. */
export function absent({ id, labels, request }: Outgoing): Exchange {
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

function replay(recorded: Exchange | undefined, outgoing: Outgoing): Pending {
  const { labels, request } = outgoing
  const exchange = recorded ? { ...recorded, labels, request } : absent(outgoing)
  return { answered: Promise.resolve(), exchange: Promise.resolve(exchange) }
}

/** A recording may itself have been made from a recording that lacked something. */
export function wasRecorded({ ending }: Exchange): boolean {
  return ending.kind !== 'unreachable' || ending.code !== notRecorded
}

function placeOf({ labels }: Pick<Outgoing, 'labels'>): string {
  return JSON.stringify([labels.scenario, labels.ordinal, labels.attempt])
}

async function close(): Promise<void> {}
