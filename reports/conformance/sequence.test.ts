import { expect, test } from 'vitest'
import type { Exchange } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { toMarkdown } from '../document/markdown.ts'
import { exchanges, requirement, violated } from '../test-support/reports.ts'
import { conformanceDocument } from './document.ts'
import { reportToGitHub } from './github.ts'
import { reportToJUnit } from './junit/junit.ts'

const of = (brokenBy: readonly string[]) => {
  const found = { message: 'the name is lost', scenarios: [...brokenBy], exchanges: ['x4', 'x5'] }
  const broken = { ...requirement('V3-CHAT-10', 'fail', found), brokenBy: [...brokenBy] }
  return { ...violated, requirements: [broken] }
}

test.each([
  [
    'Markdown',
    (report: ConformanceReport, all: ReadonlyMap<string, Exchange>) =>
      toMarkdown(conformanceDocument(report, all)),
    1,
  ],
  ['JUnit', reportToJUnit, 1],
  ['GitHub', reportToGitHub, 0],
] as const)('%s shows each request of a random sequence as a command', (_, write, ofScenario) => {
  const commands = (brokenBy: readonly string[]) =>
    [...write(of(brokenBy), exchanges).matchAll(/curl -i/g)].length
  expect(commands(['explore'])).toBe(2)
  expect(commands(['a-scenario'])).toBe(ofScenario)
})
