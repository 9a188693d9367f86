import type { Command } from 'commander'
import { flag, keyEnvFlag, positiveInteger, seed as seedText } from '../flags.ts'
import { addNetworkFlags } from '../target/network-flags.ts'
import type { TargetFlags } from '../target/target.ts'
import {
  duration,
  expressions,
  type Misbehaviour,
  misbehaviour,
  moment,
  percentage,
  type Ramp,
  type RateStep,
  ramp,
  rate,
  type Shard,
  shard,
  share,
  steps,
} from './values.ts'

/** What every command takes that puts a load on a target. Times in milliseconds. */
export interface LoadFlags extends TargetFlags {
  readonly rate?: number
  readonly arrival?: 'poisson' | 'constant'
  readonly concurrency?: number
  readonly ramp?: Ramp
  readonly steps?: readonly RateStep[]
  readonly replay?: string
  readonly duration?: number
  readonly mix?: string
  readonly surface?: 'openai' | 'v2' | 'v3'
  readonly slo: readonly string[]
  readonly maxRefusals?: number
  readonly shard?: Shard
  readonly startAt?: Date
  readonly workers: number
  readonly warmUp?: number
  readonly misbehave?: Misbehaviour
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

/** The load itself. */
export function addLoadFlags(command: Command): Command {
  return addNetworkFlags(command)
    .addOption(flag('--target <file>', 'target profile, YAML or JSON'))
    .addOption(keyEnvFlag())
    .addOption(
      flag('--rate <n>', 'transactions a second, whatever the target answers').argParser(rate),
    )
    .addOption(
      flag('--arrival <process>', 'how they are spaced (default: poisson)').choices([
        'poisson',
        'constant',
      ]),
    )
    .addOption(
      flag(
        '--concurrency <n>',
        'closed loop: so many clients, each waits for its answer',
      ).argParser(positiveInteger),
    )
    .addOption(flag('--ramp <ramp>', 'rate from..to/time, such as 0..100/60s').argParser(ramp))
    .addOption(flag('--steps <steps>', 'rates in turn, such as 10:30s,20:30s').argParser(steps))
    .addOption(flag('--replay <file>', 'arrivals of a trace, one JSON object a line'))
    .addOption(
      flag(
        '--duration <time>',
        'length of the run (default: 30s, or what is said above)',
      ).argParser(duration),
    )
    .addOption(flag('--mix <file|name>', 'what is sent: a file, or the name of a built-in mix'))
    .addOption(flag('--surface <name>', 'only this surface').choices(['openai', 'v2', 'v3']))
    .addOption(
      flag('--slo <expression>', "such as 'ttft.p95 < 500ms'; may be repeated")
        .argParser(expressions)
        .default([]),
    )
    .addOption(
      flag(
        '--max-refusals <share>',
        'answers that may be 429, 503 or another error (default: 1%, where no errors or goodput SLO says more)',
      ).argParser(percentage),
    )
    .addOption(flag('--shard <i/n>', 'send only this part of the plan').argParser(shard))
    .addOption(flag('--start-at <time>', 'begin at this time of the clock').argParser(moment))
    .addOption(flag('--workers <n>', 'threads that send').argParser(positiveInteger).default(1))
    .addOption(
      flag('--warm-up <time>', 'not measured (default: found by itself)').argParser(duration),
    )
    .addOption(
      flag(
        '--misbehave <shares>',
        'clients that do, such as slow-reader=0.1,abort=0.05,churn=0.02',
      ).argParser(misbehaviour),
    )
    .addOption(
      flag('--races <share>', 'v3 generations sent twice at once with one Idempotency-Key')
        .argParser(share)
        .default(0),
    )
    .addOption(
      flag('--drain <time>', 'how long to wait at the end for what is in flight')
        .argParser(duration)
        .default(10_000, '10s'),
    )
    .addOption(
      flag('--max-in-flight <n>', 'transactions at once; more makes the run invalid')
        .argParser(positiveInteger)
        .default(10_000),
    )
    .addOption(
      flag('--connections <n>', 'at most so many; what is due waits for a free one').argParser(
        positiveInteger,
      ),
    )
    .addOption(flag('--no-usage', 'do not ask the compatible stream for its usage'))
    .addOption(flag('--no-keep-alive', 'a connection for each request'))
    .addOption(flag('--timeout <ms>', 'longest silence of the target').argParser(positiveInteger))
    .addOption(flag('--seed <text>', 'makes the same plan again').argParser(seedText))
}
