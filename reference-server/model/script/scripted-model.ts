/** A model that answers from a script, and by another model if no entry matches. */

import { createHash } from 'node:crypto'
import { type AnswerScript, patternOf, type ScriptEntry } from '../../../contract/answer-script.ts'
import { seededDraw } from '../../runtime/random.ts'
import { findModel } from '../models.ts'
import { type Model, ModelOutage, type ModelRequest } from '../types.ts'
import { scriptedAnswer } from './scripted-answer.ts'

/**
 * The first entry that matches answers. Entries of a recording that name the same request answer it one
 * after the other, the last of them from then on.
 */
export function scriptedModel(
  { answers, otherwise }: AnswerScript,
  fallback: Model,
  seed: number,
): Model {
  const entries = answers.map((entry, index) => ({
    entry,
    matches: matcher(entry),
    used: 0,
    draw: seededDraw(seed, 'script', String(index)),
  }))
  const digests = Map.groupBy(entries, ({ entry }) => entry.match?.digest)
  digests.delete(undefined)
  return (request) => {
    const digest = digests.size > 0 ? requestDigest(request) : undefined
    const found = entries.find(
      (candidate) =>
        candidate.used < (candidate.entry.times ?? limitOf(candidate)) &&
        candidate.matches(request, digest) &&
        candidate.draw() < (candidate.entry.probability ?? 1),
    )
    if (found === undefined) return unmatched(request)
    found.used += 1
    return scriptedAnswer(found.entry, request)
  }

  function limitOf(candidate: (typeof entries)[number]): number {
    const same = digests.get(candidate.entry.match?.digest)
    return same === undefined || same.at(-1) === candidate ? Number.POSITIVE_INFINITY : 1
  }

  function unmatched(request: ModelRequest) {
    if (otherwise === 'model') return fallback(request)
    const text = questionOf(request)
    throw new ModelOutage(501, {
      code: 'not_in_script',
      message: `The script has no answer number ${turnOf(request)} to ${JSON.stringify(text.slice(0, 200))}`,
    })
  }
}

/** Answers from the script of the moment; one that takes the place of another starts at its beginning. */
export function replaceableScript(
  current: () => AnswerScript | undefined,
  fallback: Model,
  seed: number,
): Model {
  let script: AnswerScript | undefined
  let model = fallback
  return (request) => {
    if (current() !== script) {
      script = current()
      model = script === undefined ? fallback : scriptedModel(script, fallback, seed)
    }
    return model(request)
  }
}

type Matches = (request: ModelRequest, digest: string | undefined) => boolean

function matcher({ match = {} }: ScriptEntry): Matches {
  const text = match.text === undefined ? undefined : textMatcher(match.text)
  const model = match.model === undefined ? undefined : canonical(match.model)
  return (request, digest) =>
    (text === undefined || text(questionOf(request))) &&
    (model === undefined || canonical(request.model) === model) &&
    (match.turn === undefined || turnOf(request) === match.turn) &&
    (match.digest === undefined || digest === match.digest)
}

function textMatcher(text: string): (question: string) => boolean {
  const pattern = patternOf(text)
  if (pattern !== undefined) return (question) => pattern.test(question)
  const part = text.toLowerCase()
  return (question) => question.toLowerCase().includes(part)
}

function canonical(model: string): string {
  return findModel(model)?.id ?? model
}

function questionOf({ turns }: ModelRequest): string {
  return turns.findLast(({ role }) => role === 'user')?.text ?? ''
}

/** Answers of the model before this one count, calls of tools among them. */
function turnOf({ turns }: ModelRequest): number {
  return 1 + turns.filter(({ role }) => role === 'assistant').length
}

/** Digest of all that an answer may depend on, the same in every run of a server. */
export function requestDigest({ knowledge, ...request }: ModelRequest): string {
  const found = knowledge?.found.map(({ fileId, text }) => ({ fileId, text })) ?? []
  const content = JSON.stringify({ ...request, maxTokens: String(request.maxTokens), found })
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}
