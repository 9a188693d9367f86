/** Effects on answers: fields, refusals, forms, streams. */
import { randomUUID } from 'node:crypto'
import { setTimeout as timeout } from 'node:timers/promises'
import type { SseBlock } from '../../events/sequence.ts'
import {
  completed,
  created,
  dropEvents,
  itemAdded,
  nth,
  type Rewrite,
  reasoningDelta,
  replaceEvents,
  setInEvents,
  swapPairs,
  textDelta,
} from '../patches/events.ts'
import { setAt, toObject } from '../patches/json.ts'
import { ofBlocks, ofErrors, ofStream, withHeaders } from '../patches/replies.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import {
  type Effect,
  editBody,
  editRequest,
  effectTable,
  inJson,
  inStream,
  mangled,
  paths,
} from './edits.ts'
import type { Circumstance } from './history.ts'
import type { Seams } from './injection.ts'
import { answerMembers, type Schema } from './schemas.ts'

export function answerEffects(operation: FaultyOperation): readonly Effect[] {
  const isOfEvents = operation === 'v3.generate' || operation === 'v3.oneShot'
  const isOfChunks = operation === 'openai.chat'
  return [
    ...answerMembers(operation).flatMap((member) => memberEffects(operation, member)),
    ...statuses(operation),
    ...(isOfEvents || isOfChunks ? formEffects : []),
    ...(isOfChunks ? chunkEffects : []),
    ...(isOfEvents ? eventEffects : []),
  ]
}

/** Fields that return the values of the request unchanged. */
const echoes: { readonly [Id in FaultyOperation]?: RegExp } = {
  'v2.message': /^content$/,
  'v3.upload': /^filename$/,
}

function memberEffects(
  operation: FaultyOperation,
  [path, { type }]: readonly [string, Schema],
): readonly Effect[] {
  const to = (change: (old: unknown, circumstance: Circumstance) => unknown) => ({
    not: inJson,
    ...editBody((body, circumstance) =>
      setAt(body, path, (old: unknown) => change(old, circumstance)),
    ),
  })
  const isEcho = echoes[operation]?.test(path) === true
  return [
    ...effectTable({
      [`lose: ${path} is lost`]: to(() => undefined),
      [`wrong type: ${path} has another type`]: to(otherType),
      ...(type === 'string' && { [`wrong type: ${path} is null`]: to(() => null) }),
      ...(isEcho && {
        [`wrong type: ${path} comes back as a number (text: digits)`]: to((old) =>
          /^\d+$/.test(String(old)) ? Number(old) : old,
        ),
      }),
      ...(/^(model_id|content)$/.test(path) && {
        [`stale: ${path} is that of the first answer`]: to((old, { earlier, operation: own }) => {
          const first = earlier.find((past) => past.operation === own && past.answer)
          return first?.answer?.[path] ?? old
        }),
      }),
      // Section 2.3 says that the time is UTC, section 2.4 does not.
      ...(`${operation}.${path}` === 'v2.message.created_at' && {
        [`mangle: ${path} is in local time`]: to(localTime),
      }),
      ...(path === 'chat_id' && {
        [`leak: ${path} is that of another chat`]: to(() => randomUUID()),
      }),
    }),
    ...(isEcho ? mangled(`${path} is shown`, (change) => to((old) => change(String(old)))) : []),
  ]
}

function otherType(old: unknown): unknown {
  if (typeof old === 'string') return { value: old }
  if (Array.isArray(old)) return { ...old }
  return typeof old === 'object' ? 'other' : String(old)
}

const threeHours = 3 * 3_600_000
/** A time three hours ahead that is labeled as UTC. */
function localTime(old: unknown): unknown {
  const time = Date.parse(String(old))
  return Number.isNaN(time) ? String(old) : new Date(time + threeHours).toISOString()
}

/** The document sets statuses only on the compatible surface; on native ones, at most that a refusal is not 5xx. */
function statuses(operation: FaultyOperation): readonly Effect[] {
  const isChecked = ['v2.message', 'v2.generate', 'v3.generate'].includes(operation)
  const others = operation === 'openai.chat' ? [500, 200, 422] : isChecked ? [500] : []
  return others.flatMap((status) =>
    effectTable({
      [`wrong status: a refusal has status ${status}`]: {
        only: paths,
        outgoing: ofErrors((reply) => ({ ...reply, status })),
      },
    }),
  )
}

const formEffects = effectTable({
  'other form: a stream is answered with one JSON body (stream: true)': editRequest((body) => ({
    ...body,
    stream: false,
  })),
  'other form: one JSON body is answered with a stream': {
    not: inJson,
    ...editRequest((body) => ({ ...body, stream: true })),
  },
  'other form: a stream has the media type of JSON (stream: true)': {
    outgoing: (reply) =>
      reply.status < 300 ? withHeaders(reply, { 'content-type': 'application/json' }) : reply,
  },
  'late: a stream arrives in one piece (stream: true)': {
    // A few tokens may be generated at once.
    not: ['max_tokens: of 1', 'max_tokens: up to'],
    outgoing: ofStream(async function* (blocks) {
      const held = await Array.fromAsync(blocks)
      await timeout(held.length * 30)
      yield* held
    }),
  },
  'lose: a stream is cut before its last block (stream: true)': {
    outgoing: ofStream(async function* (blocks) {
      let held: SseBlock | undefined
      for await (const block of blocks) {
        if (held !== undefined) yield held
        held = block
      }
    }),
  },
})

const inChunks = (path: string, to: unknown): Seams => ({
  outgoing: ofBlocks((chunk) => [setAt(chunk, path, to)]),
})

const chunkEffects = effectTable(
  {
    'wrong type: fragments of text are numbers': inChunks(
      'choices.0.delta.content',
      (old: unknown) => (typeof old === 'string' ? 7 : old),
    ),
    // Chunks without an id, a model or a time are the same in these.
    'lose: chunks have no choices': inChunks('choices', undefined),
    'lose: chunks have no object': inChunks('object', undefined),
  },
  { not: inStream },
)

/** Events that the document names, of which each stream has one. */
const eventEffects = [
  ...[created, itemAdded, completed].flatMap((type) =>
    ofEvents({
      [`lose: the stream has no ${type}`]: dropEvents(type),
      [`duplicate: ${type} comes twice`]: replaceEvents(type, (event) => [event, event]),
    }),
  ),
  ...[textDelta, reasoningDelta].flatMap((type) =>
    ofEvents({
      [`lose: the last ${type} is lost`]: dropEvents(nth(type, -1)),
      [`duplicate: the first ${type} comes twice`]: replaceEvents(nth(type, 0), (event) => [
        event,
        event,
      ]),
      [`wrong type: delta of ${type} is a number`]: setInEvents(type, { delta: 7 }),
    }),
  ),
  ...ofEvents({
    'reorder: fragments of text are swapped': swapPairs(textDelta),
    'stale: the final response is that of the beginning': (events) => {
      const first = events.find(({ type }) => type === created)
      return events.map((event) =>
        event.type === completed ? { ...event, response: toObject(first?.['response']) } : event,
      )
    },
  }),
]

function ofEvents(table: Readonly<Record<string, Rewrite>>): readonly Effect[] {
  const rows = Object.entries(table).map(([heading, events]) => [heading, { events }])
  return effectTable(Object.fromEntries(rows), { not: inStream })
}
