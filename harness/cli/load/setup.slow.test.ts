import { expect, test, vi } from 'vitest'
import { codings, jsonFront } from '../../load/test-support/fronts.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { load, served, withKey } from './test-support/loading.ts'

vi.setConfig({ testTimeout: 60_000 })

const args = ['--mix', 'v3-history', '--rate', '5', '--duration', '1s']

async function chatCount(url: string): Promise<number> {
  const authorization = `Bearer ${withKey.CHATGEN_API_KEY}`
  const response = await fetch(`${url}/api/v3/chat`, { headers: { authorization } })
  expect(response.status).toBe(200)
  const { result } = (await response.json()) as { result: unknown[] }
  return result.length
}

test.each(Object.keys(codings) as (keyof typeof codings)[])(
  'behind a proxy that answers in %s, chats are prepared, read and deleted',
  async (coding) => {
    const url = await served()
    const { report } = await load([await jsonFront(url, coding), ...args])
    expect(report.transactions.map(({ planned }) => planned)).not.toContain(0)
    expect(report.errors).toEqual([])
    expect(report.notes).toEqual([])
    expect(await chatCount(url)).toBe(0)
  },
)

test('without a readable id, nothing is sent, and the target is named', async () => {
  const url = await served()
  const front = await jsonFront(url, null, (text, operation) =>
    operation === 'POST /api/v3/chat' ? '{"status":"created"}' : text,
  )
  const { code, stdout, stderr } = await chatgen(['load', front, ...args], withKey, emptyFolder())
  expect(code).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain(
    'chat creation: the response has no readable id (status 201, 2 times). No load was sent.',
  )
  expect(stderr).toContain('chats may be left on the target: run chatgen cleanup')
  expect(stderr).not.toContain('generator')
})
