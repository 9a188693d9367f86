/** POST /api/v2/message and /api/v2/message/generate (section 4.2): a user message is stored, then answered. */
import { answer, ownFiles, uploadedTurn } from '../answering/answer.ts'
import { assistantOrInstructions } from '../answering/assistant-context.ts'
import { type Call, type Reply, type Route, route } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { textOf } from '../model/generation.ts'
import { allowedTools } from '../model/tools/tools.ts'
import type { Generation, Turn } from '../model/types.ts'
import {
  type GenerateReplyRequest,
  generateReplyRequest,
  type StoreMessageRequest,
  storeMessageRequest,
} from '../requests/native.ts'
import { beginDecoding } from '../runtime/decoding.ts'
import type { Services } from '../services.ts'
import type { Message } from '../store/types.ts'
import { knownModel, ownChat, ownMessage, throwFailure } from './ownership.ts'
import { messageRecord, messageShape, replyShape } from './shapes.ts'

export function messageRoutes(services: Services): readonly Route[] {
  return [
    route('POST', '/api/v2/message', {
      summary: 'Store a user message',
      status: 201,
      answer: messageShape,
      body: storeMessageRequest,
      handle: (call) => storeMessage(services, call),
    }),
    route('POST', '/api/v2/message/generate', {
      summary: 'Generate the reply to a stored message',
      answer: replyShape,
      body: generateReplyRequest,
      reply: (call) => generate(services, call),
    }),
  ]
}

async function storeMessage(
  { clock, ids, store }: Services,
  { body, caller }: Call<StoreMessageRequest>,
) {
  const chat = await ownChat(store.chats, caller, body.chat_id, 'v2')
  knownModel(body.model_id, 'model_id')
  assistantOrInstructions(body.assistant_id)
  const parentId = body.parent_id ?? null
  if (parentId !== null) await ownMessage(store.messages, chat.id, parentId)
  const attached = (body.attachments ?? []).map(({ id }) => id)
  const files = await ownFiles(store.attachments, caller, attached, 'attachments')
  const { content, model_id: modelId, assistant_id: assistantId = null } = body
  const message: Message = {
    ...{ id: ids.uuid(), chatId: chat.id, modelId, role: 'user', content, createdAt: clock.now() },
    ...{ parentId, assistantId, think: body.think ?? false, rag: body.rag ?? false },
    attachmentIds: [...files.keys()],
  }
  await store.messages.append(message)
  for (const id of files.keys()) await store.attachments.link(chat.id, id)
  return messageRecord(message, [...files.values()])
}

async function generate(services: Services, call: Call<GenerateReplyRequest>): Promise<Reply> {
  const { body, caller } = call
  const { store } = services
  const chat = await ownChat(store.chats, caller, body.chat_id, 'v2')
  knownModel(body.model_id, 'model_id')
  const parent = await ownMessage(store.messages, chat.id, body.parent_id)
  if (parent.role !== 'user') {
    const message = 'Only a user message can be answered'
    throw new ApiError(400, message, 'not_a_user_message', 'parent_id')
  }
  const generation = await answer(services, {
    caller,
    model: body.model_id,
    turns: await conversation(services, caller, parent),
    assistant: assistantOrInstructions(parent.assistantId),
    rag: parent.rag,
    think: parent.think,
    tools: allowedTools(body),
    maxTokens: Number.POSITIVE_INFINITY,
  })
  const reply = await services.runs.track(({ signal }) =>
    spoken(services, parent, body.model_id, generation, signal),
  )
  const message = { ...messageRecord(reply), ...beyondTheText(generation) }
  return { status: 200, disruption: generation.disruption, body: { message } }
}

/** Section 1: the chain of stored `parent_id` values is the context of the model. */
async function conversation(
  { store }: Services,
  caller: string,
  parent: Message,
): Promise<readonly Turn[]> {
  const chain = await store.messages.chain(parent.chatId, parent.id)
  const named = chain.flatMap(({ attachmentIds }) => attachmentIds)
  const files = await ownFiles(store.attachments, caller, named, 'attachments')
  return chain.flatMap(({ role, content, attachmentIds }) => [
    ...attachmentIds.flatMap((id) => files.get(id) ?? []).map(uploadedTurn),
    { role, text: content },
  ])
}

/** Stored when it is complete, even if the client has disconnected; a failed reply is not stored. */
async function spoken(
  services: Services,
  parent: Message,
  modelId: string,
  generation: Generation,
  signal: AbortSignal,
): Promise<Message> {
  const { clock, ids, store } = services
  await beginDecoding(services, generation).decoding.all(signal)
  throwFailure(generation.failure)
  const { steps } = generation
  const reply: Message = {
    ...parent,
    id: ids.uuid(),
    modelId,
    role: 'assistant',
    content: `${textOf(steps, 'message') ?? ''}${textOf(steps, 'refusal') ?? ''}`,
    createdAt: clock.now(),
    parentId: parent.id,
    attachmentIds: [],
  }
  await store.messages.append(reply)
  return reply
}

function beyondTheText(generation: Generation): object {
  const { steps } = generation
  const { input, output } = generation.tokens
  return {
    reasoning: textOf(steps, 'reasoning') || null,
    tool_calls: steps
      .filter((step) => step.type === 'function_call')
      .map((step) => ({ name: step.name, arguments: step.fragments.join('') })),
    sources: steps
      .flatMap((step) => (step.type === 'message' ? step.citations : []))
      .map(({ fileId, filename }) => ({ file_id: fileId, filename })),
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  }
}
