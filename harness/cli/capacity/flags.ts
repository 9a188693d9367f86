import { InvalidArgumentError } from 'commander'
import { flag } from '../flags.ts'
import { trafficFlags } from '../load/flags.ts'
import { containerFlags } from '../target/container-flags.ts'
import { targetFlags } from '../target/target-flags.ts'
import { duration, expressions, percentage, rate } from '../values.ts'

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
