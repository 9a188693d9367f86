/** Laws of the two forms of an answer, streamed and not. */
import { asArray, asObject } from '../../contract/index.ts'
import {
  answerText,
  assume,
  compareForms,
  type Exchange,
  expect,
  finalResponse,
  isDeclined,
  type Scenario,
} from '../../harness/conformance/scenario/index.ts'
import type { Trial } from './conditions/plan.ts'
import { endOf } from './stop.ts'

/** Fields whose type the contract fixes, in a response and in its `usage`. */
const fixed: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created_at', 'model', 'status', 'output', 'error', 'incomplete_details'],
  ...['tools', 'metadata', 'parallel_tool_calls', 'temperature', 'top_p', 'usage'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'reasoning_tokens', 'cached_tokens'],
  ...['input_tokens_details', 'output_tokens_details'],
])

/** Fields have the same types in both forms: those of the contract always, others if the requests are alike. */
export function claimSameTypes({ claim }: Scenario, trials: readonly Trial[]): void {
  const ofForm = (isStream: boolean) =>
    trials.flatMap((trial) => {
      const { body, answer } = trial
      const response = finalResponse(answer)
      const isOfForm = (body['stream'] === true) === isStream
      return isOfForm && response ? [{ body, response, answer, kind: kindOf(trial) }] : []
    })
  for (const streamed of ofForm(true)) {
    for (const whole of ofForm(false)) {
      const { differentTypes } = compareForms(whole.response, streamed.response)
      // A field that repeats one of the request has the type that it has there.
      const isSentAlike = (name: string) => typeof whole.body[name] === typeof streamed.body[name]
      const isOwn = (why: string) => {
        const names = (why.split(' ')[0] ?? '').split('.')
        const isComparable = whole.kind === streamed.kind || names.every((name) => fixed.has(name))
        return isComparable && names.every(isSentAlike)
      }
      const types = () => expect(differentTypes.filter(isOwn), 'members of other types').toEqual([])
      claim('V3-GEN-03', types, whole.answer, streamed.answer)
    }
  }
}

/** Settings of a request, without its texts and ids, and the status and item types of its answer. */
function kindOf({ body, answer }: Trial): string {
  const { stream: _, chat_id: __, input, content, parent_id: parent, ...settings } = body
  const { output, status } = finalResponse(answer) ?? {}
  const types = asArray(output).map((item) => asObject(item)?.['type'])
  const given = [typeof input, typeof content, typeof parent]
  return JSON.stringify([Object.entries(settings).sort(), given, status, [...new Set(types)]])
}

/** The text of a deterministic target is the same in both forms; the judge of streams reports one that is cut. */
export function claimSameText({ claim }: Scenario, streamed: Exchange, whole: Exchange): void {
  if (isDeclined(streamed) || isDeclined(whole)) return
  const [text = '', expected = ''] = [answerText(streamed), answerText(whole)]
  // A proxy that loses its server may end the body of a stream as if it were complete.
  const hasEnd = endOf(streamed).reason !== undefined
  const isCut = !hasEnd && expected.startsWith(text) && text !== expected
  assume(!isCut, 'the stream ends inside its answer, without finish_reason', streamed)
  const isSame = () => expect(text, 'the text of a deterministic target').toBe(expected)
  claim('OAI-STREAM-10', isSame, streamed, whole)
}
