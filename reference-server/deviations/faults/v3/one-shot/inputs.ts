/** Faults of what a one-shot may be told and asked, and of what it must refuse (section 4.3). */
import { isObject } from '../../../../../contract/json.ts'
import type { Patch } from '../../../../services.ts'
import { isPresent, isText, type Json } from '../../../patches/json.ts'
import {
  flattenField,
  ignoreField,
  onRequestBody,
  rejectRequests,
} from '../../../patches/requests.ts'
import { mainAlias, mainModel, oneShot, visionModel } from '../../../patches/routes.ts'
import { perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const isUuid = (value: unknown) => /^[\da-f-]{36}$/.test(String(value))

export const oneShotInputFaults: readonly Fault[] = [
  {
    name: 'one-shot-content-refused',
    summary: 'A one-shot with content in place of input is refused.',
    breaks: ['V3-ONE-04'],
    patch: rejectRequests(oneShot, ({ input }) => !isPresent(input)),
  },
  {
    name: 'one-shot-content-ignored',
    summary: 'A one-shot with content is answered as if nothing had been said.',
    breaks: ['V3-ONE-04'],
    patch: onRequestBody(oneShot, (body) =>
      isText(body['content']) ? { ...body, content: 'Hello.' } : body,
    ),
  },
  {
    name: 'one-shot-runs-refused',
    summary: 'A one-shot with runs is refused.',
    breaks: ['V3-ONE-05'],
    patch: rejectRequests(oneShot, ({ runs }) => Array.isArray(runs)),
  },
  editRuns('ignored', 'are ignored', () => []),
  editRuns('last-alone', 'count from the last one on', (all) => all.slice(-1)),
  editRuns('input-alone', 'count by what was asked, not by what was answered', (all) =>
    all.map(({ output: _, ...run }) => run),
  ),
  {
    name: 'one-shot-null-refused',
    summary: 'A one-shot with assistant_id: null is refused.',
    breaks: ['V3-ONE-06'],
    patch: rejectRequests(oneShot, ({ assistant_id: id }) => id === null),
  },
  rejectSearcher('unknown', 'is unknown', () => true),
  rejectSearcher(
    'without-base-refused',
    'is refused without kb_id',
    ({ kb_id: id }) => !isPresent(id),
  ),
  rejectSearcher('with-base-refused', 'is refused with kb_id', ({ kb_id: id }) => isPresent(id)),
  {
    name: 'one-shot-searcher-finds-nothing',
    summary: 'searcher is taken for no assistant at all.',
    breaks: ['V3-ONE-07'],
    patch: onRequestBody(oneShot, (body) =>
      body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body,
    ),
  },
  {
    name: 'one-shot-assistant-refused',
    summary: 'A one-shot that names an assistant of the catalog is refused.',
    breaks: ['V3-ONE-08'],
    patch: rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
  },
  {
    name: 'one-shot-items-refused',
    only: { input: ['items'] },
    summary: 'A one-shot whose input is an array of items is refused.',
    breaks: ['V3-ONE-10'],
    patch: rejectRequests(oneShot, ({ input }) => Array.isArray(input)),
  },
  {
    name: 'one-shot-remembers',
    summary: 'A one-shot knows what was said in those before it.',
    breaks: ['V3-ONE-11'],
    patch: perServer(() => {
      const earlierInputs: unknown[] = []
      return onRequestBody(oneShot, (body) => {
        const before = earlierInputs.map((input, at) => ({ id: `run-${at}`, input }))
        if (isText(body['input'])) earlierInputs.push(body['input'])
        return isPresent(body['runs']) ? body : { ...body, runs: before }
      })
    }),
  },
  acceptWrongType('model', ignoreField(oneShot, 'model_id', isText, mainModel)),
  acceptWrongType('input', flattenField(oneShot, 'input', 'text')),
  acceptWrongType('runs', ignoreField(oneShot, 'runs', Array.isArray)),
  acceptWrongType(
    'stream',
    ignoreField(oneShot, 'stream', (value) => typeof value === 'boolean'),
  ),
  acceptWrongType(
    'assistant',
    ignoreField(oneShot, 'assistant_id', (id) => !isObject(id)),
  ),
  acceptWrongType('base', ignoreField(oneShot, 'kb_id', isText)),
  acceptWrongType(
    'rag',
    ignoreField(oneShot, 'rag', (rag) => typeof rag !== 'number'),
  ),
  {
    name: 'one-shot-alias-unknown',
    summary: 'SVC-Main is no id of the main model of a one-shot.',
    breaks: ['V3-MODEL-01'],
    patch: rejectRequests(oneShot, ({ model_id: id }) => id === mainAlias, 404),
  },
  {
    name: 'one-shot-vision-unknown',
    summary: 'SVC-Vision is no model of a one-shot.',
    breaks: ['V3-MODEL-02'],
    patch: rejectRequests(oneShot, ({ model_id: id }) => id === visionModel, 404),
  },
  {
    name: 'one-shot-searches-by-default',
    summary: 'A one-shot without rag is answered as with rag: true.',
    breaks: ['RAG-06'],
    patch: onRequestBody(oneShot, (body) => ({ rag: true, ...body })),
  },
]

function editRuns(name: string, what: string, change: (runs: readonly Json[]) => unknown): Fault {
  const summary = `The runs of a one-shot ${what}.`
  const changed = (value: unknown) => (Array.isArray(value) ? change(value) : value)
  return {
    name: `one-shot-runs-${name}`,
    summary,
    breaks: ['V3-ONE-05'],
    patch: onRequestBody(oneShot, (body) =>
      'runs' in body ? { ...body, runs: changed(body['runs']) } : body,
    ),
  }
}

function rejectSearcher(name: string, what: string, when: (body: Json) => boolean): Fault {
  return {
    name: `one-shot-searcher-${name}`,
    summary: `searcher ${what}.`,
    breaks: ['V3-ONE-07'],
    patch: rejectRequests(oneShot, (body) => body['assistant_id'] === 'searcher' && when(body)),
  }
}

function acceptWrongType(what: string, patch: Patch): Fault {
  return {
    name: `one-shot-${what}-of-any-type`,
    summary: `A one-shot is answered though its ${what} has another type.`,
    breaks: ['V3-ONE-12'],
    patch,
  }
}
