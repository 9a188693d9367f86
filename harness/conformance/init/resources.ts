import { answerJson, bodyJson, type Exchange, isObject } from '../../../contract/index.ts'
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined } from '../scenario/read.ts'
import { attachmentIn } from '../scenario/routes/attachments.ts'
import { knowledgePrefixes } from '../scenario/routes/knowledge.ts'
import { multipart } from '../scenario/routes/multipart.ts'
import {
  type Detected,
  describeProbe,
  nonceFor,
  type ProbeContext,
  route,
  unknown,
} from './probe.ts'

/** Detects if a small text file is accepted, in the part that is often named `file` (section 4.3). */
export async function findAttachments(probing: ProbeContext): Promise<Detected<true>> {
  const { client, journal, tag } = probing
  const name = `${nonceFor('file', probing)} ${tag}.txt`
  const bytes = new TextEncoder().encode('One line of text.\n')
  const raw = multipart(
    {},
    'file',
    { name, type: 'text/plain', bytes },
    {
      boundary: `chatgen-${tag}`,
      typesParts: false,
    },
  )
  const idIn = (answer: Exchange) => {
    const record = attachmentIn(answerJson(answer), name)
    const id = isObject(record) ? record['id'] : undefined
    return typeof id === 'string' ? id : undefined
  }
  const about = { kind: 'attachment', name, scenario: 'init' } as const
  const send = () => client.send({ ...route('v3.upload'), raw })
  const uploaded = await withJournal(journal, about, send, idIn)
  const observation = describeProbe(uploaded, 'with a text file in the part "file"')
  if (isDeclined(uploaded)) return unknown(observation)
  const hasId = idIn(uploaded) !== undefined
  const hint = 'The answer has no attachment with an id; shapes.attachment can point to it'
  return { value: true, evidence: hasId ? [observation] : [observation, hint] }
}

/** Detects if the two prefixes of section 4.3 answer; the routes below them are not documented. */
export async function findKnowledge({ client }: ProbeContext): Promise<Detected<true>> {
  const [v3, plain] = await Promise.all(
    knowledgePrefixes.map((path) => client.send({ surface: 'v3', method: 'GET', path })),
  )
  if (!v3 || !plain) return unknown()
  const evidence = [describeProbe(v3), describeProbe(plain)]
  const body = bodyJson(v3)
  const answers = !isDeclined(v3) && (isObject(body) || Array.isArray(body))
  return answers ? { value: true, evidence } : unknown(...evidence)
}
