import {
  type Exchange,
  type Finding,
  isObject,
  operationAt,
  succeeded,
} from '../../../contract/index.ts'
import type { RunSetup } from '../run-setup.ts'
import { historyRows } from '../scenario/read.ts'
import { issuedNonces } from './identities.ts'
import type { RequestSpec } from './requests/wire-request.ts'

type Run = Pick<RunSetup, 'tag' | 'state'>

/** Stands for any chat: a server may create one for a turn that it refuses, or that names none. */
const anyChat = '*'

/** Notes what a request says in a chat; before it is sent, because a history may show it before its response. */
export function noteSaid(run: Run, spec: RequestSpec): void {
  note(run, spec, chatOf(spec) ?? anyChat)
}

/** V3-HIST-16 (section 4.3): the first page of a history has no input that was sent to other chats alone. */
export function judgeRows(run: Run, spec: RequestSpec, page: Exchange): Finding[] {
  if (!succeeded(page)) note(run, spec, anyChat)
  const chat = chatOf(spec)
  const isFirstPage =
    operationAt(spec.method, spec.path) === 'v3.history' && spec.query?.['cursor'] === undefined
  if (!isFirstPage || chat === undefined || !succeeded(page)) return []
  const items = historyRows(page).map(({ item }) => item)
  const ofUsers = items.filter((item) => isObject(item) && item['role'] === 'user')
  const foreign = issuedNonces(run, JSON.stringify(ofUsers)).filter((nonce) => {
    const chats = run.state.nonces.get(nonce) ?? new Set()
    return chats.size > 0 && !chats.has(chat) && !chats.has(anyChat)
  })
  if (foreign.length === 0) return []
  const why = `the history shows a row of another chat: expected [], received ${JSON.stringify([...new Set(foreign)])}`
  return [{ requirement: 'V3-HIST-16', verdict: 'broken', why, exchanges: [page.id] }]
}

function note(run: Run, spec: RequestSpec, chat: string): void {
  if (spec.method === 'GET' || spec.json === undefined) return
  for (const nonce of issuedNonces(run, JSON.stringify(spec.json))) {
    run.state.nonces.get(nonce)?.add(chat)
  }
}

function chatOf({ query, json }: RequestSpec): string | undefined {
  const id = query?.['chat_id'] ?? (isObject(json) ? json['chat_id'] : undefined)
  return typeof id === 'string' ? id.toLowerCase() : undefined
}
