/** Faults of stop sequences, tools, response_format and n on the compatible surface (section 4.1). */
import type { Patch } from '../../../services.ts'
import { isText, type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onBlocks, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { compose } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import { setInChunks, textOf } from './stream.ts'

const contentPath = 'choices.*.delta.content'

const ignoreMembers = (members: readonly string[], when: (body: Json) => boolean): Patch =>
  onRequestBody('openai.chat', (body) =>
    when(body) ? members.reduce((rest, member) => setAt(rest, member, undefined), body) : body,
  )

const formatOf = (body: Json) => toObject(body['response_format'])['type']

export const openaiToolFaults = faultTable({
  'OAI-STOP-02 openai-stop-list-of-four-refused: A list of more than three stop sequences is rejected.':
    rejectRequests('openai.chat', ({ stop }) => Array.isArray(stop) && stop.length > 3),
  'OAI-STOP-03 openai-stop-shown: The answer ends with the stop sequence.': compose([
    ignoreStop(({ stream }) => stream !== true),
    onSuccessBody('openai.chat', (body, call) =>
      setAt(body, 'choices.*.message.content', (text: string) =>
        text.slice(0, findStop(text, call.body)?.end),
      ),
    ),
  ]),
  'OAI-STOP-04 openai-stop-misses-two-chunks: A stop sequence that spans two chunks is missed: each chunk is searched separately.':
    cutStreamsAtStop(),
  'OAI-TOOL-01 openai-tools-ignored-in-streams: tools and tool_choice are ignored in streams.':
    ignoreMembers(['tools', 'tool_choice'], ({ stream }) => stream === true),
  'OAI-TOOL-01 openai-tool-choice-ignored: tool_choice required is treated as auto: the model answers with text.':
    ignoreMembers(['tools', 'tool_choice'], ({ tool_choice: choice }) => choice === 'required'),
  'OAI-TOOL-02 openai-tool-call-without-id: Tool calls omit id.': setFields('openai.chat', {
    'choices.*.message.tool_calls.*.id': undefined,
  }),
  'OAI-TOOL-02 openai-tool-calls-with-one-id: An answer calls the tool twice, with the same id.':
    setFields('openai.chat', {
      'choices.*.message.tool_calls': (calls: unknown) =>
        Array.isArray(calls) ? [...calls, ...calls] : calls,
    }),
  'OAI-TOOL-02 openai-tool-name-in-a-namespace: The function name of a tool call is prefixed: functions.get_time instead of get_time.':
    setFields('openai.chat', {
      'choices.*.message.tool_calls.*.function.name': (name: unknown) => `functions.${name}`,
    }),
  'OAI-TOOL-02 openai-tool-arguments-as-object: The arguments of a tool call are an object instead of a JSON string.':
    setFields('openai.chat', {
      'choices.*.message.tool_calls.*.function.arguments': (input: string) => JSON.parse(input),
    }),
  'OAI-TOOL-03 openai-tool-fragments-without-index: The fragments of a streamed tool call omit index.':
    setInChunks({ 'choices.*.delta.tool_calls.*.index': undefined }),
  'OAI-TOOL-03 openai-tool-fragments-doubled: The arguments in each fragment of a streamed tool call are duplicated.':
    setInChunks({
      'choices.*.delta.tool_calls.*.function.arguments': (text: unknown) => `${text}${text}`,
    }),
  'OAI-TOOL-04 openai-tool-result-refused: Messages with the role tool are rejected.':
    rejectRequests('openai.chat', ({ messages }) =>
      toList(messages).some(({ role }) => role === 'tool'),
    ),
  'OAI-FORMAT-01 openai-json-object-ignored: response_format json_object is ignored.':
    ignoreMembers(['response_format'], (body) => formatOf(body) === 'json_object'),
  'OAI-FORMAT-02 openai-json-schema-ignored: response_format json_schema is treated as json_object.':
    onRequestBody('openai.chat', (body) =>
      formatOf(body) === 'json_schema'
        ? { ...body, response_format: { type: 'json_object' } }
        : body,
    ),
  'OAI-N-01 openai-n-ignored: n is ignored: only one choice is returned.': ignoreMembers(
    ['n'],
    () => true,
  ),
  'OAI-N-01 openai-n-with-one-index: All choices have the index 0.': setFields('openai.chat', {
    'choices.*.index': 0,
  }),
})
function ignoreStop(when: (body: Json) => boolean): Patch {
  return onRequestBody('openai.chat', (body) =>
    [body['stop']].flat().every(isText) && when(body) ? setAt(body, 'stop', null) : body,
  )
}

/** Ends streams within the first chunk that contains a stop sequence. */
function cutStreamsAtStop(): Patch {
  return compose([
    ignoreStop(({ stream }) => stream === true),
    onBlocks('openai.chat', async function* (blocks, call) {
      let stopped = false
      for await (const block of blocks) {
        const text = textOf(toObject(block.data))
        const span = text === '' ? undefined : findStop(text, call.body)
        const isCut = span !== undefined && !stopped
        if (isCut)
          yield { ...block, data: setAt(block.data, contentPath, text.slice(0, span.start)) }
        else if (text === '' || !stopped) yield block
        stopped ||= span !== undefined
      }
    }),
  ])
}

function findStop(text: string, sent: unknown): { start: number; end: number } | undefined {
  const { stop } = toObject(sent)
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string')
  const sequence = sequences.find((one) => text.includes(one))
  const start = sequence === undefined ? -1 : text.indexOf(sequence)
  return sequence === undefined ? undefined : { start, end: start + sequence.length }
}
