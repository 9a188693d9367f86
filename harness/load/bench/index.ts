export { type BenchReport, runBench } from './bench.ts'
export { benchCases } from './cases.ts'
export type { BenchFailures } from './measure.ts'
export { benchToText } from './table.ts'
