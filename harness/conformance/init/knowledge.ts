import { bodyJson, isObject } from '../../../contract/index.ts'
import { isDeclined } from '../scenario/read.ts'
import { type Detected, describeProbe, type ProbeContext, unknown } from './probe.ts'

/** Whether the two prefixes of section 4.3 answer; what lies below them is not shown. */
export async function findKnowledge({ client }: ProbeContext): Promise<Detected<true>> {
  const [v3, plain] = await Promise.all(
    ['/api/v3/knowledge', '/api/knowledge'].map((path) =>
      client.send({ surface: 'v3', method: 'GET', path }),
    ),
  )
  if (!v3 || !plain) return unknown()
  const evidence = [describeProbe(v3), describeProbe(plain)]
  const body = bodyJson(v3)
  const answers = !isDeclined(v3) && (isObject(body) || Array.isArray(body))
  return answers ? { value: true, evidence } : unknown(...evidence)
}
