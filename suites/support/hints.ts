import { bodyText, type Exchange } from '../../harness/conformance/scenario/index.ts'

/** A body in which a hint is looked for (section 7): `\/api\/v2` in JSON is `/api/v2`. */
export function hintText(exchange: Exchange): string {
  return bodyText(exchange).replaceAll('\\/', '/')
}
