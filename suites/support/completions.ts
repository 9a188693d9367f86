/** Readers of the parts of a completion beside its text, for the compatible surface. */
import { parseJson } from '../../contract/index.ts'
import {
  assume,
  bodyJson,
  type Exchange,
  isDeclined,
  isObject,
  statusText,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Tests if an optional feature of the contract is supported: a success claims it; a 4xx, or an
 * error in place of an answer, rejects it.
 * Anything else ends the scenario undecided.
 */
export function supports(answer: Exchange): boolean {
  if (succeeded(answer)) return !isDeclined(answer)
  const status = answer.response?.status ?? 0
  const isRefusal = status >= 400 && status < 500 && !passing.has(status)
  assume(isRefusal, `the request was answered ${statusText(answer)}`, answer)
  return false
}

/** Statuses that refuse the caller or the moment, not the feature. */
const passing = new Set([401, 403, 408, 425, 429])

export function choicesOf(answer: Exchange): readonly Json[] {
  return choicesIn(bodyJson(answer))
}

/** `message` of the first choice. */
export function messageOf(answer: Exchange): Json {
  const message = choicesOf(answer)[0]?.['message']
  return isObject(message) ? message : {}
}

/** The tool calls of the first choice: whole ones, or the fragments of a stream. */
export function toolCallsOf(answer: Exchange): readonly unknown[] {
  const messages =
    answer.events.length > 0
      ? answer.events.map(({ data }) => choicesIn(parseJson(data))[0]?.['delta'])
      : [messageOf(answer)]
  return messages.flatMap((message) => {
    const calls = isObject(message) ? message['tool_calls'] : undefined
    return Array.isArray(calls) ? calls : []
  })
}

/** The content of a choice that came to its own end, as JSON; undefined if it is none. */
export function jsonContentOf(answer: Exchange): unknown {
  const { content } = messageOf(answer)
  return typeof content === 'string' ? parseJson(content) : undefined
}

/** False if the answer was cut, filtered or refused by the model: its form says nothing then. */
export function cameToItsEnd(answer: Exchange): boolean {
  const reason = choicesOf(answer)[0]?.['finish_reason']
  return reason === 'stop' && typeof messageOf(answer)['refusal'] !== 'string'
}

/** True if a limit of tokens ended the answer, whole or streamed. */
export function wasCut(answer: Exchange): boolean {
  const bodies =
    answer.events.length > 0 ? answer.events.map(({ data }) => parseJson(data)) : [bodyJson(answer)]
  return bodies.some((body) => choicesIn(body)[0]?.['finish_reason'] === 'length')
}

function choicesIn(json: unknown): readonly Json[] {
  const choices = isObject(json) ? json['choices'] : undefined
  return Array.isArray(choices) ? choices.filter(isObject) : []
}
