/** The native v2 surface (section 4.2): messages chained by `parent_id`, and the replies to them. */
import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import { answerText, contains, isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { InconclusiveError } from '../../conformance/session/errors.ts'
import { findStoredId, looksBack, statementOf, stillReplies, stillStores } from '../checks/v2.ts'
import { type Commands, demand, drawChat, drawFrom, type Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import {
  addV2Chat,
  addV2Message,
  chainOf,
  type Model,
  replyToV2,
  usedV2Chats,
  type V2Chat,
  type V2Message,
  v2ChatNamed,
  v2MessagesOf,
} from '../model.ts'

/** Maximum number of v2 chats in a sequence: no route of the document deletes them. */
const maxChats = 2
/** Longer chats may exceed a limit that the document does not show. */
const maxMessages = 10
/** Number of misses after which a fact that the model knew before counts as lost. */
const maxAsks = 3

const forms = ['after the latest', 'after the latest', 'after the earliest', 'alone']

export const v2Commands: Commands = {
  'create v2 chat': {
    weight: 3,
    kind: 'v2',
    needs: ['V2-MSG-01'],
    draw: (model) => (model.v2Chats.length < maxChats ? {} : undefined),
    async run(context, { label }) {
      const { id, created } = await context.v2.openChat()
      if (created !== undefined) context.record(created)
      context.model = addV2Chat(context.model, { label, id })
    },
  },

  'store v2 message': {
    weight: 5,
    kind: 'v2',
    needs: ['V2-MSG-01'],
    expects: ['V2-MSG-03', 'V2-MSG-06', 'V2-MSG-11'],
    chats: ({ v2Chats }) => v2Chats,
    draw(model, pick) {
      const chosen = drawChat(growing(model), pick)
      const hasFact = v2MessagesOf(model, chosen?.chat).some(({ fact }) => fact !== undefined)
      return chosen && { ...chosen, variant: hasFact ? drawFrom(forms, pick) : 'a fact' }
    },
    simpler: ({ variant, ...rest }) =>
      variant === 'alone' || variant === 'a fact' ? [] : [{ ...rest, variant: 'alone' }],
    async run(context, { label, chat = '', variant }) {
      const parent = parentFor(variant, context.model, chat)
      const mark = context.session.nonce()
      const fact = variant === 'a fact' ? mark : undefined
      const content = fact === undefined ? `Name a color for ${mark}.` : statementOf(context, fact)
      await store(context, { label, chat, content, parent, fact, marks: [mark] })
    },
  },

  'reply to v2 message': {
    weight: 3,
    generations: 1,
    kind: 'v2',
    needs: ['V2-GEN-01'],
    chats: usedV2Chats,
    variants: ['latest', 'earliest', 'again'],
    async run(context, { chat, variant }) {
      const messages = v2MessagesOf(context.model, chat)
      const answered = messages.filter(({ replies }) => replies > 0)
      const choices: Readonly<Record<string, V2Message | undefined>> = {
        earliest: messages.find(({ replies }) => replies === 0),
        // If the message states a fact, a loss of later messages can be detected.
        again: answered.find(({ fact }) => fact !== undefined) ?? answered[0],
      }
      const message = choices[variant ?? ''] ?? messages.at(-1)
      if (message !== undefined) await expectReply(context, message)
    },
  },

  // A question about a fact: the model knows the chain of `parent_id`, and nothing from other chats.
  'ask v2 chat': {
    weight: 4,
    generations: 1,
    kind: 'v2',
    needs: ['V2-CTX-01', 'V2-CTX-02'],
    draw(model, pick) {
      const knowing = growing(model).filter(({ label }) => latestWithFact(model, label))
      const chosen = drawChat(pick(4) === 0 ? growing(model) : knowing, pick)
      const hasFact = latestWithFact(model, chosen?.chat) !== undefined
      return chosen && { ...chosen, variant: hasFact ? drawFrom(forms, pick) : 'alone' }
    },
    applies: (model, { chat, variant }) =>
      v2ChatNamed(model, chat) !== undefined &&
      (variant === 'alone' || latestWithFact(model, chat) !== undefined),
    simpler: ({ variant, ...rest }) => [
      { ...rest, command: 'store v2 message', variant: 'alone' },
      { ...rest, command: 'reply to v2 message', variant: 'latest' },
      ...(variant === 'after the latest' ? [{ ...rest, variant: 'after the earliest' }] : []),
    ],
    run: expectKnown,
  },
}

async function expectKnown(
  context: ExplorationContext,
  { label, chat = '', variant = 'alone' }: Operation,
): Promise<void> {
  const parent = parentFor(variant, context.model, chat)
  const chain = chainOf(context.model, parent)
  const fact = chain[0]?.fact
  const content = context.session.context.setup.profile.recall.ask
  const evidence: Exchange[] = []
  for (let tries = 1; tries <= maxAsks; tries += 1) {
    const name = tries === 1 ? label : `${label}.${tries}`
    const question = { label: name, chat, content, parent, fact: undefined, marks: [] }
    const message = await store(context, question, tries > 1)
    const answered = message && (await expectReply(context, message, tries > 1))
    if (answered === undefined || fact === undefined) return
    if (answerText(answered)?.includes(fact) === true) return
    evidence.push(answered)
    // How far back a model looks is not specified.
    if (tries === 1 && !(await looksBack(context, chain))) return
  }
  const why = 'the reply does not know a fact that a message states which leads to the question'
  demand(false, requirementFor(context, chat, 'V2-CTX-01'), why, ...evidence.slice(0, 1))
}

interface NewMessage extends Pick<V2Message, 'label' | 'chat' | 'fact' | 'marks'> {
  readonly content: string
  readonly parent: V2Message | undefined
}

/** Stores a message and compares the response with it; undefined if it was refused. */
async function store(
  context: ExplorationContext,
  { content, parent, ...message }: NewMessage,
  isControl = false,
): Promise<V2Message | undefined> {
  const { v2, knowledge } = context
  const chat = requireV2Chat(context.model, message.chat)
  const body = v2.messageBody(chat.id, content, parent ? { parent_id: parent.id } : {})
  const stored = await v2.message(body, isControl ? { role: 'control' } : {})
  if (!isControl) context.record(stored)
  const ability = parent === undefined ? 'v2 message' : 'v2 message with parent_id'
  if (!succeeded(stored) || isDeclined(stored)) {
    if (!knowledge.isAble(ability) || !(await stillStores(context))) return undefined
    const requirement = requirementFor(
      context,
      chat.label,
      parent === undefined ? 'V2-MSG-01' : 'V2-MSG-11',
    )
    demand(false, requirement, `a further message was answered ${statusText(stored)}`, stored)
  }
  const id = findStoredId(chat, content, stored)
  if (id === undefined) return undefined
  knowledge.prove(ability)
  // Open: whether the same text is stored a second time.
  const earlier = context.model.v2Messages.find((one) => one.id === id)
  if (earlier !== undefined) return earlier
  const added = { ...message, id, parent: parent?.label }
  context.model = addV2Message(context.model, added)
  return { ...added, replies: 0 }
}

/** Generates the reply to a message; undefined if it was refused. */
async function expectReply(
  context: ExplorationContext,
  message: V2Message,
  isControl = false,
): Promise<Exchange | undefined> {
  const { v2, knowledge, model } = context
  const chat = requireV2Chat(model, message.chat)
  const body = v2.generateBody(chat.id, message.id)
  const answered = await v2.generate(body, isControl ? { role: 'control' } : {})
  if (!isControl) context.record(answered)
  const text = answerText(answered)
  if (!succeeded(answered) || text === undefined) {
    // Open: whether a message can have a second reply.
    if (message.replies > 0 || !(await stillReplies(context))) return undefined
    const why = `the reply to a stored message was answered ${statusText(answered)}`
    demand(false, requirementFor(context, chat.label, 'V2-GEN-01'), why, answered)
  }
  knowledge.prove('v2 reply')
  context.model = replyToV2(model, message)
  const others = model.v2Messages.filter((one) => v2ChatNamed(model, one.chat)?.id !== chat.id)
  const stranger = [...others, ...model.turns].find(({ marks }) =>
    marks.some((mark) => contains(text, mark)),
  )
  if (stranger !== undefined) {
    const why = 'the reply knows what was said in another chat'
    demand(false, 'V2-CTX-02', why, answered)
  }
  return answered
}

/** A refused v3 call before it is the more likely cause of a loss. */
function requirementFor(
  { model }: ExplorationContext,
  chat: string,
  requirement: RequirementId,
): RequirementId {
  return v2ChatNamed(model, chat)?.isCalledByV3 === true ? 'VER-06' : requirement
}

function parentFor(variant: string | undefined, model: Model, chat: string): V2Message | undefined {
  if (variant === 'after the earliest') {
    return v2MessagesOf(model, chat).find(({ fact }) => fact !== undefined)
  }
  return variant === 'after the latest' ? latestWithFact(model, chat) : undefined
}

/** The latest message whose chain states a fact. */
function latestWithFact(model: Model, chat: string | undefined): V2Message | undefined {
  return v2MessagesOf(model, chat).findLast((message) => chainOf(model, message).length > 0)
}

function growing(model: Model): readonly V2Chat[] {
  return model.v2Chats.filter(({ label }) => v2MessagesOf(model, label).length < maxMessages)
}

function requireV2Chat(model: Model, label: string): V2Chat {
  const chat = v2ChatNamed(model, label)
  if (chat === undefined) throw new InconclusiveError('the v2 chat of the operation is unknown')
  return chat
}
