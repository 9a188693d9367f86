/** One probe of a capacity search: a rate, and how often each SLO's limit was exceeded at it. */
import { batchMeansOf } from '../../contract/averages.ts'
import { decideShare, minRequests } from '../load/statistics/shares.ts'
import { designEffect } from '../load/statistics/steady-state.ts'
import type { TokenBucket } from './policy-limit.ts'

/** Requests over the limit of an SLO, and the share that it allows. */
export interface LimitCount {
  /** The SLO as it was written, such as `ttft.p95 < 500ms`. */
  readonly slo: string
  /** Share that may be over the limit, 0 to 1: 0.05 for a p95. */
  readonly allowed: number
  readonly requests: number
  readonly over: number
  /** Effective sample size as a share of `requests`, 0 to 1. */
  readonly independent: number
}

export interface Probe {
  /** Requests per second that were offered. */
  readonly rate: number
  readonly limits: readonly LimitCount[]
  /** Length as a multiple of the usual one; 1 if it is absent. */
  readonly effort?: number
  /** Start of the probe, milliseconds after that of the search. */
  readonly atMs: number
  /** False if the load generator was the bottleneck: the probe then counts for nothing. */
  readonly valid: boolean
  /** The generator was late though hardly busy: other programs took its CPUs, whatever the rate. */
  readonly isDisturbed?: true
  /** The rate limit that explains its refusals; absent if there is none. */
  readonly policy?: TokenBucket
}

export function limitVerdictOf({ requests, over, allowed, independent }: LimitCount) {
  return decideShare(requests, over, allowed, independent).verdict
}

/** Missed if one SLO is missed, met if all are; by a test at the confidence level of SLOs. */
export function verdictOf({ limits }: Probe): ReturnType<typeof limitVerdictOf> {
  const verdicts = limits.map(limitVerdictOf)
  if (verdicts.includes('missed')) return 'missed'
  return verdicts.every((verdict) => verdict === 'met') ? 'met' : 'undecided'
}

const batches = 20

/**
 * Effective sample size as a share of all, 0 to 1, from the differences between 20 batches.
 * @param series 1 for a request over the limit, 0 for one within, in order of time
 */
export function independentShare(series: readonly number[]): number {
  const size = Math.floor(series.length / batches)
  if (size < 5) return 1
  const means = batchMeansOf(series, batches, size)
  return 1 / designEffect(means.map((mean) => ({ count: mean * size, of: size })))
}

/** Rules of thumb for a budget: the length of its probes and the interval that it allows. */

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

/** Half-width of the interval that a budget allows, as a share of the rate. */
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

/** `at about 3/s a probe of 6 s contains 18 requests; …`; null if the budget suffices. */
export function budgetText(
  question: BudgetQuestion,
  { probeMs, precision }: Readonly<Record<'probeMs' | 'precision', number>>,
): string | null {
  const attainable = attainablePrecision(question)
  if (attainable <= precision) return null
  const { rate } = question
  const needed = neededProbeMs(question, precision)
  const held = Math.round((rate * probeMs) / 1000)
  const minutes = Math.ceil((probesOfBudget * needed) / 60_000)
  return [
    `at about ${Number(rate.toPrecision(2))}/s a probe of ${text(probeMs)} contains ${held} requests`,
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
