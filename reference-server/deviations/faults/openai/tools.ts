/** Faults of tools, response_format and n on the compatible surface. */
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onEachBlock, onSuccess, setField } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

const ignoreMembers = (members: readonly string[], when: (body: Json) => boolean): Patch =>
  onRequestBody(completions, (body) =>
    when(body) ? members.reduce((rest, member) => setAt(rest, member, undefined), body) : body,
  )

const requestsFormat =
  (type: string) =>
  (body: Json): boolean =>
    toObject(body['response_format'])['type'] === type

const setInCalls = (path: string, to: unknown): Patch =>
  setField(completions, `choices.*.message.tool_calls.*.${path}`, to)

const editFragments = (change: (fragment: Json, at: number) => Json): Patch =>
  onEachBlock(completions, (data, at) => [
    setAt(data, 'choices.*.delta.tool_calls.*', (one: unknown) => change(toObject(one), at)),
  ])

export const openaiToolFaults: readonly Fault[] = [
  {
    name: 'openai-tools-ignored',
    summary: 'tools and tool_choice are ignored: the answer is text.',
    breaks: ['OAI-TOOL-01'],
    patch: ignoreMembers(['tools', 'tool_choice'], () => true),
  },
  {
    name: 'openai-tools-ignored-in-streams',
    only: { form: ['stream'] },
    summary: 'tools and tool_choice are ignored in streams.',
    breaks: ['OAI-TOOL-01'],
    patch: ignoreMembers(['tools', 'tool_choice'], ({ stream }) => stream === true),
  },
  {
    name: 'openai-tool-choice-ignored',
    summary: 'tool_choice required is treated as auto: the model answers with text.',
    breaks: ['OAI-TOOL-01'],
    patch: ignoreMembers(
      ['tools', 'tool_choice'],
      ({ tool_choice: choice }) => choice === 'required',
    ),
  },
  {
    name: 'openai-tool-call-without-id',
    summary: 'Tool calls omit id.',
    breaks: ['OAI-TOOL-02'],
    patch: setInCalls('id', undefined),
  },
  {
    name: 'openai-tool-calls-with-one-id',
    summary: 'An answer calls the tool twice, with the same id.',
    breaks: ['OAI-TOOL-02'],
    patch: setField(completions, 'choices.*.message.tool_calls', (calls: unknown) =>
      Array.isArray(calls) ? [...calls, ...calls] : calls,
    ),
  },
  {
    name: 'openai-tool-call-without-type',
    summary: 'Tool calls omit type.',
    breaks: ['OAI-TOOL-02'],
    patch: setInCalls('type', undefined),
  },
  {
    name: 'openai-tool-name-in-a-namespace',
    summary:
      'The function name of a tool call is prefixed: functions.get_time instead of get_time.',
    breaks: ['OAI-TOOL-02'],
    patch: setInCalls('function.name', (name: unknown) => `functions.${name}`),
  },
  {
    name: 'openai-tool-arguments-as-object',
    summary: 'The arguments of a tool call are an object instead of a JSON string.',
    breaks: ['OAI-TOOL-02'],
    patch: setInCalls('function.arguments', (input: unknown) => JSON.parse(String(input))),
  },
  {
    name: 'openai-tool-arguments-in-single-quotes',
    summary: 'The arguments of a tool call are a Python dict literal instead of JSON.',
    breaks: ['OAI-TOOL-02'],
    patch: setInCalls('function.arguments', (input: unknown) => String(input).replaceAll('"', "'")),
  },
  {
    name: 'openai-tool-fragments-without-index',
    summary: 'The fragments of a streamed tool call omit index.',
    breaks: ['OAI-TOOL-03'],
    patch: editFragments((fragment) => setAt(fragment, 'index', undefined)),
  },
  {
    name: 'openai-tool-fragments-one-index-each',
    summary: 'Each fragment of a streamed tool call has a different index.',
    breaks: ['OAI-TOOL-03'],
    patch: editFragments((fragment, at) => setAt(fragment, 'index', at)),
  },
  {
    name: 'openai-tool-fragments-one-id-each',
    summary: 'Each fragment of a streamed tool call has a different id.',
    breaks: ['OAI-TOOL-03'],
    patch: editFragments((fragment, at) => setAt(fragment, 'id', `call_${at}`)),
  },
  {
    name: 'openai-tool-call-streamed-without-id',
    summary: 'Streamed tool calls omit id.',
    breaks: ['OAI-TOOL-03'],
    patch: editFragments((fragment) => setAt(fragment, 'id', undefined)),
  },
  {
    name: 'openai-tool-fragments-doubled',
    summary: 'The arguments in each fragment of a streamed tool call are duplicated.',
    breaks: ['OAI-TOOL-03'],
    patch: editFragments((fragment) =>
      setAt(fragment, 'function.arguments', (text: unknown) => `${text}${text}`),
    ),
  },
  {
    name: 'openai-tool-result-refused',
    summary: 'Messages with the role tool are rejected.',
    breaks: ['OAI-TOOL-04'],
    patch: rejectRequests(completions, ({ messages }) =>
      toList(messages).some(({ role }) => role === 'tool'),
    ),
  },
  {
    name: 'openai-json-object-ignored',
    summary: 'response_format json_object is ignored.',
    breaks: ['OAI-FORMAT-01'],
    patch: ignoreMembers(['response_format'], requestsFormat('json_object')),
  },
  {
    name: 'openai-json-object-in-a-fence',
    summary: 'With response_format json_object, the JSON is wrapped in a Markdown code block.',
    breaks: ['OAI-FORMAT-01'],
    patch: onSuccess(completions, (reply, { body }) =>
      requestsFormat('json_object')(toObject(body))
        ? setAt(
            reply,
            'body.choices.*.message.content',
            (text: unknown) => `\`\`\`json\n${text}\n\`\`\``,
          )
        : reply,
    ),
  },
  {
    name: 'openai-json-schema-ignored',
    summary: 'response_format json_schema is treated as json_object.',
    breaks: ['OAI-FORMAT-02'],
    patch: onRequestBody(completions, (body) =>
      requestsFormat('json_schema')(body)
        ? { ...body, response_format: { type: 'json_object' } }
        : body,
    ),
  },
  {
    name: 'openai-n-ignored',
    summary: 'n is ignored: only one choice is returned.',
    breaks: ['OAI-N-01'],
    patch: ignoreMembers(['n'], () => true),
  },
  {
    name: 'openai-n-with-one-index',
    summary: 'All choices have the index 0.',
    breaks: ['OAI-N-01'],
    patch: setField(completions, 'choices.*.index', 0),
  },
]
