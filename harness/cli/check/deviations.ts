import type { Dialect, Fault } from '../../../reference-server/deviations/index.ts'

/** Text of `--list-faults` and `--list-dialects`: a line each, the name first. */
export function deviationsText(deviations: readonly (Fault | Dialect)[]): string {
  const width = Math.max(0, ...deviations.map(({ name }) => name.length))
  return deviations
    .map((deviation) => {
      const rows = 'breaks' in deviation ? ` (${deviation.breaks.join(', ')})` : ''
      return `${deviation.name.padEnd(width)}  ${deviation.summary}${rows}`
    })
    .join('\n')
}
