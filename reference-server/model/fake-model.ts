/** A model that is a pure function of seed and request, so that everything it says can be computed. */
import { type Directives, readDirectives } from './directives.ts'
import { answerProse, proseOfTokens, reasoningProse } from './prose.ts'
import { recall } from './recall.ts'
import { cutAtStop } from './stop.ts'
import { countTurn, splitTokens } from './tokens.ts'
import { asksForTool, toolCalls } from './tools.ts'
import { type Generation, type Model, ModelOutage, type ModelRequest, type Step } from './types.ts'

/**
 * Answers by the last user message alone, except where it asks for something told earlier (see
 * `recall`). Directives in that message are described at `readDirectives`.
 */
export function fakeModel(seed: number): Model {
  return (request) => {
    const question = request.turns.findLast(({ role }) => role === 'user')?.text ?? ''
    const directives = readDirectives(question)
    if (directives.error !== undefined) throw new ModelOutage(directives.error)
    const { steps, finish } = withinBudget(plan(seed, request, question, directives), request)
    return {
      steps,
      finish,
      failure:
        finish === 'failed' ? { code: 'server_error', message: 'The generation failed' } : null,
      tokens: count(request, steps),
      pace: directives.pace,
    }
  }
}

interface Plan {
  readonly steps: readonly Step[]
  readonly finish: Generation['finish']
}

function plan(seed: number, request: ModelRequest, question: string, directives: Directives): Plan {
  const reasoning = think(seed, request, question, directives)
  const calls = toolCalls(request, question, directives)
  const called = calls.map((call): Step => {
    if (request.toolsRunBy === 'service' && call.name === 'file_search') {
      return { type: 'file_search', queries: [question], fragments: [], complete: true }
    }
    return spoken({ type: 'function_call', name: call.name }, splitTokens(call.arguments))
  })
  if (called.length > 0 && request.toolsRunBy === 'client') {
    return { steps: [...reasoning, ...called], finish: 'tool_calls' }
  }
  const answer = speak(seed, request, question, directives)
  const failing = directives.fail !== undefined && directives.fail <= answer.fragments.length
  const said = failing
    ? { ...answer, fragments: answer.fragments.slice(0, directives.fail), complete: false }
    : answer
  const silent = failing && said.fragments.length === 0
  return {
    steps: [...reasoning, ...called, ...(silent ? [] : [said])],
    finish: failing ? 'failed' : 'stop',
  }
}

/** Thinking never takes more than half of the budget: an answer that is all reasoning helps nobody. */
function think(
  seed: number,
  request: ModelRequest,
  question: string,
  directives: Directives,
): readonly Step[] {
  if (!request.think) return []
  const fragments =
    directives.think === undefined
      ? splitTokens(reasoningProse(seed, question))
      : proseOfTokens(seed, question, directives.think)
  const thought = fragments.slice(0, Math.floor(request.maxTokens / 2))
  return thought.length === 0 ? [] : [spoken({ type: 'reasoning' }, thought)]
}

function speak(
  seed: number,
  request: ModelRequest,
  question: string,
  directives: Directives,
): Step {
  if (directives.refuse) {
    return spoken({ type: 'refusal' }, splitTokens('I cannot help with this request.'))
  }
  const text = cutAtStop(answerText(seed, request, question, directives), request.stop)
  return spoken({ type: 'message' }, splitTokens(text))
}

function answerText(
  seed: number,
  request: ModelRequest,
  question: string,
  directives: Directives,
): string {
  if (directives.say !== undefined) return directives.say
  if (directives.tokens !== undefined) {
    return proseOfTokens(seed, question, directives.tokens).join('')
  }
  const last = request.turns.at(-1)
  if (last?.role === 'tool') return `The tool answered: ${last.text}`
  const [call] = toolCalls(request, question, directives)
  if (call !== undefined) return `I asked ${call.name} with ${call.arguments} before answering.`
  if (asksForTool(question, directives)) return 'The tool for that is not available to me here.'
  return recall(question, request.turns) ?? answerProse(seed, question)
}

function withinBudget({ steps, finish }: Plan, { maxTokens }: ModelRequest): Plan {
  let left = maxTokens
  const kept: Step[] = []
  for (const step of steps) {
    const length = step.fragments.length
    if (length > left) {
      if (left > 0)
        kept.push({ ...step, fragments: step.fragments.slice(0, left), complete: false })
      return { steps: kept, finish: 'length' }
    }
    kept.push(step)
    left -= length
  }
  return { steps: kept, finish }
}

function spoken<Head extends { type: Step['type'] }>(head: Head, fragments: readonly string[]) {
  return { ...head, fragments, complete: true }
}

function count(request: ModelRequest, steps: readonly Step[]): Generation['tokens'] {
  const sum = (of: readonly Step[]) =>
    of.reduce((total, { fragments }) => total + fragments.length, 0)
  return {
    input: request.turns.reduce((total, turn) => total + countTurn(turn), 0),
    output: sum(steps),
    reasoning: sum(steps.filter(({ type }) => type === 'reasoning')),
  }
}
