/** A model that is a pure function of seed and request, so that its output is predictable. */
import { isObject, parseJson } from '../../contract/json.ts'
import type { SearchHit } from '../retrieval/types.ts'
import { readDirectives, type ToolOrder } from './directives.ts'
import { generationOf, type Plan, splitTokens, spoken, tokensBeforeStop } from './generation.ts'
import { answerProse, proseOfTokens, reasoningProse } from './prose.ts'
import { type Quotation, quotation, recall } from './recall.ts'
import { conformingValue, hintsIn } from './schema/conforming.ts'
import { asksForTool, type PromptContext, toolCalls, toolStep } from './tools/tools.ts'
import { type Model, ModelOutage, type Step } from './types.ts'

/**
 * Answers the last user message alone, unless it asks about an earlier statement (see `recall`) or documents
 * were found for it (see `quotation`). `readDirectives` describes the directives in that message.
 */
export function fakeModel(
  serverSeed: number,
  onMistyped: (directive: string) => void = () => {},
): Model {
  return (request) => {
    // Each of `n` answers is different.
    const seed = serverSeed + (request.client?.choice ?? 0) + (request.variation ?? 0)
    const question = request.turns.findLast(({ role }) => role === 'user')?.text ?? ''
    const directives = readDirectives(question)
    for (const directive of directives.mistyped) onMistyped(directive)
    if (directives.error !== undefined) throw new ModelOutage(directives.error)
    const { pace, disruption } = directives
    const planned = plan({ seed, request, question, directives })
    return { ...generationOf(planned, request, pace), disruption }
  }
}

function plan(context: PromptContext): Plan {
  const { request, question, directives } = context
  const reasoning = think(context)
  const calls = toolCalls(context)
  const called = calls.map((call) => toolStep(call, request, question))
  if (called.length > 0 && request.toolsRunBy === 'client') {
    return { steps: [...reasoning, ...called], finish: 'tool_calls' }
  }
  const hits = [
    ...(request.knowledge?.found ?? []),
    ...called.flatMap((step) => (step.type === 'file_search' ? step.results : [])),
  ]
  const answer = speak(context, hits, calls)
  const { fail } = directives
  if (fail === undefined || fail > answer.fragments.length) {
    return { steps: [...reasoning, ...called, answer], finish: 'stop' }
  }
  const cut = { ...answer, fragments: answer.fragments.slice(0, fail), complete: false }
  return { steps: [...reasoning, ...called, ...(fail === 0 ? [] : [cut])], finish: 'failed' }
}

/** Reasoning takes at most half of the token budget, so that some remains for the answer. */
function think({ seed, request, question, directives }: PromptContext): readonly Step[] {
  if (!request.think) return []
  const fragments =
    directives.think === undefined
      ? splitTokens(reasoningProse(seed, question))
      : proseOfTokens(seed, question, directives.think)
  const thought = fragments.slice(0, Math.floor(request.maxTokens / 2))
  return thought.length === 0 ? [] : [spoken({ type: 'reasoning' }, thought)]
}

function speak(
  context: PromptContext,
  hits: readonly SearchHit[],
  calls: readonly ToolOrder[],
): Step {
  if (context.directives.refuse) {
    return spoken({ type: 'refusal' }, splitTokens('I cannot help with this request.'))
  }
  const { tokens, citations } = inForm(context, answer(context, hits, calls))
  return spoken({ type: 'message', citations }, tokensBeforeStop(tokens, context.request.stop))
}

interface Answer extends Pick<Quotation, 'citations'> {
  readonly tokens: readonly string[]
}

/** A structured answer (`response_format`); an object that the prompt dictates stays unchanged. */
function inForm({ seed, request, question }: PromptContext, plain: Answer): Answer {
  const form = request.client?.form ?? 'text'
  if (form === 'text') return plain
  const text = plain.tokens.join('')
  if (isObject(parseJson(text))) return plain
  const { strings, numbers } = hintsIn(question)
  const hints = { strings: strings.length > 0 ? strings : [text], numbers }
  const value = form === 'object' ? { answer: text } : conformingValue(form, seed, hints)
  return { tokens: splitTokens(JSON.stringify(value)), citations: [] }
}

function answer(
  context: PromptContext,
  hits: readonly SearchHit[],
  calls: readonly ToolOrder[],
): Answer {
  const { seed, question, directives, request } = context
  const plain = (tokens: readonly string[]) => ({ tokens, citations: [] })
  if (directives.say !== undefined) return plain(splitTokens(directives.say))
  const remembered = recall(question, request.turns)
  if (directives.tokens !== undefined) {
    const prose = proseOfTokens(seed, question, directives.tokens)
    if (remembered === undefined) return plain(prose)
    const [first = '', ...others] = prose
    const joined = [...splitTokens(remembered.text), ` ${first}`, ...others]
    return plain(joined.slice(0, directives.tokens))
  }
  const isOwnAnswer = remembered?.isKnown === true || request.turns.at(-1)?.role === 'tool'
  const quoted = isOwnAnswer ? undefined : quotation(hits)
  if (quoted !== undefined) return { ...quoted, tokens: splitTokens(quoted.text) }
  const text = remark(context, calls) ?? remembered?.text
  return plain(text === undefined ? answerProse(seed, question) : splitTokens(text))
}

/** Text about the tools; undefined if there are none. */
function remark(
  { request, question, directives }: PromptContext,
  [call]: readonly ToolOrder[],
): string | undefined {
  const spokenLast = request.turns.findLastIndex(({ role }) => role !== 'tool')
  // Of the latest tool calls.
  const results = request.turns.slice(spokenLast + 1).map(({ text }) => text)
  if (results.length === 1) return `The tool answered: ${results[0]}`
  if (results.length > 1) return `The tools answered: ${results.join('; ')}`
  if (call !== undefined) return `I asked ${call.name} with ${call.arguments} before answering.`
  if (asksForTool(question, directives)) return 'The tool for that is not available to me here.'
  return undefined
}
