/** Faults of what a one-shot may be told and asked, and of what it must refuse (section 4.3). */
import type { Patch } from '../../../parts.ts'
import {
  isObject,
  isText,
  isPresent,
  mainAlias,
  mainModel,
  oneShot,
  flattenField,
  visionModel,
} from '../../native.ts'
import { type Json, onRequestBody, ignoreField, rejectRequests, perServer } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const isUuid = (value: unknown) => /^[\da-f-]{36}$/.test(String(value))

export const oneShotInputFaults: readonly Fault[] = [
  fault(
    'one-shot-content-refused',
    'V3-ONE-04',
    'A one-shot with content in place of input is refused.',
    rejectRequests(oneShot, ({ input }) => !isPresent(input)),
  ),
  fault(
    'one-shot-content-ignored',
    'V3-ONE-04',
    'A one-shot with content is answered as if nothing had been said.',
    onRequestBody(oneShot, (body) => (isText(body['content']) ? { ...body, content: 'Hello.' } : body)),
  ),
  fault(
    'one-shot-runs-refused',
    'V3-ONE-05',
    'A one-shot with runs is refused.',
    rejectRequests(oneShot, ({ runs }) => Array.isArray(runs)),
  ),
  runs('ignored', 'are ignored', () => []),
  runs('last-alone', 'count from the last one on', (all) => all.slice(-1)),
  runs('input-alone', 'count by what was asked, not by what was answered', (all) =>
    all.map(({ output: _, ...run }) => run),
  ),
  fault(
    'one-shot-null-refused',
    'V3-ONE-06',
    'A one-shot with assistant_id: null is refused.',
    rejectRequests(oneShot, ({ assistant_id: id }) => id === null),
  ),
  searcher('unknown', 'is unknown', () => true),
  searcher('without-base-refused', 'is refused without kb_id', ({ kb_id: id }) => !isPresent(id)),
  searcher('with-base-refused', 'is refused with kb_id', ({ kb_id: id }) => isPresent(id)),
  fault(
    'one-shot-searcher-finds-nothing',
    'V3-ONE-07',
    'searcher is taken for no assistant at all.',
    onRequestBody(oneShot, (body) =>
      body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body,
    ),
  ),
  fault(
    'one-shot-assistant-refused',
    'V3-ONE-08',
    'A one-shot that names an assistant of the catalog is refused.',
    rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
  ),
  fault(
    'one-shot-items-refused',
    'V3-ONE-10',
    'A one-shot whose input is an array of items is refused.',
    rejectRequests(oneShot, ({ input }) => Array.isArray(input)),
  ),
  fault(
    'one-shot-remembers',
    'V3-ONE-11',
    'A one-shot knows what was said in those before it.',
    perServer(() => {
      const said: unknown[] = []
      return onRequestBody(oneShot, (body) => {
        const before = said.map((input, at) => ({ id: `run-${at}`, input }))
        if (isText(body['input'])) said.push(body['input'])
        return isPresent(body['runs']) ? body : { ...body, runs: before }
      })
    }),
  ),
  wrong('model', ignoreField(oneShot, 'model_id', isText, mainModel)),
  wrong('input', flattenField(oneShot, 'input', 'text')),
  wrong('runs', ignoreField(oneShot, 'runs', Array.isArray)),
  wrong(
    'stream',
    ignoreField(oneShot, 'stream', (value) => typeof value === 'boolean'),
  ),
  wrong(
    'assistant',
    ignoreField(oneShot, 'assistant_id', (id) => !isObject(id)),
  ),
  wrong('base', ignoreField(oneShot, 'kb_id', isText)),
  wrong(
    'rag',
    ignoreField(oneShot, 'rag', (rag) => typeof rag !== 'number'),
  ),
  fault(
    'one-shot-alias-unknown',
    'V3-MODEL-01',
    'SVC-Main is no id of the main model of a one-shot.',
    rejectRequests(oneShot, ({ model_id: id }) => id === mainAlias, 404),
  ),
  fault(
    'one-shot-vision-unknown',
    'V3-MODEL-02',
    'SVC-Vision is no model of a one-shot.',
    rejectRequests(oneShot, ({ model_id: id }) => id === visionModel, 404),
  ),
  fault(
    'one-shot-searches-by-default',
    'RAG-06',
    'A one-shot without rag is answered as with rag: true.',
    onRequestBody(oneShot, (body) => ({ rag: true, ...body })),
  ),
]

function runs(name: string, what: string, change: (runs: readonly Json[]) => unknown): Fault {
  const summary = `The runs of a one-shot ${what}.`
  const changed = (value: unknown) => (Array.isArray(value) ? change(value) : value)
  return fault(
    `one-shot-runs-${name}`,
    'V3-ONE-05',
    summary,
    onRequestBody(oneShot, (body) => ('runs' in body ? { ...body, runs: changed(body['runs']) } : body)),
  )
}

function searcher(name: string, what: string, when: (body: Json) => boolean): Fault {
  return fault(
    `one-shot-searcher-${name}`,
    'V3-ONE-07',
    `searcher ${what}.`,
    rejectRequests(oneShot, (body) => body['assistant_id'] === 'searcher' && when(body)),
  )
}

function wrong(what: string, refit: Patch): Fault {
  return fault(
    `one-shot-${what}-of-any-type`,
    'V3-ONE-12',
    `A one-shot is answered though its ${what} has another type.`,
    refit,
  )
}
