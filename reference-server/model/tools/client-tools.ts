/** Calls of functions of the caller by the fake model, with their arguments. */

import type { ToolOrder } from '../directives.ts'
import { conformingValue, hintsIn } from '../schema/conforming.ts'
import type { ClientDemands, FunctionTool } from '../types.ts'

interface Question {
  readonly text: string
  /** Calls that directives of the prompt order, sent unchanged. */
  readonly ordered: readonly ToolOrder[]
  /** Calls that the question implies without a function name, for functions with an open schema. */
  readonly implied: readonly ToolOrder[]
  /** The last turn is the answer of a tool. */
  readonly answered: boolean
}

/**
 * The functions that the question asks for or names. `required` and a named choice force a call,
 * also after a tool has answered; otherwise the model then speaks.
 *
 * @throws UnsupportedSchema for parameters that no arguments can be made for
 */
export function clientCalls(
  { functions, toolChoice, parallel }: ClientDemands,
  question: Question,
  seed: number,
): readonly ToolOrder[] {
  const called = (tool: FunctionTool) => callOf(tool, question, seed)
  if (typeof toolChoice === 'object') {
    return functions.filter(({ name }) => name === toolChoice.name).map(called)
  }
  const calls = question.answered ? [] : askedFor(functions, question, called)
  const [first] = functions
  const forced = toolChoice === 'required' && first !== undefined ? [called(first)] : []
  const answer = calls.length > 0 ? calls : forced
  return parallel ? answer : answer.slice(0, 1)
}

function askedFor(
  functions: readonly FunctionTool[],
  { text, ordered, implied }: Question,
  called: (tool: FunctionTool) => ToolOrder,
): readonly ToolOrder[] {
  if (ordered.length > 0) {
    return ordered.filter((order) => functions.some(({ name }) => name === order.name))
  }
  const isRequested = (tool: FunctionTool) =>
    isNamed(tool, text) || implied.some(({ name }) => name === tool.name)
  return functions.filter(isRequested).map(called)
}

function callOf(tool: FunctionTool, question: Question, seed: number): ToolOrder {
  const { name, parameters } = tool
  const isOpen = !('properties' in parameters)
  const isAvailable =
    question.ordered.find((order) => order.name === name) ??
    (isOpen ? question.implied.find((order) => order.name === name) : undefined)
  if (isAvailable !== undefined) return isAvailable
  const value = conformingValue({ type: 'object', ...parameters }, seed, hintsIn(question.text))
  return { name, arguments: JSON.stringify(value) }
}

/** `get_weather` is named by "weather" and by "get the weather": every word but verbs of access. */
function isNamed({ name }: FunctionTool, question: string): boolean {
  const spoken = new Set(wordsOf(question))
  const words = wordsOf(name).filter((word) => !accessVerbs.has(word))
  return words.length > 0 && words.every((word) => spoken.has(word))
}

const accessVerbs = new Set(['get', 'fetch', 'read', 'lookup', 'find', 'list', 'query', 'current'])

/** Words of a text, also of camel case and snake case. */
function wordsOf(text: string): string[] {
  return (text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/[\p{L}\p{N}]+/gu) ?? []).map(
    (word) => word.toLowerCase(),
  )
}
