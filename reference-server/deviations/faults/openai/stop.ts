/** Faults of stop sequences, and of one form only, streaming or not (section 4.1). */

import type { Patch } from '../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onBlocks, onSuccessBody } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'
import { isFinished } from './chunks.ts'

export const openaiStopFaults = faultTable({
  'OAI-STOP-01': {
    'openai-stop-text-ignored: In a non-streaming response, stop is ignored if it is a string.':
      'openai.chat: stop is ignored (stop: a text; stream: not true)',
    'openai-stop-leaks-a-word: If stop is a string, the answer includes the stop sequence and the text right after it.':
      cutAnswersAtStop(
        ({ stop }) => typeof stop === 'string',
        (text, end) => text.slice(0, end + 8),
      ),
    'openai-stop-removed-from-the-answer: In a non-streaming response, a single stop sequence is removed and the answer continues.':
      cutAnswersAtStop(
        ({ stop }) => typeof stop === 'string',
        (text, end, start) => text.slice(0, start) + text.slice(end),
      ),
  },
  'OAI-STOP-02': {
    'openai-stop-array-ignored: In a non-streaming response, stop is ignored if it is an array.':
      'openai.chat: stop is ignored (stop: a list; stream: not true)',
    'openai-stop-list-of-four-refused: A list of more than three stop sequences is rejected.':
      rejectRequests(completions, ({ stop }) => Array.isArray(stop) && stop.length > 3),
  },
  'OAI-STOP-03': {
    'openai-stop-shown: The answer ends with the stop sequence.': cutAnswersAtStop(
      () => true,
      (text, end) => text.slice(0, end),
    ),
    'openai-stop-shown-in-streams: A stream ends with its first stop sequence.': onBlocks(
      completions,
      async function* (blocks, call) {
        const { stop } = toObject(call.body)
        const [sequence] = Array.isArray(stop) ? stop : [stop]
        for await (const block of blocks) {
          const chunk = toObject(block.data)
          if (typeof sequence === 'string' && isFinished(chunk)) {
            const withStop = setAt(chunk, contentPath, sequence)
            yield { ...block, data: setAt(withStop, 'choices.*.finish_reason', null) }
          }
          yield block
        }
      },
    ),
  },
  'OAI-STOP-04': {
    'openai-stop-misses-two-chunks: A stop sequence that spans two chunks is missed: each chunk is searched separately.':
      cutStreamsAtStop((chunk, start) => chunk.slice(0, start)),
  },
  'OAI-STOP-05': {
    'openai-stop-list-of-one-ignored: In a stream, a list with a single stop sequence is ignored.':
      'openai.chat: stop is ignored (stop: one element; stream: true)',
    'openai-stop-shows-the-rest-of-its-chunk: A stream includes the whole chunk that contains the stop sequence.':
      cutStreamsAtStop((chunk) => chunk),
  },
})

function ignoreStop(when: (body: Json) => boolean): Patch {
  return onRequestBody(completions, (body) =>
    isValidStop(body) && when(body) ? setAt(body, 'stop', null) : body,
  )
}

function isValidStop({ stop }: Json): boolean {
  return typeof stop === 'string' || Array.isArray(stop)
}

/** Truncates non-streaming answers at stop sequences by other rules than the model. */
function cutAnswersAtStop(
  when: (sent: Json) => boolean,
  cut: (text: string, end: number, start: number) => string,
): Patch {
  const applies = (sent: Json) => sent['stream'] !== true && when(sent)
  return compose([
    ignoreStop(applies),
    onSuccessBody(completions, (body, call) =>
      setAt(body, 'choices.*.message.content', (text: string) => {
        const span = applies(toObject(call.body)) ? findStop(text, call.body) : undefined
        return span === undefined ? text : cut(text, span.end, span.start)
      }),
    ),
  ])
}

/** Ends streams at the first chunk that contains a stop sequence; `cut` truncates that chunk. */
function cutStreamsAtStop(cut: (chunk: string, start: number) => string): Patch {
  return compose([
    ignoreStop(({ stream }) => stream === true),
    onBlocks(completions, async function* (blocks, call) {
      let stopped = false
      for await (const block of blocks) {
        const text = toObject(toList(toObject(block.data)['choices'])[0]?.['delta'])['content']
        const span = typeof text === 'string' ? findStop(text, call.body) : undefined
        if (typeof text !== 'string' || !stopped) {
          yield span === undefined || typeof text !== 'string'
            ? block
            : { ...block, data: setAt(block.data, contentPath, cut(text, span.start)) }
        }
        stopped ||= span !== undefined
      }
    }),
  ])
}

const contentPath = 'choices.*.delta.content'

function findStop(text: string, sent: unknown): { start: number; end: number } | undefined {
  const { stop } = toObject(sent)
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string')
  const sequence = sequences.find((one) => text.includes(one))
  const start = sequence === undefined ? -1 : text.indexOf(sequence)
  return sequence === undefined ? undefined : { start, end: start + sequence.length }
}

export const openaiFormFaults: readonly Fault[] = [
  ...faultTable({
    'OAI-ERR-02': {
      'openai-streams-of-any-type: A streaming request with max_tokens of the wrong type is accepted.':
        'openai.chat: max_tokens of a wrong type is accepted (stream: true)',
    },
    'OAI-TEMP-02': {
      'openai-streams-of-any-temperature: A streaming request with a temperature above 2 is accepted.':
        inStreams((body) =>
          setAt(body, 'temperature', (value: unknown) => (Number(value) > 2 ? 2 : value)),
        ),
    },
    'OAI-STOP-02': {
      'openai-stop-list-refused: A non-streaming request with several stop sequences is rejected.':
        'openai.chat: the request is refused (stop: several elements; stream: not true)',
    },
    'OAI-STOP-01': {
      'openai-stop-text-refused: A non-streaming request with stop as a string is rejected.':
        'openai.chat: the request is refused (stop: a text; stream: not true)',
    },
  }),
]

function inStreams(change: (body: Json) => Json): Patch {
  return onRequestBody(completions, (body) => (body['stream'] === true ? change(body) : body))
}
