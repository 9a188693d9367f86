/** Models with other answers: the document says nothing about the content of answers. */
import type { ResponseEvent } from '../../../events/sequence.ts'
import { splitTokens } from '../../../model/generation.ts'
import type { Generation, ModelRequest, Step } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import {
  all,
  type Edit,
  editEvents,
  editRawEvents,
  setInEvents,
  terminalEvents,
} from '../../patches/events.ts'
import { type Json, setAt, toObject } from '../../patches/json.ts'
import { onEachBlock, setFields } from '../../patches/replies.ts'
import { compose, counting, onModel, perServer, withSteps } from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

const isPlain = (body: Json) => !('max_tokens' in body || 'stop' in body || 'tools' in body)

export const answerDialects: readonly Dialect[] = [
  ...dialectTable({
    'answers-differ-each-time: Answers are not deterministic: the same request returns different text.':
      {
        profile: { deterministic: false },
        patch: counting((next) =>
          onModel('any', (model, request) => model({ ...request, variation: next() })),
        ),
      },
    'facts-not-understood: The model does not answer questions about facts from the context.':
      editFacts(() => ['I', ' cannot', ' tell', '.']),
    'facts-mixed-up: The model answers a question about a fact with another sentence of its context, if there is one.':
      editFacts(({ turns }) => {
        const stray = turns
          .flatMap(({ text }) => text.split(/(?<=[.?!])\s+/))
          .find((sentence) => sentence !== '' && !/\bmy\b/i.test(sentence))
        return stray === undefined ? undefined : splitTokens(stray)
      }),
    'facts-first-told: The model answers a question about a fact with the first sentence that tells one, or else with the first that has a number.':
      editTexts((step, { turns }) => {
        const sentences = turns
          .filter(({ role }) => role !== 'assistant')
          .flatMap(({ text }) => text.split(/(?<=[.?!])\s+/))
        const first =
          sentences.find((one) => /\bmy \w+ is\b/i.test(one)) ??
          sentences.find((one) => /\d/.test(one) && !one.includes('?'))
        return first !== undefined && /\byour \w+ (?:is|yet)\b/i.test(step.fragments.join(''))
          ? { ...step, fragments: splitTokens(`You told me: ${first}`), citations: [] }
          : step
      }),
    'facts-repeated: The model answers a question about a fact by repeating the whole message.':
      editFacts(({ turns, maxTokens }) => {
        const fragments = splitTokens(turns.at(-1)?.text ?? '')
        return fragments.length <= maxTokens ? fragments : undefined
      }),
    'answer-empty-once: The first completion that is streamed to its end has no text.': {
      profile: { deterministic: false },
      patch: perServer(
        (): { first?: unknown } => ({}),
        (memory) =>
          onEachBlock('openai.chat', (chunk, _, { body }) => {
            if (isPlain(toObject(body))) memory.first ??= chunk['id']
            const choices = setAt(chunk, 'choices.*.delta.content', (text: unknown) => text && '')
            return [chunk['id'] === memory.first ? choices : chunk]
          }),
      ),
    },
    'reasoning-short: The reasoning is a single word.': onModel('native', (model, request) =>
      withSteps(model(request), (step) =>
        step.type === 'reasoning' ? [{ ...step, fragments: ['Hm.'] }] : [step],
      ),
    ),
    'reasoning-sealed: Reasoning is streamed, but completed reasoning items contain only encrypted_content.':
      compose([
        editRawEvents(
          setInEvents('response.output_item.done', { item: sealReasoning }),
          setInEvents(all(...terminalEvents), { 'response.output.*': sealReasoning }),
        ),
        setFields(['v3.generate', 'v3.oneShot'], { 'output.*': sealReasoning }),
        setFields('v3.history', { 'result.*.item': sealReasoning }),
      ]),
  }),
  ...alternatives({
    'answers-terse: Answers have at most three tokens, unless they state a fact.': editTexts(
      (step) => (/\byour\b|KESTREL/i.test(step.fragments.join('')) ? step : firstTokens(step, 3)),
    ),
    'completions-without-text: The model says nothing in a completion, streamed or not.': onModel(
      'compatible',
      (model, request) =>
        withSteps(model(request), (step) => [
          step.type === 'message' ? firstTokens(step, 0) : step,
        ]),
    ),
    'answers-in-two-messages: The text of a v3 answer is split into two output messages.': onModel(
      'native',
      (model, request) => splitInHalf(model(request)),
    ),
    'answers-in-two-messages-at-once: The text of a v3 answer is split into two output messages that are streamed in parallel.':
      compose([
        onModel('native', (model, request) => splitInHalf(model(request))),
        editEvents(interleave()),
      ]),
  }),
]

function sealReasoning(item: unknown): Json {
  const { type, ...rest } = toObject(item)
  return type === 'reasoning'
    ? { type, ...rest, content: [], encrypted_content: 'c2VhbGVk' }
    : { type, ...rest }
}

type Message = Extract<Step, { readonly type: 'message' }>

/** Edits the text of complete answers; the length of a truncated one must not change. */
function editTexts(change: (step: Message, request: ModelRequest) => Step): Patch {
  return onModel('any', (model, request) => {
    const generated = model(request)
    return generated.finish === 'stop' && request.stop.length === 0
      ? withSteps(generated, (step) => [step.type === 'message' ? change(step, request) : step])
      : generated
  })
}

/** Other words in place of an answer to a question about a fact; undefined leaves it. */
function editFacts(wordsFor: (request: ModelRequest) => readonly string[] | undefined): Patch {
  return editTexts((step, request) => {
    const fragments = wordsFor(request)
    return fragments !== undefined && /\byour \w+ is\b/i.test(step.fragments.join(''))
      ? { ...step, fragments, citations: [] }
      : step
  })
}

function firstTokens(step: Message, count: number): Message {
  return { ...step, fragments: step.fragments.slice(0, count), citations: [] }
}

function splitInHalf(generated: Generation): Generation {
  return withSteps(generated, (step) => {
    if (step.type !== 'message' || step.fragments.length < 2 || step.citations.length > 0) {
      return [step]
    }
    const middle = Math.floor(step.fragments.length / 2)
    return [
      { ...step, fragments: step.fragments.slice(0, middle), complete: true },
      { ...step, fragments: step.fragments.slice(middle) },
    ]
  })
}

/** Interleaves the events of the last two items, if both are texts. */
function interleave(): Edit {
  return (events) => {
    const items = Map.groupBy(events, (event) => event['output_index'])
    items.delete(undefined)
    const [first = [], second = []] = [...items.values()].slice(-2)
    if (!isText(first) || !isText(second)) return events
    const others = events.filter((event) => !first.includes(event) && !second.includes(event))
    const end = others.findIndex(({ type }) => terminalEvents.includes(type))
    const mixed = Array.from({ length: Math.max(first.length, second.length) }, (_, at) =>
      [first[at], second[at]].filter((event) => event !== undefined),
    ).flat()
    return others.toSpliced(end < 0 ? others.length : end, 0, ...mixed)
  }
}

function isText(events: readonly ResponseEvent[]): boolean {
  return events.some(({ type }) => type === 'response.output_text.delta')
}
