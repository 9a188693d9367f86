import { beforeAll, describe, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { Json, ServerEvent } from '../test-support/independent-server/hooks.ts'
import {
  expectExactly,
  judged,
  judgedLegal,
  type Wrong,
} from '../test-support/independent-server/judged.ts'
import { together } from '../test-support/independent-server/together.ts'

/** Each wrong way to stream a response breaks the rows that are about it, and no other. */
describe('a v3 stream', () => {
  let legal: ConformanceReport
  beforeAll(async () => {
    legal = await judgedLegal('v3')
  })

  test.each(wrongs())('that $what', async (wrong) => {
    expectExactly(wrong, legal, await judged('v3', wrong.hooks))
  })
})

const added = 'response.output_item.added'
const textDelta = 'response.output_text.delta'
const completed = 'response.completed'

function wrongs(): Wrong[] {
  return [
    together(
      events('begins with another event', ['V3-SSE-05 fail'], (list) => [
        ...list.slice(1, 2),
        ...list.slice(0, 1),
        ...list.slice(2),
      ]),
      events('says in progress at its end', ['V3-SSE-21 warn'], (list) =>
        list.map(withResponse(completed, (response) => ({ ...response, status: 'in_progress' }))),
      ),
      events('has numbers that do not rise', ['V3-SSE-07 warn'], (list) =>
        list.map(({ name, data }) => ({ name, data: { ...data, sequence_number: 4 } })),
      ),
      {
        what: 'has other types than the JSON form',
        hooks: {
          response: (body, streamed) => (streamed ? { ...body, region: 7 } : body),
        },
        breaks: ['V3-GEN-03 fail'],
      },
      {
        what: 'does not reason with think',
        hooks: { events: (list) => list.filter(isNot('response.reasoning_text.delta')) },
        breaks: ['V3-THINK-01 fail'],
        // Only the reasoning of the minimal stream can be compared with its item.
        leavesOpen: ['V3-SSE-18'],
      },
    ),
    together(
      events('is created twice', ['V3-SSE-05 fail'], (list) => [...list.slice(0, 1), ...list]),
      events('shows another model at its end', ['V3-SSE-11 warn'], (list) =>
        list.map(withResponse(completed, (response) => ({ ...response, model: 'another' }))),
      ),
      events('adds up its usage wrongly', ['V3-SSE-22 warn'], (list) =>
        list.map(
          withResponse(completed, (response) => ({
            ...response,
            usage: { input_tokens: 1, output_tokens: 1, total_tokens: 7 },
          })),
        ),
      ),
      {
        what: 'has fewer members than the JSON form',
        hooks: {
          response: ({ region, ...body }, streamed) => (streamed ? body : { ...body, region }),
        },
        breaks: ['V3-GEN-04 warn'],
      },
    ),
    together(
      events('adds the item after its text', ['V3-SSE-12 fail'], (list) => {
        const at = list.findIndex(({ name }) => name === textDelta)
        const item = list.findLastIndex(({ name }) => name === added)
        if (item !== at - 1) return list
        return list.with(item, list[at] ?? none).with(at, list[item] ?? none)
      }),
      events('shows another id at its end', ['V3-SSE-10 fail'], (list) =>
        list.map(withResponse(completed, (response) => ({ ...response, id: 'another' }))),
      ),
      {
        what: 'reasons without think',
        hooks: {
          events: (list, request) =>
            request['think'] === true ? list : [...list.slice(0, 1), thought, ...list.slice(1)],
        },
        breaks: ['V3-SSE-24 fail'],
      },
    ),
    together(
      events('adds no item', ['V3-SSE-12 fail'], (list) => list.filter(isNot(added))),
      events('says no type in its data', ['V3-SSE-04 warn'], (list) =>
        list.map(({ name, data: { type: _, ...data } }) => ({ name, data })),
      ),
    ),
    events('loses a delta', ['V3-SSE-17 fail'], (list) => {
      const lost = list.findIndex(({ name }) => name === textDelta)
      return list.filter((_, at) => at !== lost)
    }),
    together(
      events('repeats a delta', ['V3-SSE-17 fail'], (list) => {
        const at = list.findIndex(({ name }) => name === textDelta)
        return [...list.slice(0, at + 1), ...list.slice(at)]
      }),
      {
        what: 'cuts a character in two halves',
        hooks: { events: (list) => list.flatMap(halves) },
        breaks: ['V3-SSE-27 warn'],
      },
    ),
    events('goes on after its end', ['V3-SSE-08 fail'], (list) => [
      ...list,
      { name: textDelta, data: { type: textDelta, delta: 'More.' } },
    ]),
    events('has no end', ['V3-SSE-08 fail'], (list) => list.slice(0, -1)),
    together(
      events('ends twice', ['V3-SSE-08 fail'], (list) => [...list, ...list.slice(-1)]),
      events('sends deltas that are no strings', ['V3-SSE-25 fail'], (list) =>
        list.map((event) =>
          event.name === textDelta
            ? { ...event, data: { ...event.data, delta: { text: event.data['delta'] } } }
            : event,
        ),
      ),
    ),
    together(
      events('shows no response at its end', ['V3-SSE-09 fail'], (list) =>
        list.map((event) =>
          event.name === completed ? { ...event, data: { type: completed } } : event,
        ),
      ),
      events('calls the type of its events something else', ['V3-SSE-03 fail'], (list) =>
        list.map(({ name, data }) => ({ name, data: { ...data, type: name.toUpperCase() } })),
      ),
    ),
    {
      what: 'is not UTF-8',
      hooks: { bytes: (block, at) => (at === 3 ? spoiled(block) : block) },
      breaks: ['V3-SSE-26 fail'],
    },
    together(
      {
        what: 'is marked as done',
        hooks: {
          bytes: (block) =>
            block.includes(`event:${completed}`)
              ? Buffer.concat([block, Buffer.from('data: [DONE]\r\n\r\n')])
              : block,
        },
        breaks: ['V3-SSE-29 warn'],
      },
      {
        what: 'has no event lines',
        hooks: { bytes: (block) => Buffer.from(block.toString().replace(/^event:.*\r\n/, '')) },
        breaks: ['V3-SSE-02 fail'],
      },
    ),
    {
      what: 'has data that is no JSON',
      hooks: {
        bytes: (block, at) => (at === 3 ? Buffer.from(block.toString().replace('{', '')) : block),
      },
      breaks: ['V3-SSE-02 fail'],
    },
    {
      what: 'comes in one piece at its end',
      hooks: { holdsBack: true, gapMs: 10 },
      breaks: ['V3-SSE-30 warn'],
    },
    {
      what: 'is called text/plain',
      hooks: { streamType: 'text/plain' },
      breaks: ['V3-SSE-01 fail'],
    },
  ]
}

const none: ServerEvent = { name: 'response.in_progress', data: {} }
const thought: ServerEvent = {
  name: 'response.reasoning_text.delta',
  data: { type: 'response.reasoning_text.delta', delta: 'Hm.' },
}

function events(
  what: string,
  breaks: readonly string[],
  change: (list: readonly ServerEvent[]) => readonly ServerEvent[],
): Wrong {
  return { what, hooks: { events: change }, breaks }
}

function isNot(name: string) {
  return (event: ServerEvent) => event.name !== name
}

function withResponse(name: string, change: (response: Json) => Json) {
  return (event: ServerEvent): ServerEvent =>
    event.name === name
      ? { name, data: { ...event.data, response: change(event.data['response'] as Json) } }
      : event
}

/** A delta with a pair of surrogates as two deltas, each with one of them. */
function halves(event: ServerEvent): ServerEvent[] {
  const delta = String(event.data['delta'] ?? '')
  const at = delta.search(/[\ud800-\udbff]/)
  if (at < 0 || event.name !== textDelta) return [event]
  return [delta.slice(0, at + 1), delta.slice(at + 1)].map((half) => ({
    ...event,
    data: { ...event.data, delta: half },
  }))
}

function spoiled(block: Buffer): Buffer {
  const at = block.indexOf('"delta":"') + 9
  return Buffer.concat([block.subarray(0, at), Buffer.from([0xff]), block.subarray(at)])
}
