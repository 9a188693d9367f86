/** Faults of the compatible surface in only one form, streaming or not. */
import type { Patch } from '../../../services.ts'
import { isText, type Json, setAt } from '../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions, mainAlias } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

export const openaiFormFaults: readonly Fault[] = [
  {
    name: 'openai-streams-of-any-type',
    only: { form: ['stream'] },
    summary: 'A streaming request with messages, max_tokens or stop of the wrong type is accepted.',
    breaks: ['OAI-ERR-02'],
    patch: inStreams((body) => ({
      ...body,
      messages: isText(body['messages'])
        ? [{ role: 'user', content: body['messages'] }]
        : body['messages'],
      max_tokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : null,
      stop: typeof body['stop'] === 'number' ? null : body['stop'],
    })),
  },
  {
    name: 'openai-streams-of-any-temperature',
    only: { form: ['stream'] },
    summary: 'A streaming request with a temperature above 2 is accepted.',
    breaks: ['OAI-TEMP-02'],
    patch: inStreams((body) =>
      setAt(body, 'temperature', (value: unknown) => (Number(value) > 2 ? 2 : value)),
    ),
  },
  {
    name: 'openai-streams-no-alias',
    only: { form: ['stream'] },
    summary: 'A streaming request with the model id SVC-Main is rejected with 404.',
    breaks: ['OAI-MODELS-02'],
    patch: rejectRequests(
      completions,
      ({ stream, model }) => stream === true && model === mainAlias,
      404,
    ),
  },
  {
    name: 'openai-stop-list-refused',
    summary: 'A non-streaming request with several stop sequences is rejected.',
    breaks: ['OAI-STOP-02'],
    patch: rejectRequests(
      completions,
      ({ stop, stream }) => Array.isArray(stop) && stop.length > 1 && stream !== true,
    ),
  },
  {
    name: 'openai-stop-text-refused',
    summary: 'A non-streaming request with stop as a string is rejected.',
    breaks: ['OAI-STOP-01'],
    patch: rejectRequests(completions, ({ stop, stream }) => isText(stop) && stream !== true),
  },
]

function inStreams(change: (body: Json) => Json): Patch {
  return onRequestBody(completions, (body) => (body['stream'] === true ? change(body) : body))
}
