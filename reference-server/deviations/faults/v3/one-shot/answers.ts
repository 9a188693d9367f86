/** Faults of the response of one-shots, and of chats that they store (section 4.3). */
import type { RequirementId } from '../../../../../contract/index.ts'
import type { SseBlock } from '../../../../events/sse.ts'
import type { ValueReply } from '../../../../http/call.ts'
import { newChat } from '../../../../surfaces/chats.ts'
import { isText, toObject } from '../../../patches/json.ts'
import { alsoDo, onReply, onSuccess, onSuccessBody } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { oneShot } from '../../../patches/routes.ts'
import type { Fault } from '../../../types.ts'

export const oneShotAnswerFaults: readonly Fault[] = [
  {
    name: 'one-shot-wrapped',
    summary: 'The response object of a one-shot is nested in response.',
    breaks: ['V3-ONE-01'],
    patch: onSuccessBody(oneShot, (response) => ({ response })),
  },
  {
    name: 'one-shot-text-alone',
    summary: 'A one-shot returns an object with text instead of a response object.',
    breaks: ['V3-ONE-01'],
    patch: onSuccessBody(oneShot, ({ output }) => ({ text: JSON.stringify(output) })),
  },
  {
    name: 'one-shot-in-a-list',
    summary: 'The response object of a one-shot is returned as the single element of an array.',
    breaks: ['V3-ONE-01'],
    patch: onSuccessBody(oneShot, (response) => [response]),
  },
  {
    name: 'one-shot-promised',
    summary: 'A one-shot returns 202 with a job id.',
    breaks: ['V3-ONE-01'],
    patch: onSuccess(oneShot, (reply) => ({ ...reply, status: 202, body: { job: 'j-1' } })),
  },
  {
    name: 'one-shot-always-streamed',
    summary: 'A one-shot with stream: false returns a stream.',
    breaks: ['V3-ONE-01'],
    patch: onSuccess(oneShot, (reply) => ({ status: 200, blocks: twoEvents(reply) })),
  },
  {
    name: 'one-shot-never-streamed',
    summary: 'A one-shot with stream: true returns a non-streaming response.',
    breaks: ['V3-ONE-02'],
    patch: onRequestBody(oneShot, (body) =>
      body['stream'] === true ? { ...body, stream: false } : body,
    ),
  },
  {
    name: 'one-shot-stream-refused',
    summary: 'A one-shot with stream: true is rejected.',
    breaks: ['V3-ONE-02'],
    patch: rejectRequests(oneShot, ({ stream }) => stream === true),
  },
  {
    name: 'one-shot-stream-as-text',
    summary: 'A one-shot stream has the Content-Type text/plain.',
    breaks: ['V3-ONE-02'],
    patch: onReply(oneShot, (reply) =>
      'blocks' in reply ? { ...reply, headers: { 'content-type': 'text/plain' } } : reply,
    ),
  },
  {
    name: 'one-shot-stream-201',
    summary: 'A one-shot stream has the status 201.',
    breaks: ['V3-ONE-02'],
    patch: onReply(oneShot, (reply) => ('blocks' in reply ? { ...reply, status: 201 } : reply)),
  },
  {
    name: 'one-shot-wants-a-key',
    summary: 'A one-shot without Idempotency-Key is rejected.',
    breaks: ['V3-ONE-03'],
    patch: rejectRequests(oneShot, (_, { headers }) => headers['idempotency-key'] === undefined),
  },
  storeAsChat('by-its-words', 'is stored as a chat named after its input', (input) => input),
  storeAsChat('unnamed', 'is stored as a chat with the default name', () => undefined),
]

async function* twoEvents({ body: response }: ValueReply): AsyncGenerator<SseBlock> {
  for (const type of ['response.created', 'response.completed']) {
    yield { event: type, data: { type, response } }
  }
}

function storeAsChat(
  name: string,
  what: string,
  nameOf: (input: string) => string | undefined,
): Fault {
  const requirement: RequirementId = 'V3-ONE-09'
  return {
    name: `one-shot-stored-${name}`,
    summary: `A one-shot ${what}.`,
    breaks: [requirement],
    patch: alsoDo(oneShot, async (services, { body, caller }, { status }) => {
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
    }),
  }
}
