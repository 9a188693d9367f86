import type { Command, Option } from 'commander'
import { type Surface, surfaces } from '../../../contract/catalog/requirement.ts'
import type { Misbehavior } from '../../load/plan/plan.ts'
import { type Spread, spreads } from '../../load/target.ts'
import { addFlags, flag, positiveInteger, seed as seedText } from '../flags.ts'
import { addContainerFlags } from '../target/container-flags.ts'
import type { TargetFlags } from '../target/target.ts'
import { addTargetFlags, endpointFlag } from '../target/target-flags.ts'
import {
  duration,
  expressions,
  misbehavior,
  moment,
  optionalDuration,
  percentage,
  type Ramp,
  type RateStep,
  ramp,
  rate,
  type Shard,
  shard,
  share,
  steps,
} from '../values.ts'

/** Flags of `chatgen load`. Times in milliseconds. */
export interface LoadFlags extends TargetFlags {
  readonly rate?: number
  readonly arrival?: 'poisson' | 'constant'
  readonly concurrency?: number
  readonly ramp?: Ramp
  readonly steps?: readonly RateStep[]
  readonly replay?: string
  readonly spread: Spread
  readonly duration?: number
  readonly mix?: string
  readonly surface?: Surface
  readonly slo: readonly string[]
  readonly maxRefusals?: number
  readonly strict?: boolean
  readonly shard?: Shard
  readonly startAt?: Date
  readonly workers: number
  readonly warmUp?: number
  readonly misbehave?: Misbehavior
  readonly races: number
  readonly drain: number
  readonly maxInFlight: number
  readonly keepAlive: boolean
  readonly connections?: number
  readonly usage: boolean
  readonly seed?: string
  readonly out: string
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color: boolean
}

/** Adds the flags that describe the load. */
export function addLoadFlags(command: Command): Command {
  return addTrafficFlags(
    addArrivalFlags(addEndpointFlags(addContainerFlags(addTargetFlags(command)))),
  )
}

function addEndpointFlags(command: Command): Command {
  return addFlags(
    command,
    endpointFlag(),
    flag(
      '--spread <spread>',
      'distribution of requests over several endpoints; sticky: a chat stays on one',
    )
      .choices(spreads)
      .default('round-robin'),
  )
}

function optionalSlo(): Option {
  return flag('--slo <expression>', "objective, e.g. 'ttft.p95 < 500ms'; repeatable")
    .argParser(expressions)
    .default([], 'none')
}

function addArrivalFlags(command: Command): Command {
  return addFlags(
    command,
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
  )
}

/** Adds the flags of the requests of a load, without their rate; `slo` is the flag of its objectives. */
export function addTrafficFlags(command: Command, slo: Option = optionalSlo()): Command {
  return addFlags(
    command,
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
  )
}
