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
    summary: 'There is no list of models.',
    breaks: ['OAI-MODELS-01'],
    patch: onReply(modelList, () => ({ status: 404, body: { error: { message: 'Not found' } } })),
  },
  {
    name: 'openai-models-empty',
    summary: 'The list of models is empty.',
    breaks: ['OAI-MODELS-01'],
    patch: setModels(() => []),
  },
  {
    name: 'openai-main-model-unlisted',
    summary: 'The list of models leaves the main model out.',
    breaks: ['OAI-MODELS-01'],
    patch: setModels((models) => models.filter(({ id }) => id === 'SVC-Vision')),
  },
  {
    name: 'openai-alias-unknown',
    summary: 'SVC-Main is no id of the main model.',
    breaks: ['OAI-MODELS-02'],
    patch: rejectRequests(completions, ({ model }) => model === 'SVC-Main', 404),
  },
  {
    name: 'openai-vision-model-unknown',
    summary: 'SVC-Vision is listed and unknown.',
    breaks: ['OAI-MODELS-03'],
    patch: rejectRequests(completions, ({ model }) => model === 'SVC-Vision', 404),
  },
  {
    name: 'openai-model-id-number',
    summary: 'One model of the list has a number for an id.',
    breaks: ['OAI-MODELS-04'],
    patch: setModels((models) => [
      ...models,
      { id: 7, object: 'model', description: 'The seventh' },
    ]),
  },
  {
    name: 'openai-model-description-by-language',
    summary: 'A description is an object of languages.',
    breaks: ['OAI-MODELS-04'],
    patch: setModels((models) =>
      models.map((entry) => ({ ...entry, description: { en: entry['id'] } })),
    ),
  },
  {
    name: 'openai-models-without-object',
    summary: 'The list of models does not call itself a list.',
    breaks: ['OAI-MODELS-05'],
    patch: setField(modelList, 'object', undefined),
  },
  {
    name: 'openai-models-by-name',
    summary: 'The entries have a name in place of an id.',
    breaks: ['OAI-MODELS-05'],
    patch: setModels((models) => models.map(({ id, ...entry }) => ({ ...entry, name: id }))),
  },
  {
    name: 'openai-model-by-id-another',
    summary: 'GET /models/{model} gives the first model of the list, whichever is asked for.',
    breaks: ['OAI-MODELS-06'],
    patch: setField(oneModel, 'id', 'SVC-Vision'),
  },
]
