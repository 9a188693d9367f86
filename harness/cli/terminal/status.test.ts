import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Progress } from '../../conformance/progress.ts'
import { addCosts, noCost } from '../../conformance/usage.ts'
import { showLoadProgress } from '../load/output/live.ts'
import { quietIo } from '../test-support/in-process.ts'
import { showProgress, showSteps } from './progress.ts'

const printed: string[] = []
const notNeeded = () => expect.unreachable()
const io = quietIo({ err: (text) => void printed.push(text) })

function progress(about: Partial<Progress>): Progress {
  const cost = addCosts(noCost, { requests: 40, generations: 9, chats: 3, uploads: 0 })
  return {
    scenario: 's',
    done: 12,
    total: 60,
    retries: 0,
    share: 0.25,
    cost,
    requirements: () => [],
    report: notNeeded,
    ...about,
  }
}

beforeEach(() => {
  printed.length = 0
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

describe('progress without a terminal', () => {
  test('of a check is printed every ten seconds with the time left', () => {
    const progressView = showProgress(io, true)
    vi.advanceTimersByTime(9_900)
    expect(printed).toEqual([])
    vi.advanceTimersByTime(200)
    progressView.update(progress({}))
    vi.advanceTimersByTime(10_000)
    progressView.update(progress({ done: 45, share: 0.8, cost: { ...noCost, requests: 141 } }))
    vi.advanceTimersByTime(10_000)
    progressView.update(progress({ done: 59, retries: 3, share: 0.9 }))
    vi.advanceTimersByTime(10_000)
    progressView.stop()
    vi.advanceTimersByTime(60_000)
    expect(printed).toEqual([
      'check: no scenario finished yet, 10 s',
      'check: 12/60 scenarios, 40 requests, 20 s, about 60 s left',
      'check: 45/60 scenarios, 141 requests, 30 s, about 10 s left',
      'check: 59/60 scenarios, 3 retries, 40 requests, 40 s, about 5 s left',
    ])
  })

  test('estimates each run of several from its beginning', () => {
    const progressView = showProgress(io, true)
    progressView.update(progress({ done: 60, share: 1 }))
    vi.advanceTimersByTime(60_000)
    printed.length = 0
    progressView.update(progress({ done: 30, share: 0.5 }))
    vi.advanceTimersByTime(10_000)
    progressView.stop()
    expect(printed).toEqual(['check: 30/60 scenarios, 40 requests, 70 s, about 10 s left'])
  })

  test('is not printed with --quiet', () => {
    showProgress(io, false).update(progress({}))
    showLoadProgress(io, false)
    vi.advanceTimersByTime(60_000)
    expect(printed).toEqual([])
  })

  test('of a load is printed from its preparation on', () => {
    const progressView = showLoadProgress(io, true)
    vi.advanceTimersByTime(10_000)
    progressView.stop()
    expect(printed).toEqual(['load: preparing'])
  })

  test('of a short command is printed after two seconds', () => {
    const steps = showSteps(io, { name: 'init' })
    steps.step('which surfaces answer')
    vi.advanceTimersByTime(1_900)
    expect(printed).toEqual([])
    vi.advanceTimersByTime(200)
    steps.stop()
    expect(printed).toEqual(['init: which surfaces answer, 2 s'])
  })
})

test.each([
  ['is omitted if less than 5 % is done', 0.04, ''],
  ['is omitted if everything is done', 1, ''],
  ['is in minutes from two minutes on', 0.05, ', about 4 min left'],
])('an estimated time %s', (_, share, left) => {
  const progressView = showProgress(io, true)
  progressView.update(progress({ share }))
  vi.advanceTimersByTime(10_000)
  progressView.stop()
  expect(printed).toEqual([`check: 12/60 scenarios, 40 requests, 10 s${left}`])
})
