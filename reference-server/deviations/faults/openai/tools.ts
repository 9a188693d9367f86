/** Faults of tools, response_format and n on the compatible surface. */
import type { Patch } from '../../../services.ts'
import { type Fields, type Json, setAll, setAt, toList, toObject } from '../../patches/json.ts'
import { onEachBlock, onSuccess, setFields } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'

const ignoreMembers = (members: readonly string[], when: (body: Json) => boolean): Patch =>
  onRequestBody(completions, (body) =>
    when(body) ? members.reduce((rest, member) => setAt(rest, member, undefined), body) : body,
  )

const requestsFormat =
  (type: string) =>
  (body: Json): boolean =>
    toObject(body['response_format'])['type'] === type

const setInCalls = (fields: Fields): Patch =>
  setFields(completions, {
    'choices.*.message.tool_calls.*': (call: unknown) => setAll(call, fields),
  })

const editFragments = (change: (fragment: Json, at: number) => Json): Patch =>
  onEachBlock(completions, (data, at) => [
    setAt(data, 'choices.*.delta.tool_calls.*', (one: unknown) => change(toObject(one), at)),
  ])

export const openaiToolFaults = faultTable({
  'OAI-TOOL-01': {
    'openai-tools-ignored: tools and tool_choice are ignored: the answer is text.': ignoreMembers(
      ['tools', 'tool_choice'],
      () => true,
    ),
    'openai-tools-ignored-in-streams: tools and tool_choice are ignored in streams.': ignoreMembers(
      ['tools', 'tool_choice'],
      ({ stream }) => stream === true,
    ),
    'openai-tool-choice-ignored: tool_choice required is treated as auto: the model answers with text.':
      ignoreMembers(['tools', 'tool_choice'], ({ tool_choice: choice }) => choice === 'required'),
  },
  'OAI-TOOL-02': {
    'openai-tool-call-without-id: Tool calls omit id.': setInCalls({ id: undefined }),
    'openai-tool-calls-with-one-id: An answer calls the tool twice, with the same id.': setFields(
      completions,
      {
        'choices.*.message.tool_calls': (calls: unknown) =>
          Array.isArray(calls) ? [...calls, ...calls] : calls,
      },
    ),
    'openai-tool-call-without-type: Tool calls omit type.': setInCalls({ type: undefined }),
    'openai-tool-name-in-a-namespace: The function name of a tool call is prefixed: functions.get_time instead of get_time.':
      setInCalls({ 'function.name': (name: unknown) => `functions.${name}` }),
    'openai-tool-arguments-as-object: The arguments of a tool call are an object instead of a JSON string.':
      setInCalls({ 'function.arguments': (input: unknown) => JSON.parse(String(input)) }),
    'openai-tool-arguments-in-single-quotes: The arguments of a tool call are a Python dict literal instead of JSON.':
      setInCalls({ 'function.arguments': (input: unknown) => String(input).replaceAll('"', "'") }),
  },
  'OAI-TOOL-03': {
    'openai-tool-fragments-without-index: The fragments of a streamed tool call omit index.':
      editFragments((fragment) => setAt(fragment, 'index', undefined)),
    'openai-tool-fragments-one-index-each: Each fragment of a streamed tool call has a different index.':
      editFragments((fragment, at) => setAt(fragment, 'index', at)),
    'openai-tool-fragments-one-id-each: Each fragment of a streamed tool call has a different id.':
      editFragments((fragment, at) => setAt(fragment, 'id', `call_${at}`)),
    'openai-tool-call-streamed-without-id: Streamed tool calls omit id.': editFragments(
      (fragment) => setAt(fragment, 'id', undefined),
    ),
    'openai-tool-fragments-doubled: The arguments in each fragment of a streamed tool call are duplicated.':
      editFragments((fragment) =>
        setAt(fragment, 'function.arguments', (text: unknown) => `${text}${text}`),
      ),
  },
  'OAI-TOOL-04': {
    'openai-tool-result-refused: Messages with the role tool are rejected.': rejectRequests(
      completions,
      ({ messages }) => toList(messages).some(({ role }) => role === 'tool'),
    ),
  },
  'OAI-FORMAT-01': {
    'openai-json-object-ignored: response_format json_object is ignored.': ignoreMembers(
      ['response_format'],
      requestsFormat('json_object'),
    ),
    'openai-json-object-in-a-fence: With response_format json_object, the JSON is wrapped in a Markdown code block.':
      onSuccess(completions, (reply, { body }) =>
        requestsFormat('json_object')(toObject(body))
          ? setAt(
              reply,
              'body.choices.*.message.content',
              (text: unknown) => `\`\`\`json\n${text}\n\`\`\``,
            )
          : reply,
      ),
  },
  'OAI-FORMAT-02': {
    'openai-json-schema-ignored: response_format json_schema is treated as json_object.':
      onRequestBody(completions, (body) =>
        requestsFormat('json_schema')(body)
          ? { ...body, response_format: { type: 'json_object' } }
          : body,
      ),
  },
  'OAI-N-01': {
    'openai-n-ignored: n is ignored: only one choice is returned.': ignoreMembers(
      ['n'],
      () => true,
    ),
    'openai-n-with-one-index: All choices have the index 0.': setFields(completions, {
      'choices.*.index': 0,
    }),
  },
})
