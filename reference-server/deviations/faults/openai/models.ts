/** Faults of the models and their list (sections 2.1 and 4.1). */

import { type Json, toList } from '../../patches/json.ts'
import { onReply, setFields } from '../../patches/replies.ts'
import { rejectRequests } from '../../patches/requests.ts'
import { completions, modelList, oneModel } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'

const setModels = (to: (models: readonly Json[]) => unknown) =>
  setFields(modelList, { data: (data: unknown) => to(toList(data)) })

export const openaiModelFaults = faultTable({
  'OAI-MODELS-01': {
    'openai-models-missing: GET /models returns 404.': onReply(modelList, () => ({
      status: 404,
      body: { error: { message: 'Not found' } },
    })),
    'openai-models-empty: GET /models returns an empty list.': setModels(() => []),
    'openai-main-model-unlisted: GET /models omits the main model.': setModels((models) =>
      models.filter(({ id }) => id === 'SVC-Vision'),
    ),
    'openai-vision-model-unlisted: GET /models omits the vision model.': setModels((models) =>
      models.filter(({ id }) => id !== 'SVC-Vision'),
    ),
  },
  'OAI-MODELS-02': {
    'openai-alias-unknown: The model id SVC-Main is rejected with 404.': rejectRequests(
      completions,
      ({ model }) => model === 'SVC-Main',
      404,
    ),
  },
  'OAI-MODELS-03': {
    'openai-vision-model-unknown: SVC-Vision is listed but rejected with 404.': rejectRequests(
      completions,
      ({ model }) => model === 'SVC-Vision',
      404,
    ),
  },
  'OAI-MODELS-04': {
    'openai-model-id-number: One entry of the model list has a number as id.': setModels(
      (models) => [...models, { id: 7, object: 'model', description: 'The seventh' }],
    ),
    'openai-model-description-by-language: The description of a model is an object keyed by language.':
      setModels((models) =>
        models.map((entry) => ({ ...entry, description: { en: entry['id'] } })),
      ),
  },
  'OAI-MODELS-05': {
    'openai-models-without-object: The model list omits object.': setFields(modelList, {
      object: undefined,
    }),
    'openai-models-by-name: The entries of the model list have name instead of id.': setModels(
      (models) => models.map(({ id, ...entry }) => ({ ...entry, name: id })),
    ),
  },
  'OAI-MODELS-06': {
    'openai-model-by-id-another: GET /models/{model} always returns an entry with the id SVC-Vision.':
      setFields(oneModel, { id: 'SVC-Vision' }),
    'openai-model-by-id-the-main-model: GET /models/{model} always returns the main model.':
      setFields(oneModel, { id: 'svc-main-model' }),
  },
})
