/** Files, names and forms of generations that scenarios send, and the laws of an attachment object (section 2.4) and of times. */
import { header } from '../../contract/index.ts'
import {
  type Exchange,
  expect,
  inputText,
  type Scenario,
  type Session,
  type TargetProfile,
} from '../../harness/conformance/scenario/index.ts'
import { isContentRefusal } from './refusals.ts'

/** A small text file with the tag of the run, if any, in its name, which begins with the nonce. */
export function buildTextFile(session: Session, nonce = session.nonce(), more = '') {
  const { tag } = session.context.setup
  const { text } = session.prompts.document(`${nonce}${more}`)
  return {
    name: `${nonce}${more}${tag === '' ? '' : `-${tag}`}.txt`,
    type: 'text/plain',
    bytes: new TextEncoder().encode(text),
  }
}

export type UploadFile = ReturnType<typeof buildTextFile>

/** Contents that careless code reads as text. */
export const oddContents: Readonly<Record<string, (file: UploadFile) => UploadFile>> = {
  'line ends': (file) => ({
    ...file,
    // Begins with a byte order mark.
    bytes: Buffer.from(`\ufeff${new TextDecoder().decode(file.bytes)}\r\nlast line\r\n\r\n`),
  }),
  bytes: (file) => ({
    name: file.name.replace(/txt$/, 'bin'),
    type: 'application/octet-stream',
    bytes: Buffer.concat([file.bytes, Buffer.from([0, 0xff, 0x0d, 0x0a, 0]), Buffer.alloc(70_000)]),
  }),
  nothing: (file) => ({ ...file, name: file.name.replace(/\.txt$/, ''), bytes: new Uint8Array() }),
}

/** An attachment object; undefined if the target returns none. */
export async function attachedFile(
  scenario: Scenario,
  nonce = scenario.session.nonce(),
): Promise<unknown> {
  if (!scenario.profile.capabilities.attachments) return undefined
  const file = buildTextFile(scenario.session, nonce)
  const uploaded = await uploadFile(scenario, file, { role: 'arrange' })
  return scenario.attachments.recordIn(uploaded, file.name)
}

/** Uploads a file without a chat, or to a new chat if that is refused: further rules of uploads are open (section 4.3). */
export async function uploadFile(
  { attachments, v3 }: Scenario,
  file: UploadFile,
  options: { readonly role?: 'arrange' } = {},
): Promise<Exchange> {
  const uploaded = await attachments.upload(file, undefined, options)
  if (!isContentRefusal(uploaded)) return uploaded
  return attachments.upload(file, (await v3.createChat()).id, options)
}

/** The object in the answer to an upload describes its file. */
export function claimRecord(
  claim: Scenario['claim'],
  record: Readonly<Record<string, unknown>>,
  file: UploadFile,
  uploaded: Exchange,
): void {
  const hasMembers = () => {
    for (const member of ['id', 'filename', 'content_type', 'bucket', 'created_at']) {
      expect(record[member], `${member} of the attachment`).toBeTypeOf('string')
    }
  }
  claim('V3-ATT-02', hasMembers, uploaded)
  claim('V3-ATT-03', () => expect(record['filename'], 'filename').toBe(file.name), uploaded)
  claim('V3-ATT-04', () => expect(record['size'], 'size').toBe(file.bytes.length), uploaded)
  // The type of an empty file may be derived from its content.
  if (file.bytes.length === 0) return
  const type = String(record['content_type']).split(';')[0]?.trim()
  claim('V3-ATT-05', () => expect(type, 'content_type').toBe(file.type), uploaded)
}

/** The time that an answer states is that of its Date header, unless a clock is wrong by less than a time zone. */
export function claimTimeOfNow(
  claim: Scenario['claim'],
  requirement: 'OAI-CHAT-04' | 'V2-MSG-07',
  answer: Exchange,
  stated: number,
): void {
  const now = Date.parse(header(answer.response?.headers ?? [], 'date') ?? '')
  if (Number.isNaN(stated) || Number.isNaN(now)) return
  const minutes = Math.round(Math.abs(stated - now) / 60_000)
  const what = 'minutes between the time of creation and the Date of the answer'
  claim(requirement, () => expect(minutes, what).toBeLessThan(maxMinutes), answer)
}

/** Limit below half an hour, the smallest difference between time zones. */
const maxMinutes = 20

/** Runs with fields such as id and output; one states the fact `{nonce}`, in both halves. */
export function guessedRuns({ recall }: TargetProfile, session: Session): readonly unknown[] {
  return ['OK.', recall.tell, 'OK.'].map((text) => {
    const id = session.uuid()
    const part = { type: 'output_text', text: `Noted: ${text}`, annotations: [] }
    const message = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' }
    return { id, input: [inputText(text)], output: [{ ...message, content: [part] }] }
  })
}

/** `think: true` if the profile says that the target has reasoning. */
export function withReasoning({ capabilities }: TargetProfile): { readonly think?: true } {
  return capabilities.reasoning === true ? { think: true } : {}
}
