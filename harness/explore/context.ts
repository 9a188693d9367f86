import type { Exchange } from '../../contract/index.ts'
import { attachmentRoutes } from '../conformance/scenario/routes/attachments.ts'
import { chatRoutes } from '../conformance/scenario/routes/chats.ts'
import { oneShotRoutes } from '../conformance/scenario/routes/one-shot.ts'
import { v2Routes } from '../conformance/scenario/routes/v2.ts'
import { type Chat, v3Routes } from '../conformance/scenario/routes/v3.ts'
import { InconclusiveError } from '../conformance/session/errors.ts'
import type { Session } from '../conformance/session/session.ts'
import type { World } from './command.ts'
import type { Knowledge } from './knowledge.ts'
import { chatNamed, emptyModel } from './model.ts'

/** A world whose requests can be read back: those that its operations consist of, in their order. */
export interface RecordedWorld extends World {
  readonly acts: readonly Exchange[]
  /** Deletes what is left of its chats, so that the next world begins on a target without them. */
  dispose(): Promise<void>
}

/** A fresh world on the same target: an empty model, and what was learned of the target so far. */
export function createWorld(session: Session, knowledge: Knowledge): RecordedWorld {
  const handles = new Map<string, Chat>()
  const acts: Exchange[] = []
  const world: RecordedWorld = {
    model: emptyModel,
    knowledge,
    session,
    v3: v3Routes(session),
    chats: chatRoutes(session),
    attachments: attachmentRoutes(session),
    oneShot: oneShotRoutes(session),
    v2: v2Routes(session),
    word: session.nonce(),
    acts,
    act(exchange) {
      acts.push(exchange)
      return exchange
    },
    handle(label) {
      const chat = handles.get(label)
      if (chat === undefined) throw new InconclusiveError(`there is no chat ${label}`)
      return chat
    },
    keep: (label, chat) => void handles.set(label, chat),
    async dispose() {
      for (const [label, { id }] of handles) {
        handles.delete(label)
        if (chatNamed(world.model, label)?.deleted) continue
        await world.chats.remove(id, { role: 'cleanup' })
      }
    },
  }
  session.onCleanup(world.dispose)
  return world
}
