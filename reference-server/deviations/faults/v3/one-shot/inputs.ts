/** Faults of the input of one-shots and of its validation (section 4.3). */
import { isObject, isUuid } from '../../../../../contract/json.ts'
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

export const oneShotInputFaults: readonly Fault[] = [
  {
    name: 'one-shot-content-refused',
    summary: 'A one-shot with content instead of input is rejected.',
    breaks: ['V3-ONE-04'],
    patch: rejectRequests(oneShot, ({ input }) => !isPresent(input)),
  },
  {
    name: 'one-shot-content-ignored',
    summary: 'A one-shot ignores the text of content.',
    breaks: ['V3-ONE-04'],
    patch: onRequestBody(oneShot, (body) =>
      isText(body['content']) ? { ...body, content: 'Hello.' } : body,
    ),
  },
  {
    name: 'one-shot-runs-refused',
    summary: 'A one-shot with runs is rejected.',
    breaks: ['V3-ONE-05'],
    patch: rejectRequests(oneShot, ({ runs }) => Array.isArray(runs)),
  },
  editRuns('ignored', 'A one-shot ignores runs.', () => []),
  editRuns('last-alone', 'A one-shot uses only the last of its runs.', (all) => all.slice(-1)),
  editRuns('input-alone', 'A one-shot ignores the output of its runs.', (all) =>
    all.map(({ output: _, ...run }) => run),
  ),
  {
    name: 'one-shot-null-refused',
    summary: 'A one-shot with assistant_id: null is rejected.',
    breaks: ['V3-ONE-06'],
    patch: rejectRequests(oneShot, ({ assistant_id: id }) => id === null),
  },
  rejectSearcher('unknown', 'is rejected', () => true),
  rejectSearcher(
    'without-base-refused',
    'is rejected without kb_id',
    ({ kb_id: id }) => !isPresent(id),
  ),
  rejectSearcher('with-base-refused', 'is rejected with kb_id', ({ kb_id: id }) => isPresent(id)),
  {
    name: 'one-shot-searcher-finds-nothing',
    summary: 'assistant_id: searcher is treated as null.',
    breaks: ['V3-ONE-07'],
    patch: onRequestBody(oneShot, (body) =>
      body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body,
    ),
  },
  {
    name: 'one-shot-assistant-refused',
    summary: 'A one-shot with the UUID of an assistant is rejected.',
    breaks: ['V3-ONE-08'],
    patch: rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
  },
  {
    name: 'one-shot-items-refused',
    only: { input: ['items'] },
    summary: 'A one-shot with an array as input is rejected.',
    breaks: ['V3-ONE-10'],
    patch: rejectRequests(oneShot, ({ input }) => Array.isArray(input)),
  },
  {
    name: 'one-shot-remembers',
    summary: 'The inputs of previous one-shots are passed to the model.',
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
  acceptWrongType('model', 'model_id', ignoreField(oneShot, 'model_id', isText, mainModel)),
  acceptWrongType('input', 'input', flattenField(oneShot, 'input', 'text')),
  acceptWrongType('runs', 'runs', ignoreField(oneShot, 'runs', Array.isArray)),
  acceptWrongType(
    'stream',
    'stream',
    ignoreField(oneShot, 'stream', (value) => typeof value === 'boolean'),
  ),
  acceptWrongType(
    'assistant',
    'assistant_id',
    ignoreField(oneShot, 'assistant_id', (id) => !isObject(id)),
  ),
  acceptWrongType('base', 'kb_id', ignoreField(oneShot, 'kb_id', isText)),
  acceptWrongType(
    'rag',
    'rag',
    ignoreField(oneShot, 'rag', (rag) => typeof rag !== 'number'),
  ),
  {
    name: 'one-shot-alias-unknown',
    summary: 'A one-shot with the model id SVC-Main is rejected with 404.',
    breaks: ['V3-MODEL-01'],
    patch: rejectRequests(oneShot, ({ model_id: id }) => id === mainAlias, 404),
  },
  {
    name: 'one-shot-vision-unknown',
    summary: 'A one-shot with the model id SVC-Vision is rejected with 404.',
    breaks: ['V3-MODEL-02'],
    patch: rejectRequests(oneShot, ({ model_id: id }) => id === visionModel, 404),
  },
  {
    name: 'one-shot-searches-by-default',
    summary: 'rag defaults to true instead of agent in a one-shot.',
    breaks: ['RAG-06'],
    patch: onRequestBody(oneShot, (body) => ({ rag: true, ...body })),
  },
]

function editRuns(
  name: string,
  summary: string,
  change: (runs: readonly Json[]) => unknown,
): Fault {
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
    summary: `assistant_id: searcher ${what}.`,
    breaks: ['V3-ONE-07'],
    patch: rejectRequests(oneShot, (body) => body['assistant_id'] === 'searcher' && when(body)),
  }
}

function acceptWrongType(name: string, field: string, patch: Patch): Fault {
  return {
    name: `one-shot-${name}-of-any-type`,
    summary: `A one-shot with ${field} of the wrong type is accepted.`,
    breaks: ['V3-ONE-12'],
    patch,
  }
}
