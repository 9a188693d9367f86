import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fakeModel } from '../model/fake-model.ts'
import { realClock } from '../runtime/clock.ts'
import { decodeOnTime } from '../runtime/decoding.ts'
import { randomIds } from '../runtime/ids.ts'
import { plainSettings } from '../test-support/run-settings.ts'
import { finalResponse } from './response-object.ts'
import { beginRun, type ResponseRun } from './run.ts'
import { type ResponseEvent, responseEvents } from './sequence.ts'

function run(
  prompt: string,
  { think = false, maxTokens = Number.POSITIVE_INFINITY } = {},
): ResponseRun {
  const generation = fakeModel(1)({
    model: 'svc-main-model',
    turns: [{ role: 'user', text: prompt }],
    think,
    tools: ['get_time', 'get_weather', 'file_search'],
    toolsRunBy: 'service',
    maxTokens,
    stop: [],
  })
  const settings = { ...plainSettings, think }
  const clock = { now: () => 1_700_000_000_000 }
  return beginRun(generation, settings, {
    ids: randomIds,
    clock,
    timing: (count) => new Array<number>(count).fill(0),
    decode: decodeOnTime(realClock),
  })
}

const types = (events: Iterable<ResponseEvent>) =>
  [...events].map(({ type }) => type).filter((type, index, all) => all[index - 1] !== type)

it('goes through the whole grammar in its order', () => {
  const events = responseEvents(
    run('[[tool=file_search]] [[tool=get_time]] [[say=so it is]]', { think: true }),
  )
  expect(types(events)).toMatchInlineSnapshot(`
    [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.reasoning_text.delta",
      "response.reasoning_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.file_search_call.in_progress",
      "response.file_search_call.searching",
      "response.file_search_call.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]
  `)
})

it('fails in mid-stream with an error event and a failed response', () => {
  const events = [...responseEvents(run('[[fail=2]]'))]
  expect(types(events).slice(-5)).toMatchInlineSnapshot(`
    [
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "error",
      "response.failed",
    ]
  `)
  expect(events.at(-2)).toMatchObject({
    code: 'server_error',
    message: 'The generation failed',
    param: null,
    error: { code: 'server_error', message: 'The generation failed', param: null },
  })
  expect(events.at(-1)?.['response']).toMatchObject({
    status: 'failed',
    error: { code: 'server_error' },
    output: [{ status: 'incomplete' }],
  })
})

it('holds all 31 members of a response in every snapshot', () => {
  const members = Object.keys(finalResponse(run('Hello')))
  expect(members).toHaveLength(31)
  for (const event of responseEvents(run('Hello'))) {
    if ('response' in event) expect(Object.keys(Object(event['response']))).toEqual(members)
  }
})

const prompts = fc.tuple(
  fc.constantFrom(
    '',
    '[[tool=get_time {"zone":"UTC"}]]',
    '[[tool=file_search]][[tool=get_weather]]',
    'What time is it?',
  ),
  fc.constantFrom(
    '',
    '[[refuse]]',
    '[[tokens=30]]',
    '[[fail=0]]',
    '[[fail=5]]',
    '[[say=]]',
    '[[say=東京 🌱\n]]',
  ),
  fc.lorem({ maxCount: 3 }),
)

it('adds up: numbers, indexes, deltas, items, final response and usage agree', () => {
  fc.assert(
    fc.property(
      prompts,
      fc.boolean(),
      fc.integer({ min: 1, max: 90 }),
      (services, think, maxTokens) => {
        const made = run(services.join(' '), { think, maxTokens })
        const events = [...responseEvents(made)]
        expect([...responseEvents(made)]).toEqual(events)
        expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()])
        expect(events.at(-1)?.['response']).toEqual(finalResponse(made))
        const { output, status, usage } = finalResponse(made)
        const items = new Map(output.map((item) => [item['id'], item]))
        expect(items.size).toBe(output.length)
        expect(
          events.filter(({ type }) => type.endsWith('item.done')).map((event) => event['item']),
        ).toEqual(output)
        expect(
          events
            .filter(({ type }) => type.endsWith('item.added'))
            .map((event) => event['output_index']),
        ).toEqual([...output.keys()])
        for (const [index, item] of output.entries()) {
          const own = events.filter((event) => event['item_id'] === item['id'])
          expect(own.every((event) => event['output_index'] === index)).toBe(true)
          const streamedText = own.map((event) => event['delta'] ?? '').join('')
          expect(streamedText).toBe(wholeText(item))
          const done = own.find(({ type }) => /(text|refusal|arguments)\.done$/.test(type))
          expect(done?.['text'] ?? done?.['refusal'] ?? done?.['arguments'] ?? '').toBe(
            streamedText,
          )
        }
        const incomplete = output.filter((item) => item['status'] !== 'completed')
        if (status === 'completed') expect(incomplete).toEqual([])
        expect(incomplete.every((item) => item === output.at(-1))).toBe(true)
        const deltas = events.filter((event) => 'delta' in event)
        expect(usage).toMatchObject({
          output_tokens: deltas.length,
          output_tokens_details: {
            reasoning_tokens: deltas.filter(({ type }) => type.includes('reasoning')).length,
          },
          total_tokens: made.tokens.input + deltas.length,
        })
      },
    ),
  )
})

function wholeText(item: Readonly<Record<string, unknown>>): string {
  if (typeof item['arguments'] === 'string') return item['arguments']
  const content = (item['content'] ?? []) as { text?: string; refusal?: string }[]
  return content.map(({ text, refusal }) => text ?? refusal).join('')
}
