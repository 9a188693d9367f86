import { bodyJson } from '../../../contract/index.ts'
import { isRecord } from '../scenario/find.ts'
import { declined } from '../scenario/read.ts'
import { account, type Found, type Probing, unknown } from './probe.ts'

/** Whether the two prefixes of section 4.3 answer; what lies below them is not shown. */
export async function findKnowledge({ caller }: Probing): Promise<Found<true>> {
  const [v3, plain] = await Promise.all(
    ['/api/v3/knowledge', '/api/knowledge'].map((path) =>
      caller.send({ surface: 'v3', method: 'GET', path }),
    ),
  )
  if (!v3 || !plain) return unknown()
  const evidence = [account(v3), account(plain)]
  const answers = !declined(v3) && isRecord(bodyJson(v3))
  return answers ? { value: true, evidence } : unknown(...evidence)
}
