/** Faults of updates that name another version (sections 2.5 and 3). */

import type { Patch, Services } from '../../../services.ts'
import { toObject } from '../../patches/json.ts'
import { alsoDo, onSuccess } from '../../patches/replies.ts'
import { changeChat, readChat } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'
import { toVersion } from './side-effects.ts'

export const versionUpdateFaults = faultTable({
  'VER-02': {
    'version-shown-as-updated: After a PATCH with version, GET /chat/{chat_id} returns that version; the chat remains v3.':
      showUpdatedVersion,
    'version-updated-alone: PATCH /chat/{chat_id} with only a version converts a v3 chat to v2.':
      updateVersion(({ name }) => name === undefined),
    'version-updated-with-a-name: PATCH /chat/{chat_id} with a version and a name converts a v3 chat to v2.':
      updateVersion(({ name }) => name !== undefined),
  },
})

function updateVersion(when: (body: Readonly<Record<string, unknown>>) => boolean): Patch {
  return alsoDo(changeChat, ({ store }, { body, caller, params }, { status }) => {
    const sent = toObject(body)
    if (status >= 300 || sent['version'] !== 'v2' || !when(sent)) return undefined
    return store.chats.update(caller, params['chat_id'] ?? '', toVersion('v2'))
  })
}

function showUpdatedVersion(services: Services): Services {
  const versions = new Map<string | undefined, unknown>()
  const remembered = alsoDo(changeChat, (_, { body, params }, { status }) => {
    const { version } = toObject(body)
    if (status < 300 && version !== undefined) versions.set(params['chat_id'], version)
    return undefined
  })
  return onSuccess(readChat, (reply, { params }) => {
    const version = versions.get(params['chat_id'])
    if (version === undefined) return reply
    return { ...reply, body: { ...toObject(reply.body), version } }
  })(remembered(services))
}
