import { asObject } from '../../../contract/json.ts'
import { finalText } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { asIndex, show } from '../json.ts'
import {
  type EventJudge,
  holdsAll,
  type ItemTrace,
  type StreamOutcome,
  streamedText,
} from './event.ts'

/** Minimum length: shorter reasoning may be repeated by chance. */
const tellingLength = 24

/** The two deltas that the document itself describes. */
const answerDelta = 'response.output_text.delta'
const reasoningDelta = 'response.reasoning_text.delta'

interface Delta {
  /** Text of the delta, and of those that repeat it. */
  readonly texts: readonly string[]
  readonly item: number
  readonly part: number
}

/**
 * V3-SSE-17 and V3-THINK-02: compares the streamed text of the answer with the final one. V3-SSE-24, -25 and
 * -27: the fields of a delta, and that reasoning comes only on request.
 */
export function answerJudge(collector: FindingCollector, request: unknown): EventJudge {
  const thinks = asObject(request)?.['think'] === true
  const answer: Delta[] = []
  const reasonings: (readonly string[])[] = []
  /** A delta was not a string, so the text is unknown. */
  let isSpoiled = false

  function judgeText(text: string, { items, finalEvent: event, context }: StreamOutcome): void {
    const streamed = joined(answer)
    // Items may be streamed in parallel, but are consecutive in the final response.
    const inOrder = () => joined(answer.toSorted((a, b) => a.item - b.item || a.part - b.part))
    if (streamed === text || inOrder() === text || inOrderOfItems(items) === text) {
      if (text !== '') collector.held('V3-SSE-17', 'The deltas equal the final text.', event)
      return
    }
    // A replay may consist of its first and its last event.
    if (context.repeat && answer.length === 0) return
    const why = `The joined deltas differ from the final text: ${difference(streamed, text)}.`
    collector.broken('V3-SSE-17', why, event)
  }

  function judgeReasoning(text: string, { finalEvent }: StreamOutcome): void {
    const reasoning = normal(reasonings.flat().join(''))
    if (reasoning.length < tellingLength) return
    const answer = normal(text)
    // Reasoning may be a draft of the answer.
    const isRepeated = answer !== reasoning && answer.includes(reasoning)
    const fault = isRepeated && `The answer repeats its reasoning: ${show(text)}.`
    collector.decide('V3-THINK-02', fault, 'The answer does not repeat its reasoning.', finalEvent)
  }

  return {
    event({ name, json, texts, index }) {
      const { delta } = json
      const isText = typeof delta === 'string'
      if (name === reasoningDelta) {
        reasonings.push(texts)
        const why = 'response.reasoning_text.delta arrived, but think was not requested.'
        if (!thinks) collector.broken('V3-SSE-24', why, index)
      }
      if (name === answerDelta || name === reasoningDelta) {
        isSpoiled ||= !isText
        const fault = !isText && `The delta of ${name} is ${show(delta)}, not a string.`
        collector.decide('V3-SSE-25', fault, 'delta is a string.', index)
      }
      if (!isText || !name.endsWith('.delta')) return
      const half =
        !delta.isWellFormed() && `The delta ${show(delta)} contains half of a surrogate pair.`
      collector.decide('V3-SSE-27', half, 'Deltas contain whole characters.', index)
      if (name !== answerDelta) return
      const [item = 0, part = 0] = [asIndex(json['output_index']), asIndex(json['content_index'])]
      answer.push({ texts, item, part })
    },
    end(outcome) {
      const { final, ended } = outcome
      if (ended && !thinks) collector.held('V3-SSE-24', 'No reasoning arrived without think.')
      if (!holdsAll(outcome) || final === undefined || !Array.isArray(final['output'])) return
      const text = finalText(final)
      if (!isSpoiled) judgeText(text, outcome)
      if (thinks && text !== '') judgeReasoning(text, outcome)
    },
  }
}

/** The streamed text by the structure of the items, if indexes are omitted. */
function inOrderOfItems(items: readonly ItemTrace[]): string {
  return items
    .flatMap((item) => item.slots.toSorted((a, b) => a.ordinal - b.ordinal))
    .filter((slot) => slot.type === 'output_text')
    .map(streamedText)
    .join('')
}

function joined(deltas: readonly Delta[]): string {
  return deltas.flatMap(({ texts }) => texts).join('')
}

function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Both texts from shortly before their first difference. */
function difference(streamed: string, text: string): string {
  let at = 0
  while (at < streamed.length && streamed[at] === text[at]) at += 1
  const from = Math.max(0, at - 10)
  const there = `from character ${from} on, the deltas have ${show(streamed.slice(from))}`
  return `${there} and the final response has ${show(text.slice(from))}`
}
