import type { Exchange } from '../../../contract/index.ts'
import type { RequestSpec } from '../session/requests/wire-request.ts'

/** Sends a request, to another base address where one is given. */
export type SendProbe = (spec: RequestSpec, baseUrl?: string) => Promise<Exchange>
