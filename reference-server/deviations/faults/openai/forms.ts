/** Faults of the compatible surface in only one form, streaming or not. */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Patch } from '../../../services.ts'
import { isText, type Json, setAt, toList } from '../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions, mainAlias, visionModel } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'

export const openaiFormFaults: readonly Fault[] = [
  ...faultTable({
    'OAI-ERR-02': {
      'openai-streams-of-any-type: A streaming request with messages, max_tokens or stop of the wrong type is accepted.':
        {
          only: { form: ['stream'] },
          patch: inStreams((body) => ({
            ...body,
            messages: isText(body['messages'])
              ? [{ role: 'user', content: body['messages'] }]
              : body['messages'],
            max_tokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : null,
            stop: typeof body['stop'] === 'number' ? null : body['stop'],
          })),
        },
    },
    'OAI-TEMP-02': {
      'openai-streams-of-any-temperature: A streaming request with a temperature above 2 is accepted.':
        {
          only: { form: ['stream'] },
          patch: inStreams((body) =>
            setAt(body, 'temperature', (value: unknown) => (Number(value) > 2 ? 2 : value)),
          ),
        },
    },
    'OAI-MODELS-02': {
      'openai-streams-no-alias: A streaming request with the model id SVC-Main is rejected with 404.':
        {
          only: { form: ['stream'] },
          patch: rejectRequests(
            completions,
            ({ stream, model }) => stream === true && model === mainAlias,
            404,
          ),
        },
    },
    'OAI-STOP-02': {
      'openai-stop-list-refused: A non-streaming request with several stop sequences is rejected.':
        rejectRequests(
          completions,
          ({ stop, stream }) => Array.isArray(stop) && stop.length > 1 && stream !== true,
        ),
    },
    'OAI-STOP-01': {
      'openai-stop-text-refused: A non-streaming request with stop as a string is rejected.':
        rejectRequests(completions, ({ stop, stream }) => isText(stop) && stream !== true),
    },
  }),
  refuseStreams(
    'of-the-vision-model',
    'OAI-MODELS-03',
    'the model id SVC-Vision',
    ({ model }) => model === visionModel,
  ),
  refuseStreams('with-system-messages', 'OAI-CHAT-12', 'a system message', ({ messages }) =>
    toList(messages).some(({ role }) => role === 'system'),
  ),
  refuseStreams(
    'of-temperature-2',
    'OAI-TEMP-01',
    'a temperature of 2',
    ({ temperature }) => temperature === 2,
  ),
  refuseStreams(
    'with-top-p',
    'OAI-TOPP-01',
    'top_p below 1',
    ({ top_p: topP }) => Number(topP ?? 1) < 1,
  ),
]

function inStreams(change: (body: Json) => Json): Patch {
  return onRequestBody(completions, (body) => (body['stream'] === true ? change(body) : body))
}

function refuseStreams(
  name: string,
  requirement: RequirementId,
  what: string,
  when: (body: Json) => boolean,
): Fault {
  return {
    name: `openai-no-streams-${name}`,
    only: { form: ['stream'] },
    summary: `A streaming request with ${what} is rejected.`,
    breaks: [requirement],
    patch: rejectRequests(completions, (body) => body['stream'] === true && when(body)),
  }
}
