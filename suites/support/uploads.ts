/** Uploads, and the laws of an attachment object (section 2.4). */
import {
  type Exchange,
  expect,
  type ScenarioContext,
} from '../../harness/conformance/scenario/index.ts'
import { buildTextFile } from './test-data.ts'

type Context = Pick<ScenarioContext, 'attachments' | 'profile' | 'session'>

/** An attachment object; undefined if the target returns none. */
export async function attachedFile({ attachments, profile, session }: Context): Promise<unknown> {
  if (!profile.capabilities.attachments) return undefined
  const file = buildTextFile(session)
  const uploaded = await attachments.upload(file, undefined, { role: 'arrange' })
  return attachments.recordIn(uploaded, file.name)
}

/** The object in the answer to an upload describes its file. */
export function claimRecord(
  claim: ScenarioContext['claim'],
  record: Readonly<Record<string, unknown>>,
  file: ReturnType<typeof buildTextFile>,
  uploaded: Exchange,
): void {
  claim(
    'V3-ATT-02',
    () => {
      for (const member of ['id', 'filename', 'content_type', 'bucket', 'created_at']) {
        expect(record[member], `${member} of the attachment`).toBeTypeOf('string')
      }
    },
    uploaded,
  )
  claim('V3-ATT-03', () => expect(record['filename'], 'filename').toBe(file.name), uploaded)
  claim('V3-ATT-04', () => expect(record['size'], 'size').toBe(file.bytes.length), uploaded)
  const type = String(record['content_type']).split(';')[0]?.trim()
  claim('V3-ATT-05', () => expect(type, 'content_type').toBe(file.type), uploaded)
}
