import { expect, test } from 'vitest'
import { exchanges, row, violated } from '../test-support/reports.ts'
import { reportToGitHub } from './github.ts'
import { reportToJUnit } from './junit/junit.ts'
import { reportToMarkdown } from './markdown/markdown.ts'

const of = (brokenBy: readonly string[]) => {
  const found = { message: 'the name is lost', scenarios: [...brokenBy], exchanges: ['x4', 'x5'] }
  const broken = { ...row('V3-CHAT-10', 'fail', found), brokenBy: [...brokenBy] }
  return { ...violated, requirements: [broken] }
}

test.each([
  ['Markdown', reportToMarkdown, 1],
  ['JUnit', reportToJUnit, 1],
  ['GitHub', reportToGitHub, 0],
] as const)('%s shows each request of a random sequence as a command', (_, write, ofScenario) => {
  const commands = (brokenBy: readonly string[]) =>
    [...write(of(brokenBy), exchanges).matchAll(/curl -i/g)].length
  expect(commands(['explore'])).toBe(2)
  expect(commands(['a-scenario'])).toBe(ofScenario)
})
