/** POST /api/v3/message/one-shot (section 4.3): an answer without a stored chat. */

import { oneShotAssistant } from '../../answering/assistant-context.ts'
import { ownFiles } from '../../answering/files.ts'
import { finalResponse } from '../../events/response-object.ts'
import { type Call, type Reply, type Route, route } from '../../http/call.ts'
import { type OneShotRequest, oneShotRequest } from '../../requests/index.ts'
import type { Services } from '../../services.ts'
import { knownModel } from '../ownership.ts'
import { responseShape, runStream } from '../shapes.ts'
import { inputItems, namedFiles, outputItems, turnsOf } from './conversation.ts'
import { beginAnswer, liveEvents } from './run.ts'

export function oneShotRoutes(services: Services): readonly Route[] {
  return [
    route('POST', '/api/v3/message/one-shot', {
      summary: 'Generate an answer without a stored chat',
      answer: { status: 200, body: responseShape, stream: runStream },
      body: oneShotRequest,
      handle: (call) => oneShot(services, call),
    }),
  ]
}

async function oneShot(services: Services, call: Call<OneShotRequest>): Promise<Reply> {
  const { body, caller } = call
  const { store } = services
  knownModel(body.model_id, 'model_id')
  const assistant = await oneShotAssistant(store.knowledge, caller, body)
  const items = [...earlierItems(body), ...inputItems(body.input ?? body.content ?? '')]
  const files = await ownFiles(store.attachments, caller, namedFiles(items), 'input')
  const { run, disruption } = await beginAnswer(services, body, {
    caller,
    turns: turnsOf(items, files),
    assistant,
    rag: body.rag ?? 'agent',
    previousRunId: null,
    stored: false,
  })
  const settled = services.runs.track(({ signal }) => run.decoding.all(signal))
  if (body.stream === true) {
    return { status: 200, disruption, blocks: liveEvents(services, run, settled, call.signal) }
  }
  await settled
  return { status: 200, disruption, body: finalResponse(run) }
}

/** Earlier inputs and outputs, oldest first, which the caller stores and sends with the request. */
function earlierItems({ runs }: OneShotRequest) {
  return (runs ?? []).flatMap(({ input, output }) => [
    ...inputItems(input ?? []),
    ...outputItems(output ?? []),
  ])
}
