/** The laws of `max_tokens` on the compatible surface; the judges compare the tokens with the limit. */
import { parseJson } from '../../contract/index.ts'
import {
  bodyJson,
  type Exchange,
  expect,
  isObject,
  plain,
  type ScenarioContext,
} from '../../harness/conformance/scenario/index.ts'
import type { Trial } from './trials.ts'

/** An answer with as many tokens as its limit was cut, unless it is short by itself. */
export function saysItWasCut(
  { claim }: Pick<ScenarioContext, 'claim'>,
  { row, body, answer }: Trial,
): void {
  if (row['max_tokens'] === plain || row['text'] !== plain || row['stop'] !== plain) return
  const { tokens, reason } = endOf(answer)
  if (tokens !== body['max_tokens'] || reason === undefined) return
  const what = 'finish_reason of an answer cut by max_tokens'
  claim('OAI-MAXTOK-02', () => expect(reason, what).toBe('length'), answer)
}

/** Answers that are short by themselves do not show that their limit was kept. */
export function requireLimited(
  { session }: Pick<ScenarioContext, 'session'>,
  trials: readonly Trial[],
): void {
  const ends = trials.map(
    ({ body, answer }) => [Number(body['max_tokens']), endOf(answer)] as const,
  )
  const lengths = ends.flatMap(([limit, { tokens }]) =>
    // A single token may be all that an answer has.
    limit > 1 && typeof tokens === 'number' ? [{ limit, tokens }] : [],
  )
  if (lengths.length === 0 || lengths.some(({ limit, tokens }) => tokens >= limit)) return
  const reason = 'every answer is short by itself, so that a limit does not show'
  session.markUndecided('inconclusive', ['OAI-MAXTOK-01', 'OAI-MAXTOK-02'], reason)
}

/** Completion tokens of the usage, and the finish_reason, of an answer in either form. */
function endOf(answer: Exchange) {
  const parts = [bodyJson(answer), ...answer.events.map(({ data }) => parseJson(data))]
  const objects = parts.filter(isObject)
  const usage = objects.map((part) => part['usage']).find(isObject)
  const choices = objects.flatMap((part) => (Array.isArray(part['choices']) ? part['choices'] : []))
  const reasons = choices.map((choice) => (isObject(choice) ? choice['finish_reason'] : undefined))
  return {
    tokens: usage?.['completion_tokens'],
    reason: reasons.find((one) => typeof one === 'string'),
  }
}
