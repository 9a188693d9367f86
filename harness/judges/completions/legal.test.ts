import { describe } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  everywhere,
  type Fault,
  inChoices,
  inserted,
  nth,
  testFaults,
} from '../test-support/chunks.ts'

const legal: readonly Fault[] = [
  ['chunks without choices', '', 'chat', inserted(1, { id: 'c-1', x_progress: 0.5 })],
  ['choices that are null', '', 'chat', inserted(1, { choices: null })],
  [
    'content that is null',
    '',
    'chat',
    inChoices(({ delta }) => {
      delta.content ??= null
    }),
  ],
  ['event: lines', '', 'chat', everywhere(set('event', 'message'))],
  ['a role in every delta', '', 'chat', inChoices(set('delta.role', 'assistant'))],
  [
    'unknown members',
    '',
    'chat',
    inChoices((choice) => {
      choice.delta.reasoning_content = 'hm'
      choice.logprobs = null
    }),
  ],
  ['another finish_reason', '', 'chat', nth(4, set('choices[0].finish_reason', 'eos'))],
  [
    'the last text with the finish_reason',
    '',
    'chat',
    (events) => {
      Object.assign(events[3]?.json.choices[0], { finish_reason: 'stop' })
      return events.toSpliced(4, 1)
    },
  ],
  [
    'an empty answer cut by max_tokens',
    '',
    'chat',
    inChoices((choice) => {
      delete choice.delta.content
      if (choice.finish_reason !== null) choice.finish_reason = 'length'
    }),
  ],
  ['[DONE] after an error', '', 'chat-error', inserted(2, '[DONE]')],
  ['anything after an error', '', 'chat-error', inserted(2, 'bye')],
]

describe('legal oddities', () => testFaults(legal))
