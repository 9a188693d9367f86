/** A load run and a search as replicated jobs of a Docker Swarm. */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { capacityReport } from '../../reports/capacity/model/report.ts'
import { loadReport } from '../../reports/load/model/report.ts'
import { chatgen, reportIn, serve } from '../foreign/programs.ts'
import { scriptFolder } from '../options.ts'
import { step } from './engine.ts'

const shards = 4
const key = 'sk-swarm-0123456789abcdef'

/** @param image the image of chatgen */
export async function testSwarm(image: string): Promise<void> {
  const pace = ['--pace', 'ttft=100ms,gap=10ms,jitter=0.2']
  const server = await serve('--host', '0.0.0.0', '--key', key, ...pace)
  const folder = scriptFolder('swarm')
  const url = `http://${hostAddress()}:${new URL(server.url).port}`
  const runner = ['--runner', 'swarm', '--image', image, '--seed', 'swarm', '--quiet']
  const command = (...args: readonly string[]) =>
    chatgen([...args, ...runner, '--out', folder], { CHATGEN_API_KEY: key }, 300_000)
  try {
    const rate = ['--rate', '20', '--duration', '15s']
    const load = await command('load', url, ...rate, '--shards', String(shards))
    if (load.code !== 0) console.log(`${load.stdout}${load.stderr}`)
    testMerge(folder, shards)
    // The speed of the machine may make the run invalid.
    step(`load --runner swarm: exit code ${load.code}`, load.code === 0 || load.code === 6)

    const search = ['--slo', 'ttft.p95 < 2s', '--min', '5', '--max', '6', '--probe', '8s']
    const limits = ['--budget', '60s', '--start-in', '30s', '--shards', '2']
    await command('capacity', url, ...search, ...limits)
    const { probes } = reportIn(capacityReport, folder)
    const sent = probes.filter(({ purpose }) => purpose !== 'baseline')
    const observed = sent.filter(({ slo }) => slo.some(({ requests }) => (requests ?? 0) > 0))
    step(
      `capacity --runner swarm: ${observed.length} of ${sent.length} probes with requests`,
      sent.length > 0 && observed.length === sent.length,
    )
  } finally {
    await server.stop()
  }
}

/** Figures of the merged report that do not depend on the speed of the machine. */
export function testMerge(folder: string, shards: number): void {
  const merged = reportIn(loadReport, folder)
  const parts = Array.from({ length: shards }, (_, index) =>
    reportIn(loadReport, join(folder, `shard-${index}`)),
  )
  const { plan, audits, integrity } = merged
  const streams = parts.reduce((sum, part) => sum + part.integrity.streams, 0)
  const failed = audits.filter(
    ({ name, verdict }) => name.startsWith('conservation') && verdict === 'fail',
  )
  step(
    `${plan.transactions} transactions of one plan in ${shards} shards`,
    merged.partial === undefined &&
      plan.ownTransactions === plan.transactions &&
      parts.every((part) => part.plan.hash === plan.hash),
  )
  step(`${integrity.streams} streams, ${streams} in the shards`, integrity.streams === streams)
  step(`conservation of requests ${failed.map(({ message }) => message)}`, failed.length === 0)
}

/** @throws Error if the machine has no address that containers reach */
function hostAddress(): string {
  const host = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  if (host === undefined) throw new Error('this machine has no address that containers reach')
  return host
}
