import type { Patch } from '../../../../services.ts'
import { newChat } from '../../../../surfaces/chats.ts'
import { isText, toObject } from '../../../patches/json.ts'
import { alsoDo, onReply, onSuccess, onSuccessBody } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { oneShot } from '../../../patches/routes.ts'
import { faultTable } from '../../../table.ts'

export const oneShotAnswerFaults = faultTable({
  'V3-ONE-01': {
    'one-shot-wrapped: The response object of a one-shot is nested in response.': onSuccessBody(
      oneShot,
      (response) => ({ response }),
    ),
    'one-shot-text-alone: A one-shot returns an object with text instead of a response object.':
      onSuccessBody(oneShot, ({ output }) => ({ text: JSON.stringify(output) })),
    'one-shot-in-a-list: The response object of a one-shot is returned as the single element of an array.':
      onSuccessBody(oneShot, (response) => [response]),
    'one-shot-promised: A one-shot returns 202 with a job id.': onSuccess(oneShot, (reply) => ({
      ...reply,
      status: 202,
      body: { job: 'j-1' },
    })),
  },
  'V3-ONE-02': {
    'one-shot-stream-as-text: A one-shot stream has the Content-Type text/plain.': onReply(
      oneShot,
      (reply) =>
        'blocks' in reply ? { ...reply, headers: { 'content-type': 'text/plain' } } : reply,
    ),
    'one-shot-stream-201: A one-shot stream has the status 201.': onReply(oneShot, (reply) =>
      'blocks' in reply ? { ...reply, status: 201 } : reply,
    ),
  },
  'V3-ONE-03': {
    'one-shot-wants-a-key: A one-shot without Idempotency-Key is rejected.': rejectRequests(
      oneShot,
      (_, { headers }) => headers['idempotency-key'] === undefined,
    ),
  },
  'V3-ONE-09': {
    'one-shot-stored-by-its-words: A one-shot is stored as a chat named after its input.':
      storeAsChat((input) => input),
    'one-shot-stored-unnamed: A one-shot is stored as a chat with the default name.': storeAsChat(
      () => undefined,
    ),
  },
})

function storeAsChat(nameOf: (input: string) => string | undefined): Patch {
  return alsoDo(oneShot, async (services, { body, caller }, { status }) => {
    const input = toObject(body)['input']
    if (status >= 300 || !isText(input)) return
    const chat = newChat(services, caller, 'v3', nameOf(input))
    await services.store.chats.create(chat)
    await services.store.history.append(chat.id, {
      id: services.ids.tagged('resp'),
      parentId: null,
      createdAt: chat.createdAt,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }],
      output: [],
    })
  })
}
