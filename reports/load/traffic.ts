import { type Fact, filledFacts, type Item, type Section } from '../document/document.ts'
import { count, figure, joinPhrases, percent } from '../text/format.ts'
import { boundedSamples, type Spread } from './model/generator.ts'
import type { Disturbances } from './model/integrity.ts'
import type { LoadReport } from './model/report.ts'

/** Phrases on connections, errors and the delivery of streams, shared by the formats of a load report. */

/** `429: 3, 5xx: 71, …`: counts of error responses, lost connections and retries. */
export function disturbanceText(counts: Disturbances): string {
  return disturbances
    .filter(([name, , isAlways = false]) => isAlways || counts[name] > 0)
    .map(([name, label]) => `${label}: ${counts[name]}`)
    .join(', ')
}

const disturbances: readonly (readonly [keyof Disturbances, string, isAlways?: true])[] = [
  ['tooManyRequests', '429', true],
  ['serverErrors', '5xx', true],
  ['otherErrors', 'other statuses outside 2xx'],
  ['errorEvents', 'error events'],
  ['unanswered', 'unanswered'],
  ['droppedConnections', 'dropped connections', true],
  ['incomplete', 'streams without their terminal event'],
  ['unreadable', 'unreadable or oversized responses'],
  ['timeouts', 'timeouts', true],
  ['violations', 'violations'],
  ['retries', 'retries', true],
]

/** `HTTP/2: 3 connections opened, 489 streams, up to 100 concurrent per connection (limit 100)`. */
export function connectionText({ connections }: Pick<LoadReport, 'connections'>): string {
  const { opened, reused, httpVersions, http2 } = connections
  const versions = httpVersions.map((version) => `HTTP/${version}`).join(' and ')
  const what = `${versions === '' ? '' : `${versions}: `}${count(opened, 'connection')} opened`
  if (http2 === undefined) return `${what}, ${count(reused, 'request')} on reused connections`
  const { streams, maxAtOnce, allowed, resets, goaways, resent } = http2
  return joinPhrases(
    [
      what,
      `${count(streams, 'stream')}, up to ${maxAtOnce} concurrent per connection (${allowed === null ? 'no limit' : `limit ${allowed}`})`,
      resets > 0 && `${count(resets, 'stream')} reset by the target`,
      goaways > 0 && `${count(goaways, 'connection')} closed by GOAWAY`,
      resent > 0 && `${count(resent, 'request')} retried after a refused stream`,
    ],
    ', ',
  )
}

/** Deltas per network read, in a sentence; null without streams. */
export function deliveryText({ delivery }: Pick<LoadReport, 'delivery'>): string | null {
  if (delivery === null) return null
  const { streams, deltas, reads, inOneRead } = delivery
  const each = `${figure(deltas / streams)} deltas in ${figure(reads / streams)} reads`
  const whole =
    inOneRead === 0 ? '' : `; ${inOneRead} of ${count(streams, 'stream')} arrived in a single read`
  return `on average per stream ${each}${whole}${usageText(delivery)}`
}

/** Streams with more deltas than output tokens; also those with fewer, if most have exactly as many. */
function usageText({ usage }: NonNullable<LoadReport['delivery']>): string {
  const { equal, more, fewer } = usage
  if (equal <= more + fewer) {
    const total = count(equal + more + fewer, 'stream')
    return more === 0 ? '' : `; ${more} of ${total} had more deltas than output tokens (usage)`
  }
  const others = joinPhrases(
    [more > 0 && `${more} had more (a repeated delta?)`, fewer > 0 && `${fewer} had fewer`],
    ' and ',
  )
  const same = `; ${count(equal, 'stream')} had one delta per output token of their usage`
  return joinPhrases([same, others], ', ')
}

/** Warning about `ttft` and the gaps if deltas arrived in bursts; empty otherwise. */
export function lumpText(report: Pick<LoadReport, 'delivery' | 'generator'>): string {
  const { delivery, generator } = report
  // A late generator produces bursts by itself.
  if (delivery === null || generator.verdict === 'invalid') return ''
  const { lumps, inOneRead, streams, lumpMs, firstRead } = delivery
  const who = 'the server or a proxy in front of it buffers them'
  if (lumps === 'whole') {
    return `${inOneRead} of ${count(streams, 'stream')} arrived in a single read, so ttft is the time of the whole response, not of its first token: ${who}, or writes faster than the client can read`
  }
  if (lumps === 'none') return ''
  const every = lumpMs === null ? '' : ` about every ${figure(lumpMs)} ms`
  const first =
    firstRead >= 2
      ? `ttft is the time of the first burst (${figure(firstRead)} deltas on average), and `
      : ''
  return `deltas arrived in bursts${every}: ${who}, so ${first}the gaps are those of the buffer, not of the model`
}

/** Accuracy of the measurement: the error of the generator, and audits of the figures. */
export function generatorSections({ generator, audits }: LoadReport): readonly Section[] {
  const { verdict, reasons, workers } = generator
  return [
    {
      title: 'Generator',
      badge: { word: verdict, tone: tones[verdict] },
      blocks: [
        { facts: reasons.map((reason) => ['reason: ', reason]) },
        { text: figuresText(generator) },
      ],
    },
    { title: 'Audits', blocks: [{ items: audits.map(auditItem) }] },
    {
      title: 'Machine and workers of the generator',
      detail: 'verbose',
      blocks: [
        { facts: machineFacts(generator) },
        {
          table: {
            head: ['worker', 'requests', 'events', 'CPU, ms', 'loop', 'timestamp error p99, ms'],
            rows: workers.map((worker) => [
              ...[worker.index, worker.requests, worker.events].map(String),
              figure(worker.cpuMs),
              percent(worker.eventLoopUtilization),
              figure(worker.timestampError?.p99 ?? null),
            ]),
          },
        },
      ],
    },
  ]
}

const tones = { valid: 'pass', degraded: 'warn', invalid: 'fail' } as const

function figuresText(generator: LoadReport['generator']): string {
  const { eventsPerCpuSecond: perCpu } = generator
  return joinPhrases([
    spreadText('timestamp error', generator.timestampError),
    spreadText('send delay', generator.scheduleDelay),
    `busiest event loop ${percent(generator.eventLoopUtilization)}`,
    `${figure(generator.eventsPerSecond)} events/s`,
    perCpu !== null && `${figure(perCpu)} per CPU second`,
  ])
}

/** `send delay p50 0.1, p99 2.3, max 4.5 ms`. */
export function spreadText(name: string, spread: Spread | null): string {
  if (spread === null) return `${name} unknown`
  const { p50, p99, max, count } = spread
  const tail = count < boundedSamples ? `${figure(p99)} or more (${count} samples)` : figure(p99)
  return `${name} p50 ${figure(p50)}, p99 ${tail}, max ${figure(max)} ms`
}

function auditItem({ name, verdict, message }: LoadReport['audits'][number]): Item {
  const badge =
    verdict === 'not-applicable'
      ? ({ word: 'n/a', tone: 'none' } as const)
      : { word: verdict, tone: verdict }
  return { badge, text: `${name}: ${message}` }
}

function machineFacts({ environment: at, calibration }: LoadReport['generator']): readonly Fact[] {
  return filledFacts([
    [
      'calibration: ',
      calibration &&
        `${percent(calibration.used)} of ${figure(calibration.ceilingEventsPerSecond)} events per second, measured ${calibration.measuredAt}`,
    ],
    [
      'machine: ',
      `${at.cpus} × ${at.cpuModel}, ${at.platform}, Node ${at.node}, load ${figure(at.loadAverage)}`,
    ],
  ])
}
