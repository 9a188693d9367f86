/** Effects on answers: fields, refusals, forms, streams. */
import { randomUUID } from 'node:crypto'
import { setTimeout as timeout } from 'node:timers/promises'
import type { ResponseEvent } from '../../events/sequence.ts'
import type { SseBlock } from '../../events/sse.ts'
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
import { ofBlocks, ofBody, ofErrors, ofStream, withHeaders } from '../patches/replies.ts'
import { type Effect, editRequest, inJson, inStream, manglings, ofKind, paths } from './edits.ts'
import type { Circumstance } from './history.ts'
import { answerMembers, type FaultyOperation, type Schema } from './schemas.ts'

export function answerEffects(operation: FaultyOperation): readonly Effect[] {
  const generates = ['openai.chat', 'v3.generate', 'v3.oneShot'].includes(operation)
  return [
    ...answerMembers(operation).flatMap((member) => memberEffects(operation, member)),
    ...statuses(operation),
    ...(generates ? formEffects : []),
    ...(operation === 'openai.chat' ? chunkEffects : []),
    ...(generates && operation !== 'openai.chat' ? eventEffects : []),
  ]
}

/** Fields that return the values of the request unchanged. */
const echoes: { readonly [Id in FaultyOperation]?: RegExp } = {
  'v2.message': /^content$/,
  'v3.upload': /^filename$/,
}

function memberEffects(
  operation: FaultyOperation,
  [path, schema]: readonly [string, Schema],
): readonly Effect[] {
  const effect = (
    family: Effect['family'],
    clause: string,
    change: (old: unknown, circumstance: Circumstance) => unknown,
  ): Effect => ({
    family,
    name: `${path} ${clause}`,
    not: inJson,
    outgoing: ofBody((body, circumstance: Circumstance) =>
      setAt(body, path, (old: unknown) => change(old, circumstance)),
    ),
  })
  const isEcho = echoes[operation]?.test(path) === true
  return [
    effect('lose', 'is lost', () => undefined),
    effect('wrong type', 'has another type', otherType),
    ...(schema.type === 'string' ? [effect('wrong type', 'is null', () => null)] : []),
    ...(isEcho
      ? [
          {
            ...effect('wrong type', 'comes back as a number', (old) =>
              /^\d+$/.test(String(old)) ? Number(old) : old,
            ),
            needs: 'text: digits',
          },
        ]
      : []),
    ...(/^(model_id|content)$/.test(path)
      ? [
          effect('stale', 'is that of the first answer', (old, { earlier, operation: own }) => {
            const first = earlier.find((past) => past.operation === own && past.answer)
            return first?.answer?.[path] ?? old
          }),
        ]
      : []),
    ...(path === 'created_at'
      ? [effect('mangle', 'is in local time', (old) => localTime(String(old)))]
      : []),
    ...(path === 'chat_id' ? [effect('leak', 'is that of another chat', () => randomUUID())] : []),
    ...(isEcho
      ? manglings.map((mangling) => ({
          ...effect('mangle', `is shown ${mangling.name}`, (old) => mangling.change(String(old))),
          ...ofKind(mangling),
        }))
      : []),
  ]
}

function otherType(old: unknown): unknown {
  if (typeof old === 'string') return { value: old }
  if (Array.isArray(old)) return { ...old }
  return typeof old === 'object' ? 'other' : String(old)
}

const threeHours = 3 * 3_600_000
/** A time three hours ahead that is labeled as UTC. */
function localTime(text: string): string {
  return Number.isNaN(Date.parse(text))
    ? text
    : new Date(Date.parse(text) + threeHours).toISOString()
}

/** The document sets statuses only on the compatible surface; on native ones, at most that a refusal is not 5xx. */
function statuses(operation: FaultyOperation): readonly Effect[] {
  const refusal = (status: number): Effect => ({
    family: 'wrong status',
    name: `a refusal has status ${status}`,
    only: paths,
    outgoing: ofErrors((reply) => ({ ...reply, status })),
  })
  if (operation === 'openai.chat') return [refusal(500), refusal(200), refusal(422)]
  return ['v2.message', 'v2.generate', 'v3.generate'].includes(operation) ? [refusal(500)] : []
}

const formEffects: readonly Effect[] = [
  {
    family: 'other form',
    name: 'a stream is answered with one JSON body',
    needs: 'stream: true',
    incoming: editRequest((body) => ({ ...body, stream: false })),
  },
  {
    family: 'other form',
    name: 'one JSON body is answered with a stream',
    not: inJson,
    incoming: editRequest((body) => ({ ...body, stream: true })),
  },
  {
    family: 'other form',
    name: 'a stream has the media type of JSON',
    needs: 'stream: true',
    outgoing: (reply) =>
      reply.status < 300 ? withHeaders(reply, { 'content-type': 'application/json' }) : reply,
  },
  {
    family: 'late',
    name: 'a stream arrives in one piece',
    needs: 'stream: true',
    // A few tokens may be generated at once.
    not: ['max_tokens: of 1', 'max_tokens: up to'],
    outgoing: ofStream(async function* (blocks) {
      const held: SseBlock[] = []
      for await (const block of blocks) held.push(block)
      await timeout(held.length * 30)
      yield* held
    }),
  },
  {
    family: 'lose',
    name: 'a stream is cut before its last block',
    needs: 'stream: true',
    outgoing: ofStream(async function* (blocks) {
      let held: SseBlock | undefined
      for await (const block of blocks) {
        if (held !== undefined) yield held
        held = block
      }
    }),
  },
]

const textOfChunk = 'choices.0.delta.content'
const chunkEffects: readonly Effect[] = [
  {
    family: 'wrong type',
    name: 'fragments of text are numbers',
    not: inStream,
    outgoing: ofBlocks((chunk) => [
      setAt(chunk, textOfChunk, (old: unknown) => (typeof old === 'string' ? 7 : old)),
    ]),
  },
  // Chunks without an id, a model or a time are the same in these.
  ...['choices', 'object'].map(
    (name): Effect => ({
      family: 'lose',
      name: `chunks have no ${name}`,
      not: inStream,
      outgoing: ofBlocks((chunk) => [setAt(chunk, name, undefined)]),
    }),
  ),
]

const twice = (event: ResponseEvent) => [event, event]

/** Events that the document names, of which each stream has one. */
const eventEffects: readonly Effect[] = [
  ...[created, itemAdded, completed].flatMap((type) => [
    eventEffect('lose', `the stream has no ${type}`, dropEvents(type)),
    eventEffect('duplicate', `${type} comes twice`, replaceEvents(type, twice)),
  ]),
  ...[textDelta, reasoningDelta].flatMap((type) => [
    eventEffect('lose', `the last ${type} is lost`, dropEvents(nth(type, -1))),
    eventEffect('duplicate', `the first ${type} comes twice`, replaceEvents(nth(type, 0), twice)),
    eventEffect('wrong type', `delta of ${type} is a number`, setInEvents(type, { delta: 7 })),
  ]),
  eventEffect('reorder', 'fragments of text are swapped', swapPairs(textDelta)),
  eventEffect('stale', 'the final response is that of the beginning', (events) => {
    const first = events.find(({ type }) => type === created)
    return events.map((event) =>
      event.type === completed ? { ...event, response: toObject(first?.['response']) } : event,
    )
  }),
]

function eventEffect(family: Effect['family'], name: string, events: Rewrite): Effect {
  return { family, name, not: inStream, events }
}
