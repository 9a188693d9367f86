import { expect, test } from 'vitest'
import type { Scenario } from '../../conformance/run.ts'
import { noCost } from '../../conformance/run-setup.ts'
import { planText } from './plan-text.ts'

const selection = { profile: 'v3', only: [], skip: [] } as const
const scenarios: readonly Scenario[] = [
  {
    slug: 'a',
    title: 'a reply is streamed as events',
    rows: [],
    again: 0,
    cost: { requests: 40, generations: 20, chats: 2, uploads: 0 },
  },
  {
    slug: 'b',
    title: 'GET /chat lists the chats of a caller, the latest of them first',
    rows: [],
    again: 3,
    cost: { ...noCost, requests: 360 },
  },
]

test('a plan fits the terminal, and estimates the time that a run takes', () => {
  const options = { selection, limits: {}, jobs: 4, width: 60 }
  const text = planText(scenarios, options)
  expect(text.split('\n').filter((line) => line.length > 60)).toEqual([])
  expect(text).toMatch(/total +400 +20 +2 +0/)
  const flat = text.replaceAll(/\s+/g, ' ')
  expect(flat).toContain(
    'about 10 s where a generation takes 1 s, about 55 s where it takes 10 s; with 4 scenarios at a time',
  )
  expect(flat).toContain('up to 3 generations more')
})

test('the rate that the profile allows is a bound', () => {
  const limits = { requestsPerSecond: 2 }
  const options = { selection, limits, jobs: 4, width: 100 }
  const flat = planText(scenarios, options).replaceAll(/\s+/g, ' ')
  expect(flat).toContain(
    'It takes about 4 min; with 4 scenarios at a time and at most 2 requests a second',
  )
})
