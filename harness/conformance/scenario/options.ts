import type { RequestSpec } from '../session/requests/wire-request.ts'

/** Options of any request of a scenario, beside its content. */
export type SendOptions = Pick<
  RequestSpec,
  | 'role'
  | 'authorization'
  | 'headers'
  | 'repeatOf'
  | 'leaveAfterEvents'
  | 'inBurst'
  | 'protocol'
  | 'negotiates'
>
