/** A recording of answers, as entries of a script that reproduces them. */
import { textOf } from '../generation.ts'
import { type Generation, type Model, ModelOutage, type ModelRequest, type Step } from '../types.ts'
import type { ScriptEntry } from './answer-script.ts'
import { questionOf, requestDigest } from './scripted-model.ts'

/** Wraps a model; `keep` receives an entry for each answer that differs from the last one to the same request. */
export function recordedModel(model: Model, keep: (entry: ScriptEntry) => void): Model {
  const last = new Map<string, string>()
  const record = (request: ModelRequest, answer: Partial<ScriptEntry>) => {
    const digest = requestDigest(request)
    const text = JSON.stringify(answer)
    if (last.get(digest) === text) return
    last.set(digest, text)
    const prompt = questionOf(request).slice(0, maxPromptLength).toWellFormed()
    keep({ match: { digest }, prompt, ...answer })
  }
  return (request) => {
    try {
      const generation = model(request)
      record(request, entryOf(generation))
      return generation
    } catch (error) {
      if (error instanceof ModelOutage) record(request, outageEntry(error))
      throw error
    }
  }
}

const maxPromptLength = 200

function outageEntry({ status, code, message, retryAfter, delayMs }: ModelOutage) {
  const retry = retryAfter === undefined ? {} : { retry_after: retryAfter }
  const delay = delayMs === 0 ? {} : { delay: delayMs }
  return { ...delay, error: { status, code, message, ...retry } }
}

function entryOf({ steps, finish, pace, disruption }: Generation): Partial<ScriptEntry> {
  const message = steps.find(({ type }) => type === 'message')
  const calls = steps.flatMap(callsOf)
  const reasoning = textOf(steps, 'reasoning')
  const refusal = textOf(steps, 'refusal')
  const spokenElse = calls.length > 0 || refusal !== undefined
  const isAnswerNeeded =
    finish === 'length' ? steps.at(-1)?.complete !== false : finish === 'failed' || !spokenElse
  return {
    ...(pace.ttftMs === undefined ? {} : { delay: pace.ttftMs }),
    ...(pace.gapMs === undefined ? {} : { gap: pace.gapMs }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(refusal === undefined ? {} : { refusal }),
    ...answerOf(message, isAnswerNeeded),
    ...(finish === 'failed' ? { fail_after: message?.fragments.length ?? 0 } : {}),
    ...(finish === 'length' ? { finish } : {}),
    ...(disruption === undefined ? {} : { [`${disruption.kind}_after`]: disruption.afterTokens }),
  }
}

/** A required answer that was not begun is empty. */
function answerOf(message: Step | undefined, needed: boolean): Partial<ScriptEntry> {
  if (message?.type !== 'message') return needed ? { answer: '' } : {}
  const citations = message.citations.map(({ fileId, ...place }) => ({ file_id: fileId, ...place }))
  return { answer: message.fragments.join(''), ...(citations.length > 0 && { citations }) }
}

function callsOf(step: Step): NonNullable<ScriptEntry['tool_calls']> {
  if (step.type === 'function_call') {
    return [{ name: step.name, arguments: step.fragments.join('') }]
  }
  if (step.type !== 'file_search') return []
  return step.queries.map((query) => ({ name: 'file_search', arguments: { query } }))
}
