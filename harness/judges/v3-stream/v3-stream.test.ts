import { describe, expect, test } from 'vitest'
import { judge } from '../judge.ts'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  type Edit,
  edited,
  eventNamed,
  everywhere,
  expectBroken,
  type Faults,
  inFinal,
  names,
  replaceEverywhere,
  swapped,
  testFaults,
  the,
  without,
} from '../test-support/chunks.ts'
import {
  brokenIn,
  complete,
  type ExchangeParts,
  encode,
  heldIds,
  transcriptExchange,
} from '../test-support/exchanges.ts'

const { added, completed, delta, done, partAdded, partDone, textDone } = names

/** Fields of the contract that the document does not show. */
const optional = ['item_id', 'logprobs', 'obfuscation', 'name', 'status', 'usage', 'model', 'error']

const bare: Edit = everywhere(({ json }) => {
  for (const holder of [json, json.item, json.response, ...(json.response?.output ?? [])]) {
    for (const member of optional) delete holder?.[member]
  }
})

const faults: Faults = {
  // Texts.
  'message 17: a delta is sent twice': after(delta, (event) => event, 1),
  'message 17: no deltas at all': (events) => events.filter(({ event }) => event !== delta),
  'message 17: the final response lost its message': inFinal(set('output', [])),
  'minimal 17: the last delta is missing, five events': without(delta, 1),
  'message 17 18: the last delta is missing, and output_text.done is another again': (events) => {
    the(events, textDone).json.text = 'other'
    return without(delta, 3)(events)
  },
  'message 18: output_item.done has no content': changed(done, set('item.content', [])),
  'two-items 17: a delta of one item goes to the other': changed(
    delta,
    (json) => Object.assign(json, { item_id: 'msg_b', output_index: 1 }),
    1,
  ),
  'refusal 18: a refusal delta is missing': without('response.refusal.delta'),
  'refusal 18: only the final refusal is another': inFinal(
    set('output[0].content[0].refusal', 'other'),
  ),
  'reasoning 18: a summary delta is missing': changed(
    'response.reasoning_summary_text.delta',
    set('delta', 'other'),
  ),
  'function-call 18: arguments cut in the done item': changed(
    done,
    set('item.arguments', '{"zone":'),
  ),
  // Beginning and end.
  'message 05: no response.created': without('response.created'),
  'message 05: response.created twice': after('response.created', (event) => event),
  'message 08: a delta after completed': after(completed, () =>
    eventNamed(delta, { item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'x' }),
  ),
  'message 08: text after completed': after(completed, () => ({ event: null, json: 'bye' })),
  'failed 08: completed after failed': after('response.failed', () =>
    eventNamed(completed, { response: {} }),
  ),
  'message 09: a final response without output': inFinal(set('output', undefined)),
  'message 29: [DONE] after the end': after(completed, () => ({ event: null, json: '[DONE]' })),
  'message 29: [DONE] as an event of its own': after(completed, () => ({
    event: 'done',
    json: '[DONE]',
  })),
  // The order of items and parts.
  'message 12: no output_item.added': without(added),
  'message 12: output_item.added after the first delta': swapped(added, delta),
  'minimal 12: output_item.added after the first delta, five events': swapped(added, delta),
  'minimal 12: no output_item.added, five events': without(added),
  'reasoning 12: no output_item.added for the message after reasoning': without(added, 1),
  'reasoning 13: no output_item.added for reasoning': without(added),
  'reasoning 13: no content_part.done for reasoning': without(partDone),
  'reasoning 13: no output_item.done for reasoning': without(done),
  'reasoning 13: no reasoning_text.done': without('response.reasoning_text.done'),
  'reasoning 13: no summary_part.added': without('response.reasoning_summary_part.added'),
  'reasoning 13: no summary_part.done': without('response.reasoning_summary_part.done'),
  'function-call 13: no output_item.added for a call': without(added),
  'function-call 13: no arguments.done': without('response.function_call_arguments.done'),
  'function-call 13: a refusal delta in a call': after(added, () =>
    eventNamed('response.refusal.delta', {
      ...{ item_id: 'fc_1', output_index: 0, content_index: 0, delta: 'no' },
    }),
  ),
  'file-search 13: no output_item.added for a search': without(added),
  'message 13: no content_part.added': without(partAdded),
  'message 13: content_part.added twice': after(partAdded, (event) => event),
  'message 13: output_item.added twice': after(added, (event) => event),
  'message 13: output_text.done twice': after(textDone, (event) => event),
  'message 13: no output_item.done': without(done),
  'message 13: output_item.done before content_part.done': swapped(done, partDone),
  'message 13: content_part.added after the first delta': swapped(partAdded, delta),
  'message 13: output_item.done twice': after(done, (event) => event),
  'message 13: a created event whose response is not below response': changed(
    'response.created',
    (json) => {
      Object.assign(json, json.response, { type: 'response.created' })
      delete json.response
    },
  ),
  'refusal 13: no content_part.added for a refusal': without(partAdded),
  'two-items 13: no content_part.added for a second part': without(partAdded, 2),
  // Indexes.
  'message 14: the item gets another id when it is done': changed(
    done,
    set('item.id', 'msg_other'),
  ),
  'reasoning 14: two items with one id': changed(added, set('item.id', 'rs_1'), 1),
  'two-items 14: item_id of the other item': changed(delta, set('item_id', 'msg_a')),
  'message 15: an output_index that is a string': changed(delta, set('output_index', '0')),
  'file-search 15: no annotation_index': changed(
    'response.output_text.annotation.added',
    set('annotation_index', undefined),
  ),
  'minimal 15: no output_index in one delta': changed(delta, set('output_index', undefined)),
  'reasoning 16: summary_index from 1': replaceEverywhere('summary_index', 0, 1),
  'minimal-reasoning 16: content_index runs on, five events': everywhere(({ json }) => {
    if (json.output_index === 1 && json.content_index === 0) json.content_index = 1
  }),
  'message 16: content_index from 1': replaceEverywhere('content_index', 0, 1),
  'message 16: content_index counts the deltas': (events) => {
    const deltas = events.filter(({ event }) => event === delta)
    for (const [at, { json }] of deltas.entries()) json.content_index = at
    return events
  },
  // The items of the final response.
  'reasoning 19: the final items are in another order': inFinal(({ output }) => output.reverse()),
  'function-call 19: another name of the function in the final response': inFinal(
    set('output[0].name', 'get_date'),
  ),
  'message 20: an item that is done in_progress': changed(done, set('item.status', 'in_progress')),
  'message 20: an item in_progress in a completed response': inFinal(
    set('output[0].status', 'in_progress'),
  ),
  'message 20: an incomplete item in a completed response': inFinal(
    set('output[0].status', 'incomplete'),
  ),
  // The status, usage and deltas.
  'message 21: incomplete_details in a completed response': inFinal(
    set('incomplete_details', { reason: 'max_output_tokens' }),
  ),
  'message 21: a completed event for a cut answer': inFinal((response) => {
    response.status = 'incomplete'
    response.incomplete_details = { reason: 'max_output_tokens' }
  }),
  'message 22: a count that is a string': inFinal(set('usage.total_tokens', '16')),
  'message 22: a count that has no text': inFinal(set('usage.input_tokens', { toString: 1 })),
  'reasoning 22: more reasoning than output tokens': inFinal(
    set('usage.output_tokens_details.reasoning_tokens', 21),
  ),
  'incomplete V3-GEN-10: more output tokens than max_tokens': changed(
    'response.incomplete',
    set('response.usage', { input_tokens: 6, output_tokens: 3, total_tokens: 9 }),
  ),
  'message 25: a delta that is a number': changed(delta, set('delta', 7), 1),
  'message 25: a delta that is an object': changed(delta, set('delta', { text: 'x' }), 1),
  'minimal 25: no delta in a delta': changed(delta, set('delta', undefined)),
  'reasoning 25: a reasoning delta that is an array': changed(
    'response.reasoning_text.delta',
    set('delta', ['x']),
  ),
  'reasoning V3-GEN-02: the stream ends on reasoning': (events) => {
    the(events, completed).json.response.output.pop()
    return events.filter(({ json }) => json.output_index !== 1)
  },
  'function-call V3-GEN-02: items without a type': everywhere(({ json }) => {
    delete json.item?.type
    for (const item of json.response?.output ?? []) delete item.type
  }),
  // Legal variations of a server: none breaks a requirement.
  'message: deltas without item_id': bare,
  'message: an unknown event of the same contract': after(delta, () => ({
    event: 'response.reasoning_part.added',
    json: { output_index: 9, item_id: 'x' },
  })),
  'message: an unknown event that counts for itself': after(delta, () =>
    eventNamed('x-vendor:tick'),
  ),
  'message: unknown members everywhere': everywhere(({ json }) => {
    for (const holder of [json, json.item, json.part, json.response]) {
      if (holder != null) holder['x-vendor'] = { any: [1, null] }
    }
  }),
  'message: members that only the final items show': inFinal(
    set('output[0].phase', 'final_answer'),
  ),
  'message: usage of one member': inFinal(set('usage', { total_tokens: 12 })),
  'message: ids of no kind in items': everywhere(({ json }) => {
    for (const holder of [json.item, json.response?.output[0]]) {
      if (holder !== undefined) delete holder.id
    }
  }),
  'message: progress of a tool that the document does not name': after(added, () =>
    eventNamed('response.web_search_call.searching', { output_index: 0, item_id: 'msg_1' }),
  ),
  'message: steps of a tool in an order of its own': (events) =>
    ['generating', 'in_progress'].reduce<typeof events>((all, step) => {
      const name = `response.image_generation_call.${step}`
      const event = eventNamed(name, { output_index: 0, item_id: 'msg_1' })
      return after(added, () => event)(all) ?? all
    }, events),
  'message: an event of a queue before the response': (events) => [eventNamed('queue'), ...events],
  'message: a part whose logprobs only one place shows': changed(
    partDone,
    set('part.logprobs', [{ token: 'x' }]),
  ),
  'reasoning: reasoning without optional members': bare,
  'reasoning: a sealed reasoning item without its text': changed(done, ({ item }) => {
    item.content = null
    item.encrypted_content = 'c2VhbGVk'
  }),
  'two-items: two items without item_id': bare,
  'two-items: items that take turns': swapped(delta, delta, 1),
  'file-search: a search without optional members': bare,
  'file-search: results that only the done item shows': inFinal(
    set('output[0].results', undefined),
  ),
  'file-search: a search that failed in a completed response': everywhere(({ json }) => {
    for (const item of [json.item, json.response?.output[0]]) {
      if (item?.type === 'file_search_call' && item.status === 'completed') item.status = 'failed'
    }
  }),
  'file-search: an annotation at the very end of its text': everywhere(({ json }) => {
    const parts = [json.part, json.item?.content?.[0], json.response?.output[1]?.content[0]]
    for (const annotation of [json.annotation, ...parts.map((part) => part?.annotations?.[0])]) {
      if (annotation !== undefined) annotation.index = 8
    }
  }),
  'failed: an error alone at the end': (events) =>
    events.filter(({ event }) => event !== 'response.failed'),
  'failed: response.failed alone at the end': (events) =>
    events.filter(({ event }) => event !== 'error'),
  'failed: a flat error event': changed('error', set('error', undefined)),
  'minimal: the text of a five-event stream in several parts': (events) => {
    const last = events.filter(({ event }) => event === delta)[1]
    if (last !== undefined) last.json.content_index = 1
    const final = events.find(({ event }) => event === completed)?.json.response.output[0]
    final.content = [
      { type: 'output_text', text: 'Good ' },
      { type: 'output_text', text: 'morning.' },
    ]
    return undefined
  },
}

