import { beforeAll, describe, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { cutAtFirst, type Json } from '../test-support/independent-server/hooks.ts'
import {
  expectExactly,
  judged,
  judgedLegal,
  type Wrong,
} from '../test-support/independent-server/judged.ts'
import { piecesOf } from '../test-support/independent-server/model.ts'
import { together } from '../test-support/independent-server/together.ts'

/** Each wrong behaviour of the compatible surface breaks the rows that are about it, and no other. */
describe('a compatible surface', () => {
  let legal: ConformanceReport
  beforeAll(async () => {
    legal = await judgedLegal('openai')
  })

  test.each(wrongs())('that $what', async (wrong) => {
    expectExactly(wrong, legal, await judged('openai', wrong.hooks))
  })
})

function wrongs(): Wrong[] {
  const everyCredential = [1, 2, 3, 4].map((row) => `OAI-AUTH-0${row} fail`)
  const right = (authorization: string | undefined, key: string) =>
    authorization === `Bearer ${key}`
  return [
    together(
      {
        what: 'answers 403 to a missing or wrong key',
        hooks: { refusal: () => 403 },
        breaks: everyCredential,
      },
      {
        what: 'cuts answers and says stop',
        hooks: {
          completion: withChoice((choice) => ({ ...choice, finish_reason: 'stop' })),
        },
        breaks: ['OAI-MAXTOK-02 warn'],
      },
      {
        what: 'gives every completion the same id',
        hooks: { newId: () => 'chatcmpl-1' },
        breaks: ['OAI-CHAT-14 warn'],
      },
      {
        what: 'adds up its usage wrongly',
        hooks: {
          completion: (body) => ({ ...body, usage: { ...json(body['usage']), total_tokens: 1 } }),
        },
        breaks: ['OAI-CHAT-10 warn'],
      },
    ),
    together(
      {
        what: 'looks at no key for GET /models',
        hooks: { accepts: (given, key, route) => right(given, key) || route.endsWith('/models') },
        breaks: everyCredential,
      },
      {
        what: 'accepts every temperature',
        hooks: { checks: (check) => check !== 'temperature' },
        breaks: ['OAI-TEMP-02 fail'],
      },
      {
        what: 'accepts fields of any type',
        hooks: { checks: (check) => check !== 'types' },
        breaks: ['OAI-ERR-02 fail'],
      },
      {
        what: 'answers bodies that are no JSON',
        hooks: { checks: (check) => check !== 'json' },
        breaks: ['OAI-ERR-01 fail'],
      },
    ),
    together(
      {
        what: 'lets requests without a key through',
        hooks: { accepts: (given, key) => right(given, key) || given === undefined },
        breaks: ['OAI-AUTH-01 fail'],
      },
      member('leaves id out', 'OAI-CHAT-02', ({ id: _, ...rest }) => rest),
      member('counts created in milliseconds', 'OAI-CHAT-04', (body) => ({
        ...body,
        created: Date.now(),
      })),
      member('says no model', 'OAI-CHAT-05', (body) => ({ ...body, model: null })),
      {
        what: 'ignores a stop sequence that is a string',
        hooks: {
          stop: (text, stops, streamed) =>
            stops.length === 1 && !streamed ? text : cutAtFirst(text, stops),
        },
        breaks: ['OAI-STOP-01 fail'],
      },
      {
        what: 'does not know an alias',
        hooks: { knows: (model) => model !== 'SVC-Main' },
        breaks: ['OAI-MODELS-02 fail'],
      },
    ),
    together(
      {
        what: 'takes any bearer token',
        hooks: { accepts: (given) => given?.startsWith('Bearer ') === true },
        breaks: ['OAI-AUTH-02 fail', 'OAI-AUTH-04 fail'],
      },
      member('calls its completion something else', 'OAI-CHAT-03', (body) => ({
        ...body,
        object: 'text_completion',
      })),
      {
        what: 'ignores stop sequences in an array',
        hooks: { stop: (text, stops) => (stops.length > 1 ? text : cutAtFirst(text, stops)) },
        breaks: ['OAI-STOP-02 fail', 'OAI-STOP-05 fail'],
      },
      {
        what: 'ignores max_tokens',
        hooks: { maxTokens: () => undefined },
        breaks: ['OAI-MAXTOK-01 fail'],
      },
      {
        what: 'hears the last message only',
        hooks: { sees: (conversation) => conversation.slice(-1) },
        breaks: ['OAI-CHAT-13 warn'],
      },
      {
        what: 'gives every chunk an id of its own',
        hooks: { chunks: (list) => list.map((chunk, at) => ({ ...chunk, id: `c-${at}` })) },
        breaks: ['OAI-STREAM-05 warn'],
      },
    ),
    together(
      {
        what: 'takes another scheme',
        hooks: {
          accepts: (given, key) => right(given, key) || given?.startsWith('Basic') === true,
        },
        breaks: ['OAI-AUTH-03 fail'],
      },
      member(
        'has no finish_reason',
        'OAI-CHAT-08',
        withChoice(({ finish_reason: _, ...choice }) => choice),
      ),
      {
        what: 'remembers other requests',
        hooks: { sees: (_, everything) => everything },
        breaks: ['OAI-CHAT-16 warn'],
      },
      {
        what: 'streams no role',
        hooks: { chunks: (list) => list.slice(1) },
        breaks: ['OAI-STREAM-06 warn'],
      },
      {
        what: 'numbers its models',
        hooks: {
          models: (body) => ({
            ...body,
            data: [...(body['data'] as Json[]), { id: 7, description: 'seventh' }],
          }),
        },
        breaks: ['OAI-MODELS-04 fail'],
      },
    ),
    together(
      {
        what: 'compares the beginning of the key',
        hooks: {
          accepts: (given = '', key) => given.length > 9 && `Bearer ${key}`.startsWith(given),
        },
        breaks: ['OAI-AUTH-04 fail'],
      },
      member('has no usage', 'OAI-CHAT-09', ({ usage: _, ...rest }) => rest),
      {
        what: 'shows the stop sequence',
        hooks: { stop: (text, stops) => cutAfterFirst(text, stops) },
        breaks: ['OAI-STOP-03 warn'],
      },
      {
        what: 'streams no finish_reason',
        hooks: {
          chunks: (list) => list.map(withChoice(({ finish_reason: _, ...choice }) => choice)),
        },
        breaks: ['OAI-STREAM-07 warn'],
      },
    ),
    together(
      {
        what: 'compares as much as the key is long',
        hooks: { accepts: (given, key) => given?.startsWith(`Bearer ${key}`) === true },
        breaks: ['OAI-AUTH-04 fail'],
      },
      member(
        'has choices without an index',
        'OAI-CHAT-06',
        withChoice(({ index: _, ...c }) => c),
      ),
      {
        what: 'ends its streams without [DONE]',
        hooks: { bytes: (block) => (block.includes('[DONE]') ? Buffer.from('') : block) },
        breaks: ['OAI-STREAM-09 warn'],
      },
    ),
    together(
      member('has no choices', 'OAI-CHAT-06', (body) => ({ ...body, choices: [] })),
      {
        what: 'ignores stop sequences in streams',
        hooks: {
          stop: (text, stops, streamed) => (streamed ? text : cutAtFirst(text, stops)),
        },
        breaks: ['OAI-STOP-05 fail'],
      },
    ),
    together(
      member(
        'has parts for content',
        'OAI-CHAT-07',
        withChoice(({ message, ...choice }) => ({
          ...choice,
          message: { ...json(message), content: [{ type: 'text', text: 'Salt.' }] },
        })),
      ),
      {
        what: 'streams parts for content',
        hooks: {
          chunks: (list) =>
            list.map(
              withChoice(({ delta, ...choice }) => ({
                ...choice,
                delta: 'content' in json(delta) ? { content: [json(delta)['content']] } : delta,
              })),
            ),
        },
        breaks: ['OAI-STREAM-03 fail'],
      },
    ),
    together(
      {
        what: 'looks for stop sequences in each chunk by itself',
        hooks: {
          stop: (text, stops, streamed) =>
            !streamed || stops.some((stop) => piecesOf(text).some((piece) => piece.includes(stop)))
              ? cutAtFirst(text, stops)
              : text,
        },
        breaks: ['OAI-STOP-04 warn'],
      },
      {
        what: 'streams usage in every chunk',
        hooks: {
          chunks: (list) => list.map((chunk) => ({ ...chunk, usage: { total_tokens: 1 } })),
        },
        breaks: ['OAI-STREAM-08 warn'],
      },
    ),
    together(
      {
        what: 'streams the message in place of a delta',
        hooks: {
          chunks: (list) =>
            list.map(withChoice(({ delta, ...choice }) => ({ ...choice, message: delta }))),
        },
        breaks: ['OAI-STREAM-04 fail'],
        // It says what a content is, where there is one.
        leavesOpen: ['OAI-STREAM-03'],
      },
      {
        what: 'lists no models',
        hooks: { models: () => ({ object: 'list', data: [] }) },
        breaks: ['OAI-MODELS-01 fail'],
      },
    ),
    {
      what: 'streams bytes that are not UTF-8',
      hooks: { bytes: (block, at) => (at === 1 ? spoiled(block) : block) },
      breaks: ['OAI-STREAM-01 fail'],
    },
    {
      what: 'sends a stream in one piece at the end',
      hooks: { holdsBack: true, gapMs: 10 },
      breaks: ['OAI-STREAM-11 warn'],
    },
  ]
}

/** A member of the completion that is wrong, and the required row that says so. */
function member(what: string, row: string, completion: (body: Json) => Json): Wrong {
  return { what, hooks: { completion }, breaks: [`${row} fail`] }
}

function withChoice(change: (choice: Json) => Json): (body: Json) => Json {
  return (body) => ({ ...body, choices: (body['choices'] as Json[]).map(change) })
}

function cutAfterFirst(text: string, stops: readonly string[]): string {
  const [stop] = stops.filter((candidate) => text.includes(candidate))
  return stop === undefined ? text : text.slice(0, text.indexOf(stop) + stop.length)
}

function spoiled(block: Buffer): Buffer {
  const at = block.indexOf('"model"')
  return Buffer.concat([block.subarray(0, at + 2), Buffer.from([0xc3]), block.subarray(at + 2)])
}

function json(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
