/** Faults of the status for credentials (section 5). */
import type { Patch } from '../../services.ts'
import { onReply, setErrorStatus } from '../patches/replies.ts'
import type { FaultyOperation } from '../patches/routes.ts'
import { faultTable } from '../table.ts'

export const authenticationStatusFaults = faultTable({
  'OAI-AUTH-01 OAI-AUTH-03 openai-auth-missing-key-is-403: POST /chat/completions returns 403 without a key.':
    refuseWith('openai.chat', 403, /^[^ ]*$/),
  'OAI-AUTH-02 OAI-AUTH-04 openai-auth-wrong-key-is-403: POST /chat/completions returns 403 for a wrong key.':
    refuseWith('openai.chat', 403, /^Bearer \S+$/),
  'V3-AUTH-06 v3-auth-missing-key-is-500: GET /api/v3/chat returns 500 without a key.': refuseWith(
    'v3.chats',
    500,
    /^$/,
  ),
  'V2-AUTH-06 v2-auth-message-missing-key-is-500: POST /api/v2/message returns 500 without a key.':
    refuseWith('v2.message', 500, /^$/),
  'OAI-AUTH-05 openai-auth-right-key-is-401: POST /chat/completions returns 401 for a valid key.':
    rejectRightKey('openai.chat', 401),
  'V2-AUTH-05 v2-auth-message-right-key-is-401: POST /api/v2/message returns 401 for a valid key.':
    rejectRightKey('v2.message', 401),
  'V3-AUTH-05 v3-auth-right-key-is-403: POST /api/v3/message/generate returns 403 for a valid key.':
    rejectRightKey('v3.generate', 403),
})

/** Changes the status of rejected credentials. */
function refuseWith(route: FaultyOperation, status: number, credentials: RegExp): Patch {
  return setErrorStatus(
    route,
    status,
    ({ caller, headers }) => caller === '' && credentials.test(headers.authorization ?? ''),
  )
}

function rejectRightKey(route: FaultyOperation, status: number): Patch {
  return onReply(route, (reply, { caller }) =>
    caller === '' ? reply : { status, body: { error: 'A valid API key is required' } },
  )
}
