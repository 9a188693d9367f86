import { asArray, isObject, type JsonObject } from '../../../contract/json.ts'
import { modelEntry, modelList } from '../../../contract/wire/index.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { judgeShape } from './shape.ts'

/**
 * Section 2.1 and docs/internals/wire-contract.md: the list of models. Its shape is not shown, so the entries are
 * looked for wherever an array of objects is.
 */
export function judgeModels(collector: FindingCollector, body: unknown): void {
  judgeShape(collector, body, {
    schema: modelList,
    rows: ['OAI-MODELS-05'],
    rowOf: () => 'OAI-MODELS-05',
  })
  if (namesOf(body).length > 0)
    collector.held('OAI-MODELS-04', 'the entries are ids, which are strings')
  for (const entry of entriesOf(body)) {
    if (!('id' in entry) && !('description' in entry)) continue
    judgeShape(collector, entry, {
      schema: modelEntry,
      rows: ['OAI-MODELS-04'],
      rowOf: () => 'OAI-MODELS-04',
    })
  }
  collector.observed('OPEN-08', describe(body))
}

function entriesOf(body: unknown): readonly JsonObject[] {
  if (Array.isArray(body)) return body.filter(isObject)
  if (!isObject(body)) return []
  const lists = ['data', ...Object.keys(body)].map((key) => asArray(body[key]).filter(isObject))
  return lists.find((list) => list.length > 0) ?? []
}

/** Entries of a list that holds ids alone. */
function namesOf(body: unknown): readonly string[] {
  const lists = Array.isArray(body) ? [body] : isObject(body) ? [body['data'], body['models']] : []
  const list = lists.map(asArray).find((entries) => entries.length > 0) ?? []
  const names = list.filter((entry) => typeof entry === 'string')
  return names.length === list.length ? names : []
}

function describe(body: unknown): string {
  const entry = entriesOf(body)[0]
  const members = entry === undefined ? 'no objects' : Object.keys(entry).sort().join(', ')
  if (Array.isArray(body)) return `a bare array of ${members}`
  return isObject(body) ? `{${Object.keys(body).sort().join(', ')}} of ${members}` : show(body)
}
