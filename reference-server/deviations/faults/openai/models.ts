/** Faults of the models and their list (sections 2.1 and 4.1). */

import { type Json, toList } from '../../patches/json.ts'
import { onReply, setField } from '../../patches/replies.ts'
import { rejectRequests } from '../../patches/requests.ts'
import { completions, modelList, oneModel } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

const setModels = (to: (models: readonly Json[]) => unknown) =>
  setField(modelList, 'data', (data: unknown) => to(toList(data)))

export const openaiModelFaults: readonly Fault[] = [
  {
    name: 'openai-models-missing',
    summary: 'GET /models returns 404.',
    breaks: ['OAI-MODELS-01'],
    patch: onReply(modelList, () => ({ status: 404, body: { error: { message: 'Not found' } } })),
  },
  {
    name: 'openai-models-empty',
    summary: 'GET /models returns an empty list.',
    breaks: ['OAI-MODELS-01'],
    patch: setModels(() => []),
  },
  {
    name: 'openai-main-model-unlisted',
    summary: 'GET /models omits the main model.',
    breaks: ['OAI-MODELS-01'],
    patch: setModels((models) => models.filter(({ id }) => id === 'SVC-Vision')),
  },
  {
    name: 'openai-vision-model-unlisted',
    summary: 'GET /models omits the vision model.',
    breaks: ['OAI-MODELS-01'],
    patch: setModels((models) => models.filter(({ id }) => id !== 'SVC-Vision')),
  },
  {
    name: 'openai-alias-unknown',
    summary: 'The model id SVC-Main is rejected with 404.',
    breaks: ['OAI-MODELS-02'],
    patch: rejectRequests(completions, ({ model }) => model === 'SVC-Main', 404),
  },
  {
    name: 'openai-vision-model-unknown',
    summary: 'SVC-Vision is listed but rejected with 404.',
    breaks: ['OAI-MODELS-03'],
    patch: rejectRequests(completions, ({ model }) => model === 'SVC-Vision', 404),
  },
  {
    name: 'openai-model-id-number',
    summary: 'One entry of the model list has a number as id.',
    breaks: ['OAI-MODELS-04'],
    patch: setModels((models) => [
      ...models,
      { id: 7, object: 'model', description: 'The seventh' },
    ]),
  },
  {
    name: 'openai-model-description-by-language',
    summary: 'The description of a model is an object keyed by language.',
    breaks: ['OAI-MODELS-04'],
    patch: setModels((models) =>
      models.map((entry) => ({ ...entry, description: { en: entry['id'] } })),
    ),
  },
  {
    name: 'openai-models-without-object',
    summary: 'The model list omits object.',
    breaks: ['OAI-MODELS-05'],
    patch: setField(modelList, 'object', undefined),
  },
  {
    name: 'openai-models-by-name',
    summary: 'The entries of the model list have name instead of id.',
    breaks: ['OAI-MODELS-05'],
    patch: setModels((models) => models.map(({ id, ...entry }) => ({ ...entry, name: id }))),
  },
  {
    name: 'openai-model-by-id-another',
    summary: 'GET /models/{model} always returns an entry with the id SVC-Vision.',
    breaks: ['OAI-MODELS-06'],
    patch: setField(oneModel, 'id', 'SVC-Vision'),
  },
  {
    name: 'openai-model-by-id-the-main-model',
    summary: 'GET /models/{model} always returns the main model.',
    breaks: ['OAI-MODELS-06'],
    patch: setField(oneModel, 'id', 'svc-main-model'),
  },
]
