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
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

export const oneShotInputFaults: readonly Fault[] = [
  ...faultTable({
    'V3-ONE-04': {
      'one-shot-content-refused: A one-shot with content instead of input is rejected.':
        rejectRequests(oneShot, ({ input }) => !isPresent(input)),
      'one-shot-content-ignored: A one-shot ignores the text of content.': onRequestBody(
        oneShot,
        (body) => (isText(body['content']) ? { ...body, content: 'Hello.' } : body),
      ),
    },
    'V3-ONE-05': {
      'one-shot-runs-refused: A one-shot with runs is rejected.': rejectRequests(
        oneShot,
        ({ runs }) => Array.isArray(runs),
      ),
    },
    'V3-ONE-06': {
      'one-shot-null-refused: A one-shot with assistant_id: null is rejected.': rejectRequests(
        oneShot,
        ({ assistant_id: id }) => id === null,
      ),
    },
    'V3-ONE-07': {
      'one-shot-searcher-finds-nothing: assistant_id: searcher is treated as null.': onRequestBody(
        oneShot,
        (body) => (body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body),
      ),
    },
    'V3-ONE-08': {
      'one-shot-assistant-refused: A one-shot with the UUID of an assistant is rejected.':
        rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
    },
    'V3-ONE-10': {
      'one-shot-items-refused: A one-shot with an array as input is rejected.': {
        only: { input: ['items'] },
        patch: rejectRequests(oneShot, ({ input }) => Array.isArray(input)),
      },
    },
    'V3-ONE-11': {
      'one-shot-remembers: The inputs of previous one-shots are passed to the model.': perServer(
        () => {
          const earlierInputs: unknown[] = []
          return onRequestBody(oneShot, (body) => {
            const before = earlierInputs.map((input, at) => ({ id: `run-${at}`, input }))
            if (isText(body['input'])) earlierInputs.push(body['input'])
            return isPresent(body['runs']) ? body : { ...body, runs: before }
          })
        },
      ),
    },
    'V3-MODEL-01': {
      'one-shot-alias-unknown: A one-shot with the model id SVC-Main is rejected with 404.':
        rejectRequests(oneShot, ({ model_id: id }) => id === mainAlias, 404),
    },
    'V3-MODEL-02': {
      'one-shot-vision-unknown: A one-shot with the model id SVC-Vision is rejected with 404.':
        rejectRequests(oneShot, ({ model_id: id }) => id === visionModel, 404),
    },
    'RAG-06': {
      'one-shot-searches-by-default: rag defaults to true instead of agent in a one-shot.':
        onRequestBody(oneShot, (body) => ({ rag: true, ...body })),
    },
  }),
  editRuns('ignored', 'A one-shot ignores runs.', () => []),
  editRuns('last-alone', 'A one-shot uses only the last of its runs.', (all) => all.slice(-1)),
  editRuns('input-alone', 'A one-shot ignores the output of its runs.', (all) =>
    all.map(({ output: _, ...run }) => run),
  ),
  rejectSearcher('unknown', 'is rejected', () => true),
  rejectSearcher(
    'without-base-refused',
    'is rejected without kb_id',
    ({ kb_id: id }) => !isPresent(id),
  ),
  rejectSearcher('with-base-refused', 'is rejected with kb_id', ({ kb_id: id }) => isPresent(id)),
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
