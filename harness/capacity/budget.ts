/** Rules of thumb for a budget: the length of its probes and the interval that it allows. */
import { minRequests } from '../load/statistics/shares.ts'

/** Probes in a budget: doubling, narrowing, and about ten near the answer. */
const probesOfBudget = 30
const nearProbes = 10
/** Increase of the log odds near the capacity of a queue, per unit of log rate; steeper for batching engines. */
const slope = 12
/** Effective sample size, as a share, of requests in one queue near its capacity. */
const independent = 0.2
/** Standard errors in half of the interval, with a margin for scatter that is small by chance. */
const widths = 1.96 * 1.5

export interface BudgetQuestion {
  /** Approximate capacity, in requests per second. */
  readonly rate: number
  /** Share over the limit that the tightest SLO allows, 0 to 1. */
  readonly allowed: number
  readonly budgetMs: number
}

/** Half width of the interval that a budget allows, as a share of the rate. */
export function attainablePrecision({ rate, allowed, budgetMs }: BudgetQuestion): number {
  const requests = (rate * budgetMs * nearProbes) / probesOfBudget / 1000
  return widths / (slope * Math.sqrt(requests * independent * allowed * (1 - allowed)))
}

/** Length of a probe that reaches this precision, milliseconds. */
export function neededProbeMs(
  { rate, allowed }: Pick<BudgetQuestion, 'rate' | 'allowed'>,
  precision: number,
): number {
  const all = (widths / (slope * precision)) ** 2 / (independent * allowed * (1 - allowed))
  return (1000 * Math.max(2 * minRequests(0, allowed), all / nearProbes)) / rate
}

/** `at about 3/s a probe of 6 s holds 18 requests; …`; null if the budget suffices. */
export function budgetText(
  question: BudgetQuestion,
  {
    probeMs,
    precision,
    unit,
  }: { readonly probeMs: number; readonly precision: number; readonly unit: string },
): string | null {
  const attainable = attainablePrecision(question)
  if (attainable <= precision) return null
  const { rate } = question
  const needed = neededProbeMs(question, precision)
  const held = Math.round((rate * probeMs) / 1000)
  const minutes = Math.ceil((probesOfBudget * needed) / 60_000)
  return [
    `at about ${Number(rate.toPrecision(2))}${unit} a probe of ${text(probeMs)} holds ${held} requests`,
    `an interval of ±${percent(precision)} takes probes of ${text(needed)}: --budget ${minutes}m`,
    `this budget decides about ±${percent(attainable)}`,
  ].join('; ')
}

function text(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`
}

/** Minimum length of a probe, in answer times: only answers that begin and end in it show its load. */
const minAnswers = 5
const minProbeMs = 2000
const maxProbeMs = 60_000

/** Default length of a probe: a thirtieth of the budget, and several answers. */
export function defaultProbeMs(budgetMs: number, answerMs: number): number {
  const even = Math.min(maxProbeMs, Math.max(minProbeMs, budgetMs / probesOfBudget))
  return Math.min(Math.max(even, minAnswers * answerMs), Math.max(minProbeMs, budgetMs / 8))
}
