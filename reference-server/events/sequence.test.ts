import { expect, it } from 'vitest'
import { fakeModel } from '../model/fake-model.ts'
import { realClock } from '../runtime/clock.ts'
import { decodeOnTime } from '../runtime/decoding.ts'
import { randomIds } from '../runtime/random.ts'
import { plainSettings } from '../test-support/server.ts'
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
