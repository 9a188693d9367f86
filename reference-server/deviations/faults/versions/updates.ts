/** Faults of updates that name another version (sections 2.5 and 3). */

import type { Services } from '../../../services.ts'
import { toObject } from '../../patches/json.ts'
import { alsoDo, onReply } from '../../patches/replies.ts'
import { changeChat, readChat } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'
import { toVersion } from './side-effects.ts'

export const versionUpdateFaults: readonly Fault[] = [
  updateVersion('alone', ({ name }) => name === undefined),
  updateVersion('with-a-name', ({ name }) => name !== undefined),
  {
    name: 'version-shown-as-updated',
    summary:
      'After an update with a version, the chat is shown with that version, though it is v3.',
    breaks: ['VER-02'],
    patch: showUpdatedVersion,
  },
]

function updateVersion(
  name: string,
  when: (body: Readonly<Record<string, unknown>>) => boolean,
): Fault {
  return {
    name: `version-updated-${name}`,
    summary: `An update makes a v3 chat a v2 chat, if the version comes ${name.replaceAll('-', ' ')}.`,
    breaks: ['VER-02'],
    patch: alsoDo(changeChat, ({ store }, { body, caller, params }, { status }) => {
      const sent = toObject(body)
      if (status >= 300 || sent['version'] !== 'v2' || !when(sent)) return undefined
      return store.chats.update(caller, params['chat_id'] ?? '', toVersion('v2'))
    }),
  }
}

function showUpdatedVersion(services: Services): Services {
  const versions = new Map<string | undefined, unknown>()
  const remembered = alsoDo(changeChat, (_, { body, params }, { status }) => {
    const { version } = toObject(body)
    if (status < 300 && version !== undefined) versions.set(params['chat_id'], version)
    return undefined
  })
  return onReply(readChat, (reply, { params }) => {
    const version = versions.get(params['chat_id'])
    if ('blocks' in reply || version === undefined) return reply
    return { ...reply, body: { ...toObject(reply.body), version } }
  })(remembered(services))
}