describe('an edited golden stream', () => testFaults(faults))

describe('reasoning', () => {
  test('breaks 24 without think', () => {
    const request = { stream: true, input: 'Hello.' }
    expectBroken('reasoning', { request }, '24')
    expectBroken('minimal-reasoning', { request: { ...request, think: false } }, '24')
  })

  test('breaks V3-THINK-02 if it is repeated in the answer', () => {
    const thought = 'Seven times six: seven times five is 35, and seven more.'
    const repeat = everywhere(({ event, json }) => {
      if (event === delta && json.delta === 'It is ') json.delta = `${thought} It is `
      const final = json.response?.output[1]?.content[0]
      for (const holder of [json, json.part, json.item?.content?.[0], final]) {
        if (holder?.text === 'It is 42.') holder.text = `${thought} It is 42.`
      }
    })
    expectBroken('reasoning', { body: edited('reasoning', repeat) }, 'V3-THINK-02')
  })
})

test('V3-SSE-03 holds for data without a type', () => {
  const withoutType = everywhere(set('json.type', undefined))
  const exchange = transcriptExchange('message', { body: edited('message', withoutType) })
  expect(heldIds(judge(exchange))).toContain('V3-SSE-03')
})

type Change = (body: string) => Partial<ExchangeParts>

const endedBy =
  (kind: 'aborted' | 'timeout'): Change =>
  (body) => ({ body: body.slice(0, 1500), ending: { kind, atMs: 1 } })

