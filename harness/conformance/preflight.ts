import { createNetworkTransport } from '../client/index.ts'
import type { Exchange, Surface } from '../contract/index.ts'
import { TargetUnusableError } from './errors.ts'
import { networkOf } from './profile/index.ts'
import type { Introduction } from './run-setup.ts'
import { type RequestSpec, wireRequest } from './worker/wire-request.ts'

/** One harmless request to each surface; the v2 one lacks its fields and stores nothing. */
const probes: Readonly<Record<Surface, RequestSpec>> = {
  openai: { surface: 'openai', method: 'GET', path: '/api/openai/models' },
  v2: { surface: 'v2', method: 'POST', path: '/api/v2/message', json: {} },
  v3: { surface: 'v3', method: 'GET', path: '/api/v3/chat', query: { limit: 1 } },
}

/**
 * Before anything is judged: any HTTP answer means that the target is there. Gives the answers.
 * @throws TargetUnusableError where nothing answers, or where every surface refuses the key;
 * the reason of the signal once that is aborted.
 */
export async function preflight(
  setup: Introduction,
  surfaces: readonly Surface[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Surface, Exchange>> {
  const transport = createNetworkTransport(networkOf(setup.profile))
  try {
    const asked = await Promise.all(
      surfaces.map(async (surface) => {
        const place = `preflight/${surface}`
        const { exchange } = transport.send({
          id: place,
          labels: { scenario: 'preflight', ordinal: 1, attempt: 0, role: 'liveness' },
          request: wireRequest(probes[surface], setup, place),
          timeoutMs: setup.profile.limits.timeoutMs,
          ...(signal ? { signal } : {}),
        })
        return { surface, answer: await exchange }
      }),
    )
    signal?.throwIfAborted()
    const answers = asked.map(({ answer }) => answer)
    if (answers.every((answer) => answer.response === null)) {
      throw new TargetUnusableError('E_UNREACHABLE', unreachable(setup.profile.baseUrl, answers[0]))
    }
    if (answers.every(refusesKey)) {
      throw new TargetUnusableError('E_KEY_REFUSED', keyRefused(setup, answers))
    }
    return new Map(asked.map(({ surface, answer }) => [surface, answer]))
  } finally {
    await transport.close()
  }
}

function refusesKey({ response }: Exchange): boolean {
  return response?.status === 401 || response?.status === 403
}

function unreachable(baseUrl: string, answer: Exchange | undefined): string {
  const ending = answer?.ending
  if (ending?.kind === 'timeout') return `${baseUrl} accepts connections but does not answer`
  const code = ending?.kind === 'unreachable' ? ending.code : 'UNKNOWN'
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'the name of the host could not be looked up',
    ECONNRESET: 'the connection is reset before an answer',
    UND_ERR_SOCKET: 'the connection is closed before an answer',
    UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
  }
  const reason = reasons[code] ?? (ending && 'error' in ending ? ending.error : 'no answer')
  return `${baseUrl}: ${reason} (${code})`
}

function keyRefused({ profile }: Introduction, answers: readonly Exchange[]): string {
  const statuses = [...new Set(answers.map((answer) => answer.response?.status))].join(', ')
  const given = profile.apiKey ?? profile.compatKey ?? profile.nativeToken
  return given === undefined
    ? `${profile.baseUrl} wants a key (${statuses}), and none was given: set CHATGEN_API_KEY, name another variable with --key-env, or say apiKey in the profile`
    : `${profile.baseUrl} refuses the key on every surface (${statuses})`
}
