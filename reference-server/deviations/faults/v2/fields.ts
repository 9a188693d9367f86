/** Faults of what a v2 message takes and what it refuses (section 4.2). */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Refit } from '../../../parts.ts'
import { newChat } from '../../../surfaces/chat-record.ts'
import {
  answering,
  isObject,
  isText,
  isThere,
  mainModel,
  message,
  onStore,
  unwraps,
} from '../../native.ts'
import { onRefusal, onSent, overlooks, type Place, refusesRequests } from '../../seams.ts'
import type { Fault } from '../../types.ts'

const isYesOrNo = (value: unknown) => value === undefined || typeof value === 'boolean'

export const fieldFaults: readonly Fault[] = [
  {
    name: 'v2-message-needs-think',
    summary: 'A message without think is refused.',
    breaks: ['V2-MSG-01'],
    refit: refusesRequests(message, ({ think }) => think === undefined),
  },
  {
    name: 'v2-message-not-stored',
    summary: 'A message is answered as if it were stored, and forgotten.',
    breaks: ['V2-MSG-11', 'V2-GEN-01'],
    refit: onStore('messages', () => ({ append: async () => {} })),
  },
  missing('chat', inAChatOfItsOwn),
  missing('content', overlooks(message, 'content', isThere, 'Hello.')),
  missing('model', overlooks(message, 'model_id', isThere, mainModel)),
  wrong('chat', unwraps(message, 'chat_id', 'id')),
  wrong('content', unwraps(message, 'content', 'text')),
  wrong('model', overlooks(message, 'model_id', orMissing(isText), mainModel)),
  wrong('parent', overlooks(message, 'parent_id', isText)),
  wrong('think', overlooks(message, 'think', isYesOrNo)),
  wrong(
    'rag',
    overlooks(message, 'rag', (rag) => isText(rag) || isYesOrNo(rag)),
  ),
  wrong('attachments', overlooks(message, 'attachments', Array.isArray)),
  wrong('assistant', overlooks(message, 'assistant_id', orMissing(isText))),
  {
    name: 'v2-message-attachments-of-anything',
    summary: 'A message is stored though its attachments are an array of no objects.',
    breaks: ['V2-MSG-09'],
    refit: overlooks(message, 'attachments', isNoListOfOthers),
  },
  refused('assistant', 'V2-MSG-10', 'the UUID of an assistant', ({ assistant_id: id }) =>
    /^[\da-f-]{36}$/.test(String(id)),
  ),
  refused(
    'instructions',
    'V2-MSG-10',
    'the identifier of instructions',
    ({ assistant_id: id }) => isText(id) && !/^[\da-f-]{36}$/.test(id),
  ),
  refused('parent', 'V2-MSG-11', 'a parent', ({ parent_id }) => isThere(parent_id)),
  refused('think-on', 'V2-MSG-12', 'think: true', ({ think }) => think === true),
  refused('think-off', 'V2-MSG-12', 'think: false', ({ think }) => think === false),
  refused('rag-on', 'V2-MSG-13', 'rag: true', ({ rag }) => rag === true),
  refused('rag-off', 'V2-MSG-13', 'rag: false', ({ rag }) => rag === false),
  refused('rag-agent', 'V2-MSG-13', 'rag: agent', ({ rag }) => rag === 'agent'),
  refused('attachments', 'V2-MSG-14', 'attachments', ({ attachments }) => isThere(attachments)),
  {
    name: 'v2-message-refused-500',
    summary: 'What cannot be read in a v2 message is answered with a 500.',
    breaks: ['V2-MSG-15'],
    refit: failsOver400(message),
  },
  {
    name: 'v2-reply-refused-500',
    summary: 'What cannot be read in a v2 generation is answered with a 500.',
    breaks: ['V2-MSG-15'],
    refit: failsOver400(answering),
  },
]

function isNoListOfOthers(value: unknown): boolean {
  return !Array.isArray(value) || value.every(isObject)
}

function missing(what: string, refit: Refit): Fault {
  return {
    name: `v2-message-needs-no-${what}`,
    summary: `A message is stored without ${what}.`,
    breaks: ['V2-MSG-08'],
    refit,
  }
}

function wrong(what: string, refit: Refit): Fault {
  return {
    name: `v2-message-${what}-of-any-type`,
    summary: `A message is stored though its ${what} has another type.`,
    breaks: ['V2-MSG-09'],
    refit,
  }
}

function refused(
  name: string,
  row: RequirementId,
  what: string,
  when: Parameters<typeof refusesRequests>[1],
): Fault {
  return {
    name: `v2-message-${name}-refused`,
    summary: `A message with ${what} is refused.`,
    breaks: [row],
    refit: refusesRequests(message, when),
  }
}

/** What is missing stays missing. */
function orMissing(fits: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || fits(value)
}

function inAChatOfItsOwn(...[parts]: Parameters<Refit>): ReturnType<Refit> {
  return onSent(message, (body, { caller }) => {
    if (isThere(body['chat_id'])) return body
    const chat = newChat(parts, caller, 'v2')
    void parts.store.chats.create(chat)
    return { ...body, chat_id: chat.id }
  })(parts)
}

function failsOver400(place: Place): Refit {
  return onRefusal(place, (reply) => (reply.status === 400 ? { ...reply, status: 500 } : reply))
}
