/** Faults of the models and their list (sections 2.1 and 4.1). */
import {
  completions,
  type Json,
  toList,
  modelList,
  oneModel,
  onReply,
  rejectRequests,
  setField,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const lists = (to: (models: readonly Json[]) => unknown) =>
  setField(modelList, 'data', (data: unknown) => to(toList(data)))

export const openaiModelFaults: readonly Fault[] = [
  fault(
    'openai-models-missing',
    'OAI-MODELS-01',
    'There is no list of models.',
    onReply(modelList, () => ({ status: 404, body: { error: { message: 'Not found' } } })),
  ),
  fault(
    'openai-models-empty',
    'OAI-MODELS-01',
    'The list of models is empty.',
    lists(() => []),
  ),
  fault(
    'openai-main-model-unlisted',
    'OAI-MODELS-01',
    'The list of models leaves the main model out.',
    lists((models) => models.filter(({ id }) => id === 'SVC-Vision')),
  ),
  fault(
    'openai-alias-unknown',
    'OAI-MODELS-02',
    'SVC-Main is no id of the main model.',
    rejectRequests(completions, ({ model }) => model === 'SVC-Main', 404),
  ),
  fault(
    'openai-vision-model-unknown',
    'OAI-MODELS-03',
    'SVC-Vision is listed and unknown.',
    rejectRequests(completions, ({ model }) => model === 'SVC-Vision', 404),
  ),
  fault(
    'openai-model-id-number',
    'OAI-MODELS-04',
    'One model of the list has a number for an id.',
    lists((models) => [...models, { id: 7, object: 'model', description: 'The seventh' }]),
  ),
  fault(
    'openai-model-description-by-language',
    'OAI-MODELS-04',
    'A description is an object of languages.',
    lists((models) => models.map((entry) => ({ ...entry, description: { en: entry['id'] } }))),
  ),
  fault(
    'openai-models-without-object',
    'OAI-MODELS-05',
    'The list of models does not call itself a list.',
    setField(modelList, 'object', undefined),
  ),
  fault(
    'openai-models-by-name',
    'OAI-MODELS-05',
    'The entries have a name in place of an id.',
    lists((models) => models.map(({ id, ...entry }) => ({ ...entry, name: id }))),
  ),
  fault(
    'openai-model-by-id-another',
    'OAI-MODELS-06',
    'GET /models/{model} gives the first model of the list, whichever is asked for.',
    setField(oneModel, 'id', 'SVC-Vision'),
  ),
]
