import { describe } from 'vitest'
import { type BodyFault, type BodyOddity, set, testBodies } from '../test-support/bodies.ts'

const faults: readonly BodyFault[] = [
  ['no id', 'OAI-CHAT-02', 'chat', set('id', undefined)],
  ['an id that is a number', 'OAI-CHAT-02', 'chat', set('id', 7)],
  ['another object', 'OAI-CHAT-03', 'chat', set('object', 'text_completion')],
  ['created in milliseconds', 'OAI-CHAT-04', 'chat', set('created', 1760000000000)],
  ['created as text', 'OAI-CHAT-04', 'chat', set('created', '2026-01-01')],
  ['created with a fraction', 'OAI-CHAT-04', 'chat', set('created', 1760000000.5)],
  ['no model', 'OAI-CHAT-05', 'chat', set('model', undefined)],
  ['no choices', 'OAI-CHAT-06', 'chat', set('choices', undefined)],
  ['empty choices', 'OAI-CHAT-06', 'chat', set('choices', [])],
  ['choices as an object', 'OAI-CHAT-06', 'chat', set('choices', { 0: {} })],
  ['no index', 'OAI-CHAT-06', 'chat', set('choices[0].index', undefined)],
  ['an only choice of index 1', 'OAI-N-01', 'chat', set('choices[0].index', 1)],
  ['no message', 'OAI-CHAT-07', 'chat', set('choices[0].message', undefined)],
  ['content that is null', 'OAI-CHAT-07', 'chat', set('choices[0].message.content', null)],
  ['content in parts', 'OAI-CHAT-07', 'chat', set('choices[0].message.content', [])],
  ['no role', 'OAI-CHAT-07', 'chat', set('choices[0].message.role', undefined)],
  ['no finish_reason', 'OAI-CHAT-08', 'chat', set('choices[0].finish_reason', undefined)],
  ['finish_reason null', 'OAI-CHAT-08', 'chat', set('choices[0].finish_reason', null)],
  ['no usage', 'OAI-CHAT-09', 'chat', set('usage', undefined)],
  ['a count as text', 'OAI-CHAT-09', 'chat', set('usage.total_tokens', '5')],
  ['no completion_tokens', 'OAI-CHAT-09', 'chat', set('usage.completion_tokens', undefined)],
  ['a total off by one', 'OAI-CHAT-10', 'chat', set('usage.total_tokens', 6)],
  ['the role of the user', 'OAI-CHAT-15', 'chat', set('choices[0].message.role', 'user')],
  [
    'more than max_tokens',
    'OAI-MAXTOK-01',
    'chat',
    set('usage', { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 }),
  ],
  ['an array', 'OAI-CHAT-01', 'chat', (b) => [b]],
  ['an id that is a number', 'OAI-MODELS-04', 'models', set('data[1].id', 7)],
  ['a description that is an object', 'OAI-MODELS-04', 'models', set('data[0].description', {})],
  ['another object', 'OAI-MODELS-05', 'models', set('object', 'models')],
  ['a bare array', 'OAI-MODELS-05', 'models', (b) => b.data],
  ['entries without id', 'OAI-MODELS-05', 'models', set('data[0].id', undefined)],
  ['models under another name', 'OAI-MODELS-05', 'models', (b) => ({ models: b.data })],
  ['ids alone', 'OAI-MODELS-05', 'models', () => ['svc-main-model']],
]

const legal: readonly BodyOddity[] = [
  ['created as long ago as it can be', 'chat', set('created', 0)],
  [
    'a tool call in the place of text',
    'chat',
    set('choices[0].message', { role: 'assistant', content: null, tool_calls: [{}] }),
  ],
  ['another finish_reason', 'chat', set('choices[0].finish_reason', 'eos')],
  ['unknown members', 'chat', (b) => void Object.assign(b, { x: 1, usage: { ...b.usage, x: {} } })],
  ['a null description', 'models', set('data[0].description', null)],
]

describe('JSON answers of the compatible surface', () => testBodies(faults, legal))
