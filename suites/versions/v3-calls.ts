/** Calls of v3 routes that the versions of chats are tested with. */
import {
  type Chat,
  type Exchange,
  expect,
  inputText,
  isDeclined,
  type Scenario,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller, v2ChatOf } from '../support/credentials.ts'
import { buildRecall } from '../support/recall.ts'
import { buildTextFile } from '../support/test-data.ts'

/** The document does not say that a file whose chat is a parameter is a call for that chat: those are observed. */
type V3Call = readonly [
  requirement: 'VER-03' | 'VER-04' | 'VER-05' | null,
  what: string,
  send: (chat: string) => Promise<Exchange>,
  /** The same request for a v3 chat, if it needs more than the chat. */
  sendTwin?: () => Promise<Exchange>,
]

/** Calls of v3 routes for a chat; the `secrets` are stated in a generation and in a stream. */
export function v3Calls(
  { v3, chats, attachments, session, profile, prompts }: Scenario,
  secrets: readonly [string, string],
  twin: Chat,
): readonly V3Call[] {
  const role = { role: 'negative' } as const
  const path = '/chat/{chat_id}'
  const turn = (secret: string, stream: boolean) => (chat: string) =>
    v3.generate(v3.generateBody(chat, buildRecall(profile, secret).tell, { stream }), role)
  const nameTwin = async () => {
    await v3.generate(v3.generateBody(twin, prompts.brief()))
    return chats.generateName(twin.id)
  }
  const deleteTwin = async () => chats.remove((await v3.createChat()).id)
  const { capabilities, requests } = profile
  const probe = { role: 'probe' } as const
  const sought = { search: session.nonce() }
  const ofFiles: readonly V3Call[] = [
    ['VER-05', `GET ${path}/attachments`, (chat) => chats.attachments(chat, {}, role)],
    ['VER-05', `GET ${path}/attachments?search`, (chat) => chats.attachments(chat, sought, role)],
    [null, 'GET /attachment?chat_id', (chat) => attachments.list({ chat_id: chat }, probe)],
  ]
  // Only the profile of the target shows that a form field adds an upload to a chat.
  const upload: V3Call = [
    null,
    'POST /attachment',
    (chat) => attachments.upload(buildTextFile(session), chat, probe),
  ]
  return [
    ['VER-03', 'GET /message', (chat) => v3.history(chat, {}, role)],
    ['VER-03', 'GET /message with limit', (chat) => v3.history(chat, { limit: 10 }, role)],
    ['VER-04', 'POST /message/generate', turn(secrets[0], false)],
    ['VER-04', 'POST /message/generate as a stream', turn(secrets[1], true)],
    ['VER-05', `GET ${path}`, (chat) => chats.get(chat, role)],
    ['VER-05', `PATCH ${path}`, (chat) => chats.rename(chat, session.name(), role)],
    ['VER-05', `POST ${path}/generate-name`, (chat) => chats.generateName(chat, role), nameTwin],
    ['VER-05', `DELETE ${path}/favorite`, (chat) => chats.removeFavorite(chat, role)],
    ['VER-05', `POST ${path}/favorite`, (chat) => chats.addFavorite(chat, role)],
    ...(capabilities.attachments ? ofFiles : []),
    ...(capabilities.attachments && requests.upload?.chatField ? [upload] : []),
    ['VER-05', `DELETE ${path}`, (chat) => chats.remove(chat, role), deleteTwin],
  ]
}

export const otherIdOf = ({ models: { main, aliases } }: Scenario['profile']) => aliases[0] ?? main

export const visionIdOf = ({ models, capabilities }: Scenario['profile']) =>
  capabilities.images ? models.vision : models.main

/** Fields that may hide the version of a chat: those of one turn in either form. */
export const furtherTurns = ({ profile, prompts }: Scenario) => [
  {
    ...{ model_id: otherIdOf(profile), think: true, rag: 'agent', max_tokens: 24 },
    ...{ temperature: 1, top_p: 1, presence_penalty: 0 },
  },
  {
    ...{ model_id: visionIdOf(profile), stream: true, rag: false },
    ...{ assistant_id: profile.assistants?.withoutKnowledge, exclude_tools: [] },
    input: [inputText(prompts.brief())],
  },
]

/** A v2 chat of another caller is refused as well; its key may lack the rights to have one. */
export async function claimNotTakenFromSecond(scenario: Scenario): Promise<void> {
  const { v3, claim, profile } = scenario
  const caller = secondCaller(profile)
  const chat = await v2ChatOf(scenario, caller)
  if (chat === undefined || caller === undefined) return
  for (const page of [{}, { limit: 10 }]) {
    const history = await v3.history(chat, page, { role: 'negative', ...caller })
    const what = 'the history of a v2 chat of another caller is refused'
    claim('VER-03', () => expect(isDeclined(history), what).toBe(true), history)
  }
}
