import {
  surfaces as allSurfaces,
  type Exchange,
  operations,
  type Surface,
} from '../../../contract/index.ts'
import { createRedactor, speaksTls } from '../../client/index.ts'
import { TargetUnusableError } from '../errors.ts'
import { networkOf } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { retryAfterMs } from '../session/limits/rate-limiter.ts'
import type { RequestSpec } from '../session/requests/wire-request.ts'
import { secretsOf } from '../session/secrets.ts'
import { classifyAnswer, describeAnswer, selectRouted, unreachableText } from './classify-answer.ts'
import { completions, requireKnownModel, smallestCompletion } from './models.ts'
import { openProbes, suggestAddress } from './suggest-address.ts'

/** One harmless request to each surface; the v2 one lacks its fields and stores nothing. */
const probes: Readonly<Record<Surface, RequestSpec>> = {
  openai: operations['openai.models'],
  v2: { ...operations['v2.message'], json: {} },
  v3: { ...operations['v3.chats'], query: { limit: 1 } },
}
export interface PreflightOptions {
  readonly signal?: AbortSignal | undefined
  /** True: any HTTP response is enough; otherwise a surface, selected or not, must answer like the service. */
  readonly anyAnswer?: boolean
}

/**
 * Identifies the server before anything is judged.
 * @throws TargetUnusableError if nothing answers, if no surface of the service does, or if it
 * refuses the key; the reason of the signal once that is aborted.
 */
export async function preflight(
  setup: ClientIdentity,
  surfaces: readonly Surface[],
  { signal, anyAnswer = false }: PreflightOptions = {},
) {
  const { profile } = setup
  const { text: redact } = createRedactor(secretsOf(setup))
  const client = openProbes(setup, signal)
  const ask = client.send
  const unusable = (code: TargetUnusableError['code'], text: string) =>
    new TargetUnusableError(code, redact(text))
  try {
    const first = await sendToEach(surfaces)
    const met = (completion?: Exchange) => ({
      /** Exchange of the first request to each selected surface. */
      answers: first,
      /** Response to a minimal completion, if `GET /models` does not answer like the service. */
      completion,
      requests: client.requests,
    })
    const answers = [...first.values()]
    const url = new URL(profile.baseUrl)
    const mayBeTls = url.protocol === 'http:' && answers.every(mayWantTls)
    if (mayBeTls && (await speaksTls(networkOf(profile), url))) {
      const text = `http://${url.host} speaks TLS; try https://${url.host}`
      throw new TargetUnusableError('E_UNREACHABLE', text)
    }
    if (answers.every((answer) => answer.response === null)) {
      throw unusable('E_UNREACHABLE', unreachableText(profile.baseUrl, answers[0]))
    }
    if (answers.every(({ response }) => response?.status === 401 || response?.status === 403)) {
      throw unusable('E_KEY_REFUSED', keyRefusedText(setup, answers))
    }
    if (anyAnswer) return met()
    if (answers.some(isService)) {
      await requireKnownModel(profile.models.main, first.get('openai'), ask)
      return met()
    }

    const exchanges = await retry(first)
    if (exchanges.some(isService)) return met()
    const model = profile.models.main
    const completion = await ask({ ...completions, json: smallestCompletion(model) })
    if (isService(completion)) return met(completion)
    const all = [...exchanges, completion]
    if ((await selectRouted(all, ask)).length > 0) return met(completion)
    throw reasonOf(all)
  } finally {
    await client.close()
  }

  async function sendToEach(names: readonly Surface[]): Promise<Map<Surface, Exchange>> {
    return new Map(
      await Promise.all(
        names.map(async (name): Promise<[Surface, Exchange]> => [name, await ask(probes[name])]),
      ),
    )
  }

  /** Repeats requests that a legal service may need before it is recognized, and tries the other surfaces. */
  async function retry(answers: Map<Surface, Exchange>): Promise<Exchange[]> {
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const signs = [...answers.values()].map(classifyAnswer)
      if (!signs.includes('busy') || signs.includes('service')) break
      const delays = [...answers.values()].map(retryAfterMs).filter((ms) => ms !== undefined)
      const waitMs = delays.length > 0 ? Math.max(...delays) : 500 * 2 ** attempt
      await client.sleep(Math.min(waitMs, maxWaitMs))
      for (const [name, answer] of await sendToEach(surfaces)) answers.set(name, answer)
    }
    const others = allSurfaces.filter((name) => !answers.has(name))
    const more = await sendToEach([...answers.values()].some(isService) ? [] : others)
    return [...answers.values(), ...more.values()]
  }

  function reasonOf(answers: readonly Exchange[]): TargetUnusableError {
    const { baseUrl } = profile
    const refusing = answers.filter((answer) => classifyAnswer(answer) === 'refused')
    if (refusing.length > 0) {
      const text = keyRefusedText(setup, refusing, 'the surfaces that exist')
      return unusable('E_KEY_REFUSED', text)
    }
    const lines = answers.map((answer) => `  ${describeAnswer(answer)}`)
    if (answers.some((answer) => classifyAnswer(answer) === 'busy')) {
      const busy = `${baseUrl} is too busy to answer: it is overloaded, or limits the rate of this key`
      return unusable('E_BUSY', [busy, ...lines].join('\n'))
    }
    const none = `no surface of the service answers at ${baseUrl}`
    const advice = suggestAddress(baseUrl, answers)
    return unusable('E_NO_SERVICE', [none, ...lines, advice].join('\n'))
  }
}

function isService(answer: Exchange): boolean {
  return classifyAnswer(answer) === 'service'
}

/** Servers with TLS close a connection that begins with plain HTTP, or answer 400 without TLS. */
function mayWantTls({ response, ending }: Exchange): boolean {
  if (response !== null) return response.status === 400
  return ending.kind === 'unreachable' && /^(ECONNRESET|CONNECTION_CLOSED|HPE_)/.test(ending.code)
}

/** Maximum tries of a busy target, and the maximum wait before each. */
const maxTries = 3
const maxWaitMs = 5_000

function keyRefusedText(
  { profile }: ClientIdentity,
  answers: readonly Exchange[],
  where = 'every surface',
): string {
  const statuses = [...new Set(answers.map((answer) => answer.response?.status))].join(', ')
  const given = profile.apiKey ?? profile.compatKey ?? profile.nativeToken
  return given === undefined
    ? `${profile.baseUrl} requires a key (${statuses}), but none was given: set CHATGEN_API_KEY, name another variable with --key-env, or set apiKey in the profile`
    : `${profile.baseUrl} refuses the key on ${where} (${statuses})`
}
