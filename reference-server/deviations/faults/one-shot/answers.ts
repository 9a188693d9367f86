/** Faults of what a one-shot answers, and of what it leaves behind (section 4.3). */
import type { RequirementId } from '../../../../contract/index.ts'
import type { SseBlock } from '../../../events/sse.ts'
import type { ValueReply } from '../../../http/call.ts'
import { newChat } from '../../../surfaces/chat-record.ts'
import { alsoDo, isText, oneShot } from '../../native.ts'
import { toObject, onSuccessBody, onReply, onRequestBody, onSuccess, rejectRequests } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

export const oneShotAnswerFaults: readonly Fault[] = [
  fault(
    'one-shot-wrapped',
    'V3-ONE-01',
    'The response of a one-shot stands in a member of the answer.',
    onSuccessBody(oneShot, (response) => ({ response })),
  ),
  fault(
    'one-shot-text-alone',
    'V3-ONE-01',
    'A one-shot is answered with its text, not with a response.',
    onSuccessBody(oneShot, ({ output }) => ({ text: JSON.stringify(output) })),
  ),
  fault(
    'one-shot-in-a-list',
    'V3-ONE-01',
    'A one-shot is answered with a list of one response.',
    onSuccessBody(oneShot, (response) => [response]),
  ),
  fault(
    'one-shot-promised',
    'V3-ONE-01',
    'A one-shot is answered with 202 and the id of a job.',
    onSuccess(oneShot, (reply) => ({ ...reply, status: 202, body: { job: 'j-1' } })),
  ),
  fault(
    'one-shot-always-streamed',
    'V3-ONE-01',
    'A one-shot with stream: false is answered with a stream of events.',
    onSuccess(oneShot, (reply) => ({ status: 200, blocks: twoEvents(reply) })),
  ),
  fault(
    'one-shot-never-streamed',
    'V3-ONE-02',
    'A one-shot with stream: true is answered with one JSON body.',
    onRequestBody(oneShot, (body) => (body['stream'] === true ? { ...body, stream: false } : body)),
  ),
  fault(
    'one-shot-stream-refused',
    'V3-ONE-02',
    'A one-shot with stream: true is refused.',
    rejectRequests(oneShot, ({ stream }) => stream === true),
  ),
  fault(
    'one-shot-stream-as-text',
    'V3-ONE-02',
    'The stream of a one-shot has the media type text/plain.',
    onReply(oneShot, (reply) =>
      'blocks' in reply ? { ...reply, headers: { 'content-type': 'text/plain' } } : reply,
    ),
  ),
  fault(
    'one-shot-stream-201',
    'V3-ONE-02',
    'The stream of a one-shot has the status 201.',
    onReply(oneShot, (reply) => ('blocks' in reply ? { ...reply, status: 201 } : reply)),
  ),
  fault(
    'one-shot-wants-a-key',
    'V3-ONE-03',
    'A one-shot without Idempotency-Key is refused.',
    rejectRequests(oneShot, (_, { headers }) => headers['idempotency-key'] === undefined),
  ),
  stores('by-its-words', 'is kept as a chat that is called by its words', (input) => input),
  stores('unnamed', 'is kept as a chat without a name of its own', () => undefined),
]

async function* twoEvents({ body: response }: ValueReply): AsyncGenerator<SseBlock> {
  for (const type of ['response.created', 'response.completed']) {
    yield { event: type, data: { type, response } }
  }
}

function stores(name: string, what: string, nameOf: (input: string) => string | undefined): Fault {
  const row: RequirementId = 'V3-ONE-09'
  return fault(
    `one-shot-stored-${name}`,
    row,
    `A one-shot ${what}.`,
    alsoDo(oneShot, async (parts, { body, caller }, { status }) => {
      const input = toObject(body)['input']
      if (status >= 300 || !isText(input)) return
      const chat = newChat(parts, caller, 'v3', nameOf(input))
      await parts.store.chats.create(chat)
      await parts.store.history.append(chat.id, {
        id: parts.ids.tagged('resp'),
        parentId: null,
        createdAt: chat.createdAt,
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }],
        output: [],
      })
    }),
  )
}
