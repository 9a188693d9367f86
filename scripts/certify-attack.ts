/**
 * A classifier that knows the source tries to tell certifications from customers.
 *
 *   npm run certify:attack -- [--sessions 40] [--long 3] [--out FILE]
 *
 * Records requests of customers, who use real clients, and of certifications, each with another challenge. A random
 * forest predicts which is which, for sessions that it was not trained on. PYTHON is an interpreter with the packages
 * requests, httpx, aiohttp, openai, chatterbot-corpus and scikit-learn.
 *
 *   --sessions N   number of customers, and of certifications
 *   --long N       certifications among them of which a whole round is recorded
 *   --out FILE     keeps the recordings
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { surfaces } from '../contract/index.ts'
import { shapes } from '../fixtures/clients.ts'
import { roundSeed } from '../harness/certification/inputs.ts'
import { forward, listen, readBody } from '../harness/client/test-support/listen-on-loopback.ts'
import { imitationFor } from '../harness/conformance/session/requests/imitation.ts'
import { mapConcurrently } from '../harness/load/clock.ts'
import { certifyInto } from '../harness/proof/certified/certified.ts'
import { type ProofTarget, startDeviant } from '../harness/proof/runs/run-target.ts'
import { actAsCustomer, clients, readSentences } from './attack/customers.ts'
import { python } from './clients/program.ts'
import { optionsOf, scriptFolder } from './options.ts'

const values = optionsOf(import.meta, { sessions: 40, long: 3, out: '' })

/** Requests that are recorded of a session, and of a whole round. */
const [fewRequests, wholeRound] = [60, 2_500]

await main()

async function main(): Promise<void> {
  const folder = scriptFolder('attack')
  const languages = readSentences()
  const sessions = Array.from({ length: values.sessions }, (_, at) => at)
  const customers = await mapConcurrently(sessions, 4, () =>
    record(0, fewRequests, (target, signal) => actAsCustomer(target.profile, languages, signal)),
  )
  const certifications = await mapConcurrently(sessions, 2, (at) =>
    record(1, at < values.long ? wholeRound : fewRequests, async (target, signal) => {
      const place = { challenge: challengeWith(clients), outDir: join(folder, `${at}`) }
      await certifyInto({ open: async () => target, surfaces: 'full', signal }, place)
    }),
  )
  const file = values.out || join(folder, 'sessions')
  const lines = [...customers, ...certifications].map((session) => JSON.stringify(session))
  writeFileSync(file, lines.join('\n'))
  const classifier = fileURLToPath(new URL('./attack/classify.py', import.meta.url))
  execFileSync(python, [classifier, file], { stdio: 'inherit' })
}

/** A challenge whose first round imitates clients that customers have here. */
function challengeWith(names: readonly string[]): string {
  const [url, httpVersion] = [new URL('http://127.0.0.1'), 'auto'] as const
  const requests = surfaces.flatMap((surface) =>
    shapes.flatMap((shape) =>
      ['a', 'b', 'c', 'd', 'e', 'f'].map((scenario, at) => {
        const [isUnusual, isStream] = [at % 2 === 0, at % 2 === 0]
        return { scenario, surface, shape, isUnusual, isStream, url, httpVersion }
      }),
    ),
  )
  for (;;) {
    const challenge = randomUUID()
    const imitated = requests.map(
      (one) => imitationFor(roundSeed(challenge, 1), one.scenario, one).name,
    )
    if (imitated.every((name) => names.includes(name))) return challenge
  }
}

/** Requests in the order of their arrival; `act` sends them until it is aborted. */
async function record(
  tested: 0 | 1,
  count: number,
  act: (target: ProofTarget, signal: AbortSignal) => Promise<void>,
) {
  const server = await startDeviant((services) => services)
  const enough = new AbortController()
  const connections = new Map<unknown, number>()
  const requests: object[] = []
  const { url, close } = await listen(async (request, response) => {
    const { method, url: path, httpVersion: version, rawHeaders: head, socket } = request
    const connection = connections.get(socket) ?? connections.size
    connections.set(socket, connection)
    const entry = { method, path, version, head, connection, at: performance.now() }
    const at = requests.push(entry) - 1
    const body = await readBody(request)
    response.on('close', () => {
      const { statusCode: status } = response
      requests[at] = { ...entry, body: body.toString(), status, endedAt: performance.now() }
      if (requests.length >= count) enough.abort()
    })
    forward(server.profile.baseUrl, request, response, { body })
  })
  const target = { profile: { ...server.profile, baseUrl: url }, close: async () => {} }
  await act(target, enough.signal).catch((error) => {
    if (!enough.signal.aborted) throw error
  })
  await close()
  await server.close()
  return { tested, requests: requests.slice(0, count).filter((entry) => 'status' in entry) }
}