test.each<[string, string, Change]>([
  ['half a block after the end', '08', (body) => ({ body: `${body}event: response.output` })],
  ['an empty body', '08', () => ({ body: '' })],
  ['an abort by the client', '', endedBy('aborted')],
  ['a timeout', '', endedBy('timeout')],
  ['an unclosed [DONE] at the end', '29', (body) => ({ body: `${body}data: [DONE]\n` })],
  ['a comment at the end', '', (body) => ({ body: `${body}: bye` })],
  ['two event: lines', '02', inserted('event: response.output_text.done\n')],
  ['data that is not an object', '02', inserted('event: ping\ndata: 7\n\n')],
  ['data that is not JSON', '02', inserted('event: ping\ndata: pong\n\n')],
  ['an event: field in capitals', '02', replaced('event: response.output_text.done', 'Event: x')],
  ['JSON of completed that is broken', '02', replaced('{"type":"response.completed"', '{{')],
  ['JSON of a delta that is broken', '02', replaced('{"type":"response.output_text.delta"', '{{')],
  ['broken JSON without a name', '02', replaced('event: response.completed\ndata: {', 'data: ')],
  ['plain text as media type', '01', () => ({ type: 'text/plain' })],
  ['JSON in the place of the stream', '01', () => ({ type: 'application/json', body: '{}' })],
])('a stream with %s breaks %j', (_, rows, change) => {
  expectBroken('message', change(edited('message', () => undefined)), rows)
})

