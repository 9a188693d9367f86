/** Faults of tools, response_format and n on the compatible surface. */
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import {
  completions,
  type Json,
  toList,
  toObject,
  onEachBlock,
  onRequestBody,
  onSuccess,
  rejectRequests,
  setField,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const ignores = (members: readonly string[], when: (body: Json) => boolean): Patch =>
  onRequestBody(completions, (body) =>
    when(body) ? members.reduce((rest, member) => setAt(rest, member, undefined), body) : body,
  )

const wantsFormat =
  (type: string) =>
  (body: Json): boolean =>
    toObject(body['response_format'])['type'] === type

const call = (path: string, to: unknown): Patch =>
  setField(completions, `choices.*.message.tool_calls.*.${path}`, to)

const fragments = (change: (fragment: Json, at: number) => Json): Patch =>
  onEachBlock(completions, (data, at) => [
    setAt(data, 'choices.*.delta.tool_calls.*', (one: unknown) => change(toObject(one), at)),
  ])

export const openaiToolFaults: readonly Fault[] = [
  fault(
    'openai-tools-ignored',
    'OAI-TOOL-01',
    'tools and tool_choice are ignored, and the answer is text.',
    ignores(['tools', 'tool_choice'], () => true),
  ),
  fault(
    'openai-tools-ignored-in-streams',
    'OAI-TOOL-01',
    'In a stream, tools and tool_choice are ignored.',
    ignores(['tools', 'tool_choice'], ({ stream }) => stream === true),
  ),
  fault(
    'openai-tool-choice-ignored',
    'OAI-TOOL-01',
    'tool_choice required is taken for auto, by a model that would rather talk.',
    ignores(['tools', 'tool_choice'], ({ tool_choice: choice }) => choice === 'required'),
  ),
  fault(
    'openai-tool-call-without-id',
    'OAI-TOOL-02',
    'A tool call has no id.',
    call('id', undefined),
  ),
  fault(
    'openai-tool-call-without-type',
    'OAI-TOOL-02',
    'A tool call has no type.',
    call('type', undefined),
  ),
  fault(
    'openai-tool-name-in-a-namespace',
    'OAI-TOOL-02',
    'A tool call names functions.get_time for get_time.',
    call('function.name', (name: unknown) => `functions.${name}`),
  ),
  fault(
    'openai-tool-arguments-as-object',
    'OAI-TOOL-02',
    'The arguments of a tool call are an object, not JSON in a string.',
    call('function.arguments', (input: unknown) => JSON.parse(String(input))),
  ),
  fault(
    'openai-tool-arguments-in-single-quotes',
    'OAI-TOOL-02',
    'The arguments of a tool call are written as a Python dictionary.',
    call('function.arguments', (input: unknown) => String(input).replaceAll('"', "'")),
  ),
  fault(
    'openai-tool-fragments-without-index',
    'OAI-TOOL-03',
    'The fragments of a streamed tool call have no index.',
    fragments((fragment) => setAt(fragment, 'index', undefined)),
  ),
  fault(
    'openai-tool-fragments-one-index-each',
    'OAI-TOOL-03',
    'Each fragment of a streamed tool call counts as a call of its own.',
    fragments((fragment, at) => setAt(fragment, 'index', at)),
  ),
  fault(
    'openai-tool-call-streamed-without-id',
    'OAI-TOOL-03',
    'A streamed tool call has no id.',
    fragments((fragment) => setAt(fragment, 'id', undefined)),
  ),
  fault(
    'openai-tool-fragments-doubled',
    'OAI-TOOL-03',
    'Each fragment of the arguments comes twice.',
    fragments((fragment) =>
      setAt(fragment, 'function.arguments', (text: unknown) => `${text}${text}`),
    ),
  ),
  fault(
    'openai-tool-result-refused',
    'OAI-TOOL-04',
    'A message with the role tool is refused.',
    rejectRequests(completions, ({ messages }) =>
      toList(messages).some(({ role }) => role === 'tool'),
    ),
  ),
  fault(
    'openai-json-object-ignored',
    'OAI-FORMAT-01',
    'response_format json_object is ignored.',
    ignores(['response_format'], wantsFormat('json_object')),
  ),
  fault(
    'openai-json-object-in-a-fence',
    'OAI-FORMAT-01',
    'With json_object, the JSON stands in a Markdown code block.',
    onSuccess(completions, (reply, { body }) =>
      wantsFormat('json_object')(toObject(body))
        ? setAt(
            reply,
            'body.choices.*.message.content',
            (text: unknown) => `\`\`\`json\n${text}\n\`\`\``,
          )
        : reply,
    ),
  ),
  fault(
    'openai-json-schema-ignored',
    'OAI-FORMAT-02',
    'response_format json_schema is taken for json_object.',
    onRequestBody(completions, (body) =>
      wantsFormat('json_schema')(body)
        ? { ...body, response_format: { type: 'json_object' } }
        : body,
    ),
  ),
  fault(
    'openai-n-ignored',
    'OAI-N-01',
    'n is ignored: there is one choice.',
    ignores(['n'], () => true),
  ),
  fault(
    'openai-n-with-one-index',
    'OAI-N-01',
    'Every choice has the index 0.',
    setField(completions, 'choices.*.index', 0),
  ),
]
