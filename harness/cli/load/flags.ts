import { InvalidArgumentError } from 'commander'
import { surfaces } from '../../../contract/catalog/requirement.ts'
import { spreads } from '../../load/target.ts'
import { type FlagsOf, flagTable } from '../flags.ts'
import { containerFlags } from '../target/container-flags.ts'
import { endpointFlag, targetFlags } from '../target/target-flags.ts'
import {
  expressions,
  misbehavior,
  moment,
  optionalDuration,
  percentage,
  ramp,
  rate,
  seed,
  shard,
  share,
  steps,
} from '../values.ts'

/** Flags that describe a load. Times in milliseconds. */
export function loadFlags() {
  const own = { rate, ramp, steps, shard, moment, expressions }
  return [
    ...targetFlags(),
    ...containerFlags(),
    ...flagTable(
      `
      --rate <n>:rate  open loop: transactions per second
      --concurrency <n>  closed loop: number of clients, each of which waits for its response
      --ramp <ramp>  linear ramp FROM..TO/TIME, e.g. 0..100/60s
      --steps <steps>  successive rates, e.g. 10:30s,20:30s
      --replay <file>  replay the arrivals of a trace, NDJSON
      --duration <time>  duration of the run (default: 30s, or the length of --ramp, --steps or --replay)
      --strict  count violations of expected requirements as violations
      --shard <i/n>:shard  send only shard I of N of the plan
      --start-at <time>:moment  wall-clock start time`,
      own,
    ),
    ...trafficFlags(
      flagTable(
        "--slo <expression>:expressions?none  objective, e.g. 'ttft.p95 < 500ms'; repeatable",
        own,
      ),
    ),
  ]
}

export type LoadFlags = FlagsOf<typeof loadFlags>

/** Flags of the requests of a load, without their rate; `slo` is the flag of its objectives. */
export function trafficFlags<Slo>(slo: readonly Slo[]) {
  const own = { spread: spreads, process: ['poisson', 'constant'], surface: surfaces } as const
  return [
    ...endpointFlag(),
    ...flagTable(
      `
      --spread <spread>=round-robin  distribution of requests over several endpoints; sticky: a chat stays on one
      --arrival <process>  arrival process (default: poisson)
      --mix <file|name>  mix of transactions: a file, or the name of a built-in mix
      --surface <name>:surface  restrict the mix to one surface`,
      own,
    ),
    ...slo,
    ...flagTable(
      `
      --max-refusals <share>:percentage  maximum share of error responses, 429 and 503 included
        (default: 1%, unless an errors or goodput SLO allows more)
      --workers <n>=1  number of worker threads
      --warm-up <time>:optionalDuration  warm-up to exclude, 0s for none (default: detected)
      --misbehave <shares>  share of misbehaving clients, e.g. slow-reader=0.1,abort=0.05,churn=0.02
      --races <share>=0  share of v3 generations sent twice concurrently with the same Idempotency-Key
      --drain <time>=10s  time to wait at the end for in-flight requests
      --max-in-flight <n>=10000  maximum concurrent transactions; exceeding it makes the run invalid
      --connections <n>  maximum open connections, including setup and cleanup; further requests wait
      --no-usage  omit stream_options.include_usage from streamed completions
      --no-keep-alive  open a new connection for each request
      --seed <text>:seed  seed of the plan`,
      { percentage, optionalDuration, shares: misbehavior, share, seed },
    ),
  ]
}

export type TrafficFlags = FlagsOf<typeof trafficFlags<never>>

/** Flags that describe the search and its probes. Times in milliseconds, shares from 0 to 1. */
export function searchFlags() {
  const own = { rate, percentage, precision, expressions }
  return [
    ...targetFlags(),
    ...containerFlags(),
    ...flagTable(
      `
      --min <n>:rate=1  lowest load of the search: transactions per second, or clients
      --max <n>:rate  highest load of the search (default: 10000)
      --precision <share>:precision=5%|5%, or what the budget can decide  half-width of the confidence interval that ends the search
      --budget <time>=20m  maximum time of the search
      --concurrency @capacity  closed loop: search for the number of clients
      --probe <time>  length of a probe (default: a thirtieth of the budget, 2s to 60s)
      --rest <time>=30s  maximum wait for the unloaded latency after a probe that missed an SLO
      --headroom <share>:percentage=70%  share of the capacity to plan for`,
      own,
    ),
    ...trafficFlags(
      flagTable(
        "--slo <expression>:expressions  objective, e.g. 'ttft.p95 < 500ms'; required; repeatable",
        own,
      ),
    ),
  ]
}

/** `5%`; 0.1 % to 50 %. */
function precision(text: string): number {
  const share = percentage(text)
  if (share < 0.001 || share > 0.5) throw new InvalidArgumentError('must be from 0.1% to 50%')
  return share
}