test('an invalid byte in the name of the last event breaks only 26', () => {
  const bytes = encode(edited('message', () => undefined))
  const at = Buffer.from(bytes).lastIndexOf('event: response.completed')
  expectBroken('message', { body: bytes.with(at + 'event: re'.length, 0xff) }, '26')
})

describe('other exchanges', () => {
  test('of a repeat may be a short replay or another form', () => {
    const labels = { repeatOf: 'x0' }
    const note = { type: 'application/json', body: '{"repeat":true}' }
    expectBroken('replay', { labels }, '')
    expectBroken('message', { labels, ...note }, '')
    expectBroken('replay', {}, '17')
  })

  test('that failed or were negative are not judged', () => {
    expectBroken('message', { status: 500, body: '' }, '')
    expectBroken('message', { labels: { role: 'negative' }, body: '' }, '')
    const unanswered = { ...transcriptExchange('message'), response: null, ending: complete }
    expect(brokenIn(unanswered)).toEqual({})
  })

  test('without stream in the request may have any form', () => {
    expectBroken('message', { request: { input: 'Hello.' } }, '')
    expectBroken('message', { request: { input: 'Hello.', stream: false } }, 'V3-GEN-01')
  })

  test('of a one-shot have their own requirement for the media type', () => {
    const oneShot = { operation: 'v3.oneShot', type: 'text/plain' } as const
    expectBroken('message', oneShot, 'V3-ONE-02')
  })
})

function inserted(lines: string): Change {
  return replaced('event: response.output_text.done', `${lines}event: response.output_text.done`)
}

function replaced(text: string, by: string): Change {
  return (body) => ({ body: body.replace(text, by) })
}
