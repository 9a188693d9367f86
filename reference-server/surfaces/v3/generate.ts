/** POST /api/v3/message/generate and one-shot (section 4.3): a run in a stored chat, and one without. */
import { hash } from 'node:crypto'
import { ownFiles } from '../../answering/answer.ts'
import { catalogAssistant, oneShotAssistant } from '../../answering/assistant-context.ts'
import { finalResponse } from '../../events/response-object.ts'
import type { ResponseRun } from '../../events/run.ts'
import { type Call, type Reply, type Route, route } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import {
  type GenerateRequest,
  generateRequest,
  type OneShotRequest,
  oneShotRequest,
} from '../../requests/native.ts'
import type { Services } from '../../services.ts'
import type { Store } from '../../store/sql/store.ts'
import type { IdempotencyScope, StoredRun } from '../../store/types.ts'
import { knownModel, ownChat } from '../ownership.ts'
import { responseShape, runStream } from '../shapes.ts'
import { chainTo, inputItems, namedFiles, outputItems, turnsOf } from './conversation.ts'
import { type Begun, beginAnswer, replay, runReply } from './run.ts'

const path = '/api/v3/message/generate'

export function generateRoutes(services: Services): readonly Route[] {
  return [
    route('POST', path, {
      summary: 'Generate a reply in a stored chat',
      answer: responseShape,
      stream: runStream,
      headers: { 'Idempotency-Key': 'Required: any string that is unique per user turn' },
      body: generateRequest,
      reply: (call) => generate(services, call),
    }),
    route('POST', '/api/v3/message/one-shot', {
      summary: 'Generate an answer without a stored chat',
      answer: responseShape,
      stream: runStream,
      body: oneShotRequest,
      reply: (call) => oneShot(services, call),
    }),
  ]
}

async function oneShot(services: Services, call: Call<OneShotRequest>): Promise<Reply> {
  const { body, caller } = call
  const { store } = services
  knownModel(body.model_id, 'model_id')
  const assistant = await oneShotAssistant(store.knowledge, caller, body)
  // Earlier inputs and outputs, oldest first, which the caller stores and sends with the request.
  const earlier = (body.runs ?? []).flatMap(({ input, output }) => [
    ...inputItems(input ?? []),
    ...outputItems(output ?? []),
  ])
  const items = [...earlier, ...inputItems(body.input ?? body.content ?? '')]
  const files = await ownFiles(store.attachments, caller, namedFiles(items), 'input')
  const begun = await beginAnswer(services, body, {
    caller,
    turns: turnsOf(items, files),
    assistant,
    rag: body.rag ?? 'agent',
    previousRunId: null,
    stored: false,
  })
  const settled = services.runs.track(({ signal }) => begun.run.decoding.all(signal))
  return runReply(services, call, begun, settled)
}

/** An admitted turn, which only the model can still refuse. */
type Admitted = Awaited<ReturnType<typeof admit>>

/** All checks come before the key is claimed, so that a refused request can be corrected. */
async function generate(services: Services, call: Call<GenerateRequest>): Promise<Reply> {
  const { body } = call
  const { store, clock } = services
  const admitted = await admit(services, call)
  const earlier = await earlierRun(store.idempotency, admitted.scope, body, clock.now())
  if (earlier !== undefined) return replay(services, earlier, body.stream === true)
  const begun = await begin(services, body, admitted)
  const settled = services.runs.track(({ signal }) =>
    perform(services, begun.run, admitted, signal),
  )
  return runReply(services, call, begun, settled)
}

async function admit({ store }: Services, { body, caller, headers }: Call<GenerateRequest>) {
  const scope: IdempotencyScope = { owner: caller, endpoint: path, key: idempotencyKey(headers) }
  const chat = await ownChat(store.chats, caller, body.chat_id, 'v3')
  knownModel(body.model_id, 'model_id')
  const assistant = catalogAssistant(body.assistant_id)
  const chain = chainTo(await store.history.runs(chat.id), body.parent_id)
  const input = inputItems(body.input)
  const items = [...chain.flatMap((run) => [...run.input, ...run.output]), ...input]
  const files = await ownFiles(store.attachments, caller, namedFiles(items), 'input')
  return { scope, chat, assistant, chain, input, turns: turnsOf(items, files) }
}

/** Frees the key of a turn if the work fails, so that the turn can be sent again. */
async function releasing<T>(
  { store }: Services,
  scope: IdempotencyScope,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await store.idempotency.release(scope)
    throw error
  }
}

function begin(
  services: Services,
  body: GenerateRequest,
  { scope, assistant, chain, turns }: Admitted,
): Promise<Begun> {
  return releasing(services, scope, () =>
    beginAnswer(services, body, {
      caller: scope.owner,
      turns,
      assistant,
      rag: body.rag ?? false,
      previousRunId: body.parent_id == null ? null : (chain.at(-1)?.id ?? null),
      stored: true,
    }),
  )
}

/**
 * A run continues to its end even if the client disconnects, and is then stored atomically, so that the history
 * contains a whole turn or nothing. Only a server shutdown interrupts it.
 */
function perform(
  services: Services,
  run: ResponseRun,
  { scope, chat, input, chain }: Admitted,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock } = services
  return releasing(services, scope, async () => {
    await run.decoding.all(signal)
    for (const id of namedFiles(input)) await store.attachments.link(chat.id, id)
    const { output } = finalResponse(run)
    const parentId = chain.at(-1)?.id ?? null
    const stored: StoredRun = { id: run.id, parentId, createdAt: run.startedAt, input, output }
    // Last, because from here on a repeat gets this answer and the turn must be complete.
    await store.history.append(chat.id, stored, { scope, run, updatedAt: clock.now() })
    await store.idempotency.finish(scope, run)
  })
}

/**
 * Bare or quoted, 1 to 255 printable characters.
 *
 * @throws ApiError 400 for a missing or invalid header
 */
function idempotencyKey({ 'idempotency-key': given }: Call['headers']): string {
  if (typeof given !== 'string' || given.trim() === '') {
    throw refused('The header Idempotency-Key is required', 'idempotency_key_missing')
  }
  const key = given.trim().replace(/^"(.*)"$/, '$1')
  if (/^[\x20-\x7e\x80-\xff]{1,255}$/.test(key)) return key
  const message = 'Idempotency-Key must have 1 to 255 printable characters'
  throw refused(message, 'idempotency_key_invalid')
}

function refused(message: string, code: string): ApiError {
  return new ApiError(400, message, code, 'Idempotency-Key')
}

/**
 * Claims the key, or returns the run that it identifies.
 *
 * @returns undefined if the key was claimed
 * @throws ApiError 409 while the first request runs; 422 for another payload
 */
async function earlierRun(
  idempotency: Store['idempotency'],
  scope: IdempotencyScope,
  payload: unknown,
  now: number,
): Promise<ResponseRun | undefined> {
  // Of the JSON value, not of its bytes: the order of fields does not matter.
  const fingerprint = hash('sha256', canonical(payload), 'base64url')
  const reservation = await idempotency.reserve(scope, fingerprint, now)
  if (reservation.state === 'first') return undefined
  if (reservation.state === 'finished') return reservation.run
  if (reservation.state === 'running') {
    const message = 'The request with this Idempotency-Key is still running'
    const headers = { 'retry-after': '1' }
    throw new ApiError(409, message, 'idempotency_key_in_use', null, headers)
  }
  const message = 'This Idempotency-Key was used with another payload'
  throw new ApiError(422, message, 'idempotency_key_reused')
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value))
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}
