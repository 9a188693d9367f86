import { InvalidArgumentError } from 'commander'
import type { FigureName } from '../../load/comparison/figures.ts'
import { comparedLatencies } from '../../load/summary/blocks.ts'

const others = ['success', 'goodput', 'rate', 'tokens']

/** Parses `--metric`: `ttft.p99`, `success`, `rate`; repeatable, with commas. */
export function comparedFigures(text: string, before: readonly FigureName[] = []): FigureName[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return [...before, ...names.map(figureName)]
}

function figureName(name: string): FigureName {
  if (name === 'success' || name === 'goodput') return { share: name }
  if (name === 'rate' || name === 'tokens') return { rate: name }
  const match = /^(\w+)\.p(\d{1,2}(?:\.\d+)?)$/.exec(name)
  const metric = comparedLatencies.find((name) => name === match?.[1])
  const q = Number((Number(match?.[2]) / 100).toPrecision(10))
  if (metric === undefined || !(q > 0)) {
    const latencies = comparedLatencies.map((name) => `${name}.p95`)
    throw new InvalidArgumentError(`must be one of ${[...latencies, ...others].join(', ')}`)
  }
  return { metric, q }
}
