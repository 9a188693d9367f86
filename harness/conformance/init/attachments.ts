import { bodyJson, type Exchange } from '../../../contract/index.ts'
import { journalled } from '../cleanup/journal.ts'
import { isRecord } from '../scenario/find.ts'
import { declined } from '../scenario/read.ts'
import { attachmentIn } from '../scenario/routes/attachments.ts'
import { multipart } from '../scenario/routes/multipart.ts'
import { account, type Found, nonceFor, type Probing, route, unknown } from './probe.ts'

/** Whether a small text file is taken, in the part that is often named `file` (section 4.3). */
export async function findAttachments(probing: Probing): Promise<Found<true>> {
  const { caller, journal, tag } = probing
  const name = `${nonceFor('file', probing)} ${tag}.txt`
  const bytes = new TextEncoder().encode('One line of text.\n')
  const raw = multipart({}, 'file', { name, type: 'text/plain', bytes }, `chatgen-${tag}`)
  const idIn = (answer: Exchange) => {
    const record = attachmentIn(bodyJson(answer), name)
    const id = isRecord(record) ? record['id'] : undefined
    return typeof id === 'string' ? id : undefined
  }
  const about = { kind: 'attachment', name, scenario: 'init' } as const
  const send = () => caller.send({ ...route('v3.upload'), raw })
  const uploaded = await journalled(journal, about, send, idIn)
  const told = account(uploaded, 'with a text file in the part "file"')
  if (declined(uploaded)) return unknown(told)
  const shown = idIn(uploaded) !== undefined
  const hint = 'The answer shows no attachment with an id: shapes.attachment may say where it is'
  return { value: true, evidence: shown ? [told] : [told, hint] }
}
