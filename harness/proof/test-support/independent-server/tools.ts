import type { Json } from './hooks.ts'

interface Tool {
  readonly name: string
  readonly result: string
}

const clock: Tool = { name: 'read_clock', result: 'It struck noon.' }

/** The tool that somebody asks for, where the lists of a request let it be used. */
export function toolAsked(message: string, lists: Json): Tool | undefined {
  return /read the clock/i.test(message) && mayUse(clock.name, lists) ? clock : undefined
}

export function mayUse(name: string, { include_tools: only, exclude_tools: without }: Json) {
  if (Array.isArray(without) && without.includes(name)) return false
  return !Array.isArray(only) || only.includes(name)
}

/** A call as a run item. */
export function callOf({ name }: Pick<Tool, 'name'>, given: Json): Json {
  return {
    id: `c-${crypto.randomUUID()}`,
    type: 'function_call',
    status: 'completed',
    call_id: `k-${crypto.randomUUID()}`,
    name,
    arguments: JSON.stringify(given),
  }
}

/** Output of a call, as a run item. */
export function outputOf(call: Json, output: string): Json {
  return { type: 'function_call_output', call_id: call['call_id'], output }
}
