import type { RequestSpec } from '../session/requests/wire-request.ts'

/** What a scenario may say about any request beside its content. */
export type SendOptions = Pick<
  RequestSpec,
  'role' | 'authorization' | 'headers' | 'repeatOf' | 'leaveAfterEvents' | 'protocol'
>
