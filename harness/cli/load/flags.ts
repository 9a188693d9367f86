import { InvalidArgumentError } from 'commander'
import { surfaces } from '../../../contract/catalog/requirement.ts'
import { spreads } from '../../load/target.ts'
import { type FlagsOf, flag, positiveInteger, seed as seedText } from '../flags.ts'
import { containerFlags } from '../target/container-flags.ts'
import { endpointFlag, targetFlags } from '../target/target-flags.ts'
import {
  duration,
  expressions,
  misbehavior,
  moment,
  optionalDuration,
  percentage,
  ramp,
  rate,
  shard,
  share,
  steps,
} from '../values.ts'

/** Flags that describe a load. Times in milliseconds. */
export function loadFlags() {
  const slo = flag('--slo <expression>', "objective, e.g. 'ttft.p95 < 500ms'; repeatable")
  return [
    ...targetFlags(),
    ...containerFlags(),
    endpointFlag(),
    flag(
      '--spread <spread>',
      'distribution of requests over several endpoints; sticky: a chat stays on one',
    )
      .choices(spreads)
      .default('round-robin'),
    ...arrivalFlags(),
    ...trafficFlags(slo.argParser(expressions).default([], 'none')),
  ]
}

export type LoadFlags = FlagsOf<typeof loadFlags>

function arrivalFlags() {
  return [
    flag('--rate <n>', 'open loop: transactions per second').argParser(rate),
    flag(
      '--concurrency <n>',
      'closed loop: number of clients, each waits for its response',
    ).argParser(positiveInteger),
    flag('--ramp <ramp>', 'linear ramp FROM..TO/TIME, e.g. 0..100/60s').argParser(ramp),
    flag('--steps <steps>', 'successive rates, e.g. 10:30s,20:30s').argParser(steps),
    flag('--replay <file>', 'replay the arrivals of a trace, NDJSON'),
    flag(
      '--duration <time>',
      'duration of the run (default: 30s, or the length of --ramp, --steps or --replay)',
    ).argParser(duration),
    flag('--strict', 'count violations of expected requirements as violations'),
    flag('--shard <i/n>', 'send only shard I of N of the plan').argParser(shard),
    flag('--start-at <time>', 'wall-clock start time').argParser(moment),
  ]
}

/** Flags of the requests of a load, without their rate; `slo` is the flag of its objectives. */
export function trafficFlags<Slo>(slo: Slo) {
  return [
    flag('--arrival <process>', 'arrival process (default: poisson)').choices([
      'poisson',
      'constant',
    ]),
    flag('--mix <file|name>', 'mix of transactions: a file, or the name of a built-in mix'),
    flag('--surface <name>', 'restrict the mix to one surface').choices(surfaces),
    slo,
    flag(
      '--max-refusals <share>',
      'maximum share of error responses, 429 and 503 included (default: 1%, unless an errors or goodput SLO allows more)',
    ).argParser(percentage),
    flag('--workers <n>', 'number of worker threads').argParser(positiveInteger).default(1),
    flag('--warm-up <time>', 'warm-up to exclude, 0s for none (default: detected)').argParser(
      optionalDuration,
    ),
    flag(
      '--misbehave <shares>',
      'share of misbehaving clients, e.g. slow-reader=0.1,abort=0.05,churn=0.02',
    ).argParser(misbehavior),
    flag(
      '--races <share>',
      'share of v3 generations sent twice concurrently with the same Idempotency-Key',
    )
      .argParser(share)
      .default(0),
    flag('--drain <time>', 'time to wait at the end for in-flight requests')
      .argParser(duration)
      .default(10_000, '10s'),
    flag(
      '--max-in-flight <n>',
      'maximum concurrent transactions; exceeding it makes the run invalid',
    )
      .argParser(positiveInteger)
      .default(10_000),
    flag(
      '--connections <n>',
      'maximum open connections, of setup and cleanup too; further requests wait',
    ).argParser(positiveInteger),
    flag('--no-usage', 'omit stream_options.include_usage from streamed completions'),
    flag('--no-keep-alive', 'open a new connection for each request'),
    flag('--seed <text>', 'seed of the plan').argParser(seedText),
  ]
}

/** Flags that describe the search and its probes. Times in milliseconds, shares from 0 to 1. */
export function searchFlags() {
  const slo = flag('--slo <expression>', "objective, e.g. 'ttft.p95 < 500ms'; required; repeatable")
  return [
    ...targetFlags(),
    ...containerFlags(),
    flag('--min <n>', 'lowest load of the search: transactions per second, or clients')
      .argParser(rate)
      .default(1),
    flag('--max <n>', 'highest load of the search (default: 10000)').argParser(rate),
    flag('--precision <share>', 'half width of the interval that ends the search')
      .argParser(precision)
      .default(0.05, '5%, or what the budget can decide'),
    flag('--budget <time>', 'maximum time of the search')
      .argParser(duration)
      .default(1_200_000, '20m'),
    flag('--concurrency', 'closed loop: search for the number of clients', 'capacity'),
    flag(
      '--probe <time>',
      'length of a probe (default: a thirtieth of the budget, 2s to 60s)',
    ).argParser(duration),
    flag('--rest <time>', 'maximum wait for the unloaded latency after a probe that missed an SLO')
      .argParser(duration)
      .default(30_000, '30s'),
    flag('--headroom <share>', 'share of the capacity for which to plan')
      .argParser(percentage)
      .default(0.7, '70%'),
    ...trafficFlags(slo.argParser(expressions)),
  ]
}

/** `5%`; 0.1 % to 50 %. */
function precision(text: string): number {
  const share = percentage(text)
  if (share < 0.001 || share > 0.5) throw new InvalidArgumentError('must be from 0.1% to 50%')
  return share
}
