/** Faults of one-shots (section 4.3). */

import { isUuid } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import { newChat } from '../../../surfaces/chats.ts'
import { isPresent, isText, type Json, setAt, toObject } from '../../patches/json.ts'
import { alsoDo, onSuccessBody } from '../../patches/replies.ts'
import { mendField, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { oneShot } from '../../patches/routes.ts'
import { perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const oneShotFaults = faultTable({
  'V3-ONE-01 one-shot-wrapped: The response object of a one-shot is nested in response.':
    onSuccessBody(oneShot, (response) => ({ response })),
  'V3-ONE-03 one-shot-wants-a-key: A one-shot without Idempotency-Key is rejected.': rejectRequests(
    oneShot,
    (_, { headers }) => headers['idempotency-key'] === undefined,
  ),
  'V3-ONE-09 one-shot-streams-store-a-chat: A streaming one-shot is stored as a chat.': alsoDo(
    oneShot,
    async (services, { body, caller }, { status }) => {
      const { stream, input = '' } = toObject(body)
      if (status >= 300 || stream !== true) return
      await services.store.chats.create(newChat(services, caller, 'v3', JSON.stringify(input)))
    },
  ),
  'V3-ONE-04 one-shot-content-ignored: A one-shot ignores the text of content.': onRequestBody(
    oneShot,
    (body) => (isText(body['content']) ? { ...body, content: 'Hello.' } : body),
  ),
  'V3-ONE-05 one-shot-runs-input-alone: A one-shot ignores the output of its runs.': onRequestBody(
    oneShot,
    (body) => setAt(body, 'runs.*.output', undefined),
  ),
  'V3-ONE-12 one-shot-base-of-any-type: A one-shot with kb_id of the wrong type is accepted.':
    mendField(oneShot, 'kb_id', isText),
  'V3-ONE-06 one-shot-null-refused: A one-shot with assistant_id: null is rejected.':
    rejectRequests(oneShot, ({ assistant_id: id }) => id === null),
  'V3-ONE-07 one-shot-searcher-finds-nothing: assistant_id: searcher is treated as null.':
    onRequestBody(oneShot, (body) =>
      body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body,
    ),
  'V3-ONE-07 one-shot-searcher-without-base-refused: assistant_id: searcher is rejected without kb_id.':
    rejectSearcher(({ kb_id: id }) => !isPresent(id)),
  'V3-ONE-08 RAG-07 one-shot-assistant-refused: A one-shot with the UUID of an assistant is rejected.':
    rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
  'V3-ONE-11 one-shot-remembers: The inputs of previous one-shots are passed to the model.':
    perServer(() => {
      const earlierInputs: unknown[] = []
      return onRequestBody(oneShot, (body) => {
        const before = earlierInputs.map((input, at) => ({ id: `run-${at}`, input }))
        if (isText(body['input'])) earlierInputs.push(body['input'])
        return isPresent(body['runs']) ? body : { ...body, runs: before }
      })
    }),
})
function rejectSearcher(when: (body: Json) => boolean): Patch {
  return rejectRequests(oneShot, (body) => body['assistant_id'] === 'searcher' && when(body))
}
