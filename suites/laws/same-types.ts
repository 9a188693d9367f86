/** The law of the two forms of a response, streamed and not. */
import { asArray, asObject } from '../../contract/index.ts'
import {
  compareForms,
  expect,
  finalResponse,
  type Scenario,
} from '../../harness/conformance/scenario/index.ts'
import type { Trial } from './conditions/plan.ts'

/** Fields whose type the contract fixes, in a response and in its `usage`. */
const fixed: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created_at', 'model', 'status', 'output', 'error', 'incomplete_details'],
  ...['tools', 'metadata', 'parallel_tool_calls', 'temperature', 'top_p', 'usage'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'reasoning_tokens', 'cached_tokens'],
  ...['input_tokens_details', 'output_tokens_details'],
])

/** Fields have the same types in both forms: those of the contract always, others where the requests are alike. */
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
      const sent = { ...whole.body, ...streamed.body }
      const isOwn = (why: string) => {
        const names = (why.split(' ')[0] ?? '').split('.')
        const isComparable = whole.kind === streamed.kind || names.every((name) => fixed.has(name))
        return isComparable && !names.some((name) => Object.hasOwn(sent, name))
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
