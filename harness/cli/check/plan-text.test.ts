import { expect, test } from 'vitest'
import { noCost } from '../../conformance/usage.ts'
import type { Scenario } from '../../conformance/vitest/collector.ts'
import { planText } from './dry-run.ts'

const settings = {
  selection: { profile: 'v3', only: [], skip: [] },
  depth: 'normal',
  maxGenerations: 1200,
} as const
const scenarios: readonly Scenario[] = [
  {
    slug: 'a',
    title: 'an answer is streamed as events',
    requirements: [],
    again: 0,
    cost: { requests: 40, generations: 20, chats: 2, uploads: 0 },
  },
  {
    slug: 'b',
    title: 'GET /chat lists the chats of a caller, the latest of them first',
    requirements: [],
    again: 3,
    cost: { ...noCost, requests: 360 },
  },
]

test('a plan fits the terminal, and estimates the time that a run takes', () => {
  const options = { ...settings, limits: {}, jobs: 4, width: 60 }
  const text = planText(scenarios, options)
  expect(text.split('\n').filter((line) => line.length > 60)).toEqual([])
  expect(text).toMatch(/total +400 +20 +2 +0/)
  const flat = text.replaceAll(/\s+/g, ' ')
  expect(flat).toContain(
    'about 10 s at 1 s per generation, about 55 s at 10 s per generation, limited to 4 scenarios at a time',
  )
  expect(flat).toContain('Up to 3 extra generations')
})

test('the rate that the profile allows is a bound', () => {
  const limits = { requestsPerSecond: 2 }
  const options = { ...settings, limits, jobs: 4, width: 100 }
  const flat = planText(scenarios, options).replaceAll(/\s+/g, ' ')
  expect(flat).toContain(
    'Estimated duration: about 4 min, limited to 4 scenarios at a time and 2 requests per second',
  )
})

test('exploring has a budget of its own, beside that of the scenarios', () => {
  const exploration = {
    operations: 200,
    cost: { requests: 600, generations: 24, chats: 34, uploads: 10 },
  }
  const options = { ...settings, limits: {}, jobs: 4, width: 80, exploration }
  const text = planText(scenarios, options)
  expect(text).toMatch(/^total +400 +20 +2 +0$/m)
  expect(text).toMatch(/^exploring, 200 operations +600 +24 +34 +10$/m)
  expect(text).toMatch(/^total with exploring +1000 +44 +36 +10$/m)
  expect(text.replaceAll(/\s+/g, ' ')).toContain('about 65 s at 1 s per generation')
})
