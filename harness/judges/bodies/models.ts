import { asArray, isObject, type JsonObject } from '../../../contract/json.ts'
import { modelEntry, modelList } from '../../../contract/wire/index.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { judgeShape } from './shape.ts'

/**
 * Section 2.1 and docs/wire-contract.md: the list of models. Its shape is not shown, so the entries are
 * looked for wherever an array of objects is.
 */
export function judgeModels(ledger: FindingCollector, body: unknown): void {
  judgeShape(ledger, body, {
    schema: modelList,
    rows: ['OAI-MODELS-05'],
    rowOf: () => 'OAI-MODELS-05',
  })
  for (const entry of entriesOf(body)) {
    if (!('id' in entry) && !('description' in entry)) continue
    judgeShape(ledger, entry, {
      schema: modelEntry,
      rows: ['OAI-MODELS-04'],
      rowOf: () => 'OAI-MODELS-04',
    })
  }
  ledger.observed('OPEN-08', describe(body))
}

function entriesOf(body: unknown): readonly JsonObject[] {
  if (Array.isArray(body)) return body.filter(isObject)
  if (!isObject(body)) return []
  const lists = ['data', ...Object.keys(body)].map((key) => asArray(body[key]).filter(isObject))
  return lists.find((list) => list.length > 0) ?? []
}

function describe(body: unknown): string {
  const entry = entriesOf(body)[0]
  const members = entry === undefined ? 'no objects' : Object.keys(entry).sort().join(', ')
  if (Array.isArray(body)) return `a bare array of ${members}`
  return isObject(body) ? `{${Object.keys(body).sort().join(', ')}} of ${members}` : show(body)
}
