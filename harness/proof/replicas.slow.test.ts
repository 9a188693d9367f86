import { describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import {
  type PatchReplicas,
  replicaDialects,
  replicaFaults,
} from '../../reference-server/deviations/replicas.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { openStore } from '../../reference-server/store/open-store.ts'
import { forward, listen } from '../client/test-support/listen-on-loopback.ts'
import {
  type CheckOptions,
  check,
  referenceProfile,
  requirementsWith,
} from '../conformance/test-support/check.ts'
import { keys, patchNamed } from './test-support/reference.ts'

/** Requirements of stored state, which replicas share. */
const stateful = [
  'V3-CHAT',
  'V3-FAV',
  'V3-ATT-06',
  'V3-HIST',
  'V3-IDEM',
  'V3-CTX',
  'V2-MSG',
  'V2-CTX',
  'VER',
]

async function start(patches: PatchReplicas, count: number) {
  const store = await openStore('memory')
  const patchOf = patches()
  const servers = await Promise.all(
    Array.from({ length: count }, (_, replica) =>
      startReferenceServer({
        keys,
        store,
        patch: patchOf(replica),
        pace: { ttftMs: 10, gapMs: 3, jitter: 0 },
        closeDeadlineMs: 500,
      }),
    ),
  )
  return {
    urls: servers.map(({ url }) => url),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
      await store.close()
    },
  }
}

function judged(urls: readonly string[], options: CheckOptions, settleMs = 0) {
  const limits = { settleMs, timeoutMs: 20_000 }
  const profile = referenceProfile(urls[0] ?? '', keys, { baseUrls: urls, limits })
  return check(profile, { jobs: 8, seed: 'replicas', ...options })
}

async function judgedReplicas(
  patches: PatchReplicas,
  count: number,
  options: CheckOptions,
  settleMs = 0,
) {
  const replicas = await start(patches, count)
  try {
    return await judged(replicas.urls, options, settleMs)
  } finally {
    await replicas.close()
  }
}

const redIn = (report: ConformanceReport) => requirementsWith(report, 'fail', 'warn')

describe.each(replicaFaults)('$name', ({ breaks: only, patches }) => {
  test('is detected across endpoints and passes on each of them', async () => {
    const report = await judgedReplicas(patches, 3, { only, jobs: 1 })
    const red = redIn(report)
    expect(red).not.toEqual([])
    for (const { message, endpoints } of red) {
      expect(message).toContain('passes on each endpoint alone, violated between ')
      expect(endpoints?.alone).toEqual({ A: 'passed', B: 'passed', C: 'passed' })
      expect(endpoints?.between.length).toBeGreaterThan(1)
    }
    expect(report.faults).toEqual([])
  })
})

describe('a legal service with several endpoints conforms', () => {
  test.each(replicaDialects)('$name', async ({ patches, visibleMs }) => {
    const report = await judgedReplicas(patches, 3, { only: stateful }, 2 * visibleMs)
    expect(redIn(report)).toEqual([])
    expect(report.outcome).toBe('conforms')
    const sent = report.target.endpoints?.map(({ requests }) => requests) ?? []
    expect(Math.min(...sent)).toBeGreaterThan(0.25 * sent.reduce((sum, count) => sum + count, 0))
  })

  test('even if a balancer keeps each caller on one replica', async () => {
    const ledgers = replicaFaults.find(({ name }) => name === 'replica-ledger')?.patches
    const replicas = await start(ledgers ?? expect.unreachable('no such fault'), 2)
    const fronts = await Promise.all([0, 1].map(() => listenBefore(replicas.urls)))
    const urls = fronts.map(({ url }) => url)
    const report = await judged(urls, { only: ['V3-IDEM'] })
    for (const front of fronts) await front.close()
    await replicas.close()
    expect(redIn(report)).toEqual([])
  })
})

test('a service that is slower than settleMs does not conform', async () => {
  const named = replicaDialects.find(({ name }) => name === 'replication-is-slow')
  const slow = named ?? expect.unreachable('no such dialect')
  const report = await judgedReplicas(slow.patches, 3, { only: ['V3-HIST'] })
  expect(report.outcome).not.toBe('conforms')
})

test('a violation of one replica is reported for its endpoint', async () => {
  const broken = patchNamed('stream-without-event-lines')
  const patches: PatchReplicas = () => (replica) => (replica === 1 ? broken : (same) => same)
  const report = await judgedReplicas(patches, 2, { only: ['V3-SSE-*', 'V3-GEN-*'] })
  expect(redIn(report).map(({ id, endpoints }) => [id, endpoints?.alone])).toEqual([
    ['V3-SSE-02', { A: 'passed', B: 'violated' }],
  ])
})

/** Routes each caller to its own replica, whichever endpoint it uses. */
function listenBefore(urls: readonly string[]) {
  return listen((request, response) => {
    const isSecond = String(request.headers.authorization).includes(keys[1])
    forward(urls[isSecond ? 1 : 0] ?? '', request, response)
  })
}
