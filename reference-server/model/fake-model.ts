/** A model that is a pure function of seed and request, so that its output is predictable. */
import { isObject, parseJson } from '../../contract/json.ts'
import type { SearchHit } from '../retrieval/retrieval.ts'
import { readDirectives, type ToolOrder } from './directives.ts'
import { generationOf, type Plan, splitTokens, spoken, tokensBeforeStop } from './generation.ts'
import { answerProse, proseOfTokens, reasoningProse } from './prose.ts'
import { conformingValue, hintsIn } from './schema/conforming.ts'
import { asksForTool, type PromptContext, toolCalls, toolStep } from './tools/tools.ts'
import { type Citation, type Model, ModelOutage, type Step, type Turn } from './types.ts'

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

/**
 * Answers "What is my name?" from "My name is X" anywhere in the conversation, the question itself
 * included, or from an earlier answer that says "your name is X"; the latest statement counts. Any one
 * to three words can replace "name", and any token X.
 *
 * @returns undefined if the question has another form
 */
export function recall(question: string, turns: readonly Turn[]) {
  const thing = /what(?:'s|’s| is| was) my ((?:\p{L}{1,20} ){0,2}\p{L}{1,20})\s{0,4}\?/iu.exec(
    question,
  )?.[1]
  if (thing === undefined) return undefined
  const value = lastStatement(thing, turns)
  return value === undefined
    ? { isKnown: false, text: `You have not told me your ${thing} yet.` }
    : { isKnown: true, text: `Your ${thing} is ${value}.` }
}

function lastStatement(thing: string, turns: readonly Turn[]): string | undefined {
  const userPattern = statement('my', thing)
  const answerPattern = statement('your', thing)
  for (const turn of turns.toReversed()) {
    if (turn.role === 'tool') continue
    const found = [
      ...turn.text.matchAll(turn.role === 'assistant' ? answerPattern : userPattern),
    ].at(-1)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

function statement(whose: 'my' | 'your', thing: string): RegExp {
  return new RegExp(
    `${whose} ${thing} is:? ["'“‘«]?([\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.@-]{0,200}[\\p{L}\\p{N}])?)`,
    'giu',
  )
}

export interface Quotation {
  readonly text: string
  readonly citations: readonly Citation[]
}

/** @returns undefined without hits */
export function quotation(hits: readonly SearchHit[]): Quotation | undefined {
  const [first, ...others] = hits.toSorted((a, b) => b.score - a.score)
  if (first === undefined) return undefined
  const text = `${first.filename} says: ${first.text.replace(/\s+/g, ' ').trim()}`
  const citations = [citation(first, text.length)]
  const other = others.find(({ fileId }) => fileId !== first.fileId)
  if (other === undefined) return { text, citations }
  const longer = `${text} See also ${other.filename}.`
  return { text: longer, citations: [...citations, citation(other, longer.length)] }
}

function citation({ fileId, filename }: SearchHit, index: number): Citation {
  return { fileId, filename, index }
}
