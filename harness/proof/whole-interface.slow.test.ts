import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, lineOf, rowsWith } from '../conformance/test-support/check.ts'
import { wholeProfile } from './test-support/independent-server/profile.ts'
import {
  type HandMadeServer,
  startHandMadeServer,
} from './test-support/independent-server/server.ts'

/**
 * No scenario knows a path or a shape that the document does not show: a server that shares no code
 * with ours, and has other wrappers, cursors, statuses and knowledge routes, proves every required
 * row with its own profile.
 */
// Whole runs, on a machine that may be busy with other things.
describe('the whole interface in other clothes', { timeout: 90_000 }, () => {
  let server: HandMadeServer
  beforeEach(async () => {
    server = await startHandMadeServer({ wantsMore: true })
  })
  afterEach(() => server.close())

  test('conforms, and leaves no required row open', async () => {
    const report = await check(wholeProfile(server))
    expect(rowsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    const open = rowsWith(report, 'unproven', 'inconclusive', 'not-applicable')
    expect(open.filter(({ level }) => level === 'required').map(lineOf)).toEqual([])
    expect(report.faults).toEqual([])
    expect(report.outcome).toBe('conforms')
    expect(server.chats()).toBe(0)
  })

  /** A guess may be refused, or not be understood: the report names the member that would tell. */
  test.each([
    { silent: ['createChat'], open: ['V3-CHAT-01', 'V3-CHAT-03'] },
    {
      silent: ['upload', 'patchChat', 'video'],
      open: ['V3-CHAT-10', 'V3-GEN-08', 'V3-ATT-01', 'V3-ATT-02'],
    },
    { silent: ['excludeFavorites', 'assistant', 'runs'], open: ['V3-CHAT-09', 'V3-ONE-05'] },
  ])('is not accused where the profile does not say $silent', async ({ silent, open }) => {
    const declared = Object.entries(wholeProfile(server).requests)
    const requests = Object.fromEntries(declared.filter(([name]) => !silent.includes(name)))
    const report = await check(wholeProfile(server, { requests }))
    expect(rowsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    expect(report.faults).toEqual([])
    expect(report.outcome).toBe('incomplete')
    const messages = report.requirements
      .filter(({ id }) => open.includes(id))
      .map(({ message }) => message)
    expect(messages.filter((message) => !message?.includes('set requests.'))).toEqual([])
    expect(messages).toHaveLength(open.length)
  })

  test('may have its v2 chats named in the profile', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => openRoom(server)))
    const only = ['V2-*', 'VER-*']
    const report = await check(wholeProfile(server, { v2Chat: { ids } }), { only })
    const rows = rowsWith(report, 'pass')
    expect(rows).toHaveLength(report.requirements.length)
    expect(report.outcome).toBe('conforms')
  })
})

/** A v2 chat, made as the profile of the server says. */
async function openRoom({ url, key }: HandMadeServer): Promise<string> {
  const answer = await fetch(`${url}/api/portal/rooms`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'A room of long ago' }),
  })
  const { opened } = (await answer.json()) as { opened: readonly { key: string }[] }
  return opened[0]?.key ?? ''
}
