import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import {
  createdEntries,
  headLine,
  openEntries,
  readJournal,
} from '../../conformance/cleanup/journal.ts'
import { type ChatServer, startChatServer } from '../../conformance/test-support/chat-server.ts'
import { chatgen, emptyFolder, start } from '../test-support/chatgen.ts'

/** `chatgen cleanup` by the real bin. */

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const tagged = (nonce: string) => `${nonce} chatgen-5eed`

describe('chatgen cleanup', () => {
  test('deletes what a journal leaves open, and nothing else, line by line', async () => {
    const server = await startChatServer()
    const chat = server.add(tagged('Known1'))
    server.add(tagged('Lost1'))
    server.add('Somebody else made this')
    const { file, folder } = journal(server, [
      { event: 'created', kind: 'chat', name: tagged('Known1'), scenario: 's', id: chat },
      { event: 'create', kind: 'chat', name: tagged('Lost1'), scenario: 's' },
      { event: 'create', kind: 'chat', name: tagged('Never1'), scenario: 's' },
      { event: 'create', kind: 'attachment', name: 'a.txt', scenario: 's' },
    ])
    const { code, stdout } = await run(['cleanup', 'j.ndjson'], server, folder)
    expect(
      stdout.replaceAll(server.url, 'URL').replaceAll(uuid, 'ID').split('\n').sort(),
    ).toMatchInlineSnapshot(`
      [
        "",
        "3 chats deleted or already gone",
        "deleted  ID  Known1 chatgen-5eed: DELETE: 204, then GET: 404",
        "deleted  ID  Lost1 chatgen-5eed: DELETE: 204, then GET: 404",
        "gone     by name  Never1 chatgen-5eed: no chat of this name is listed",
        "j.ndjson: run chatgen-5eed against URL (chatgen 0.1.0): 3 chats to delete, 1 truncated line",
        "not deleted: 1 attachment (the interface has no route to delete them)",
      ]
    `)
    expect(code).toBe(0)
    expect([...server.chats.values()].map(({ name }) => name)).toEqual(['Somebody else made this'])

    const before = server.requests.length
    const again = await run(['cleanup', file], server, folder)
    expect(again.stdout).toContain('no chats to delete')
    expect(again.code).toBe(0)
    expect(server.requests.length).toBe(before)
    await server.close()
  })

  test('--dry-run sends nothing', async () => {
    const server = await startChatServer()
    const id = server.add(tagged('Known1'))
    const { folder } = journal(server, [
      { event: 'created', kind: 'chat', name: tagged('Known1'), scenario: 's', id },
    ])
    const { code, stdout } = await run(['cleanup', 'j.ndjson', '--dry-run'], server, folder)
    expect(stdout).toContain(`would delete  ${id}`)
    expect(code).toBe(0)
    expect(server.requests).toEqual([])
    await server.close()
  })

  test('ends with 1 where something could not be deleted', async () => {
    const server = await startChatServer({ deletes: () => ({ done: false, status: 500 }) })
    const id = server.add(tagged('Hard1'))
    const profile = `baseUrl: ${server.url}\nlimits: { settleMs: 50 }\n`
    const { folder } = journal(server, [
      { event: 'created', kind: 'chat', name: tagged('Hard1'), scenario: 's', id },
    ])
    writeFileSync(join(folder, 'target.yaml'), profile)
    const args = ['cleanup', 'j.ndjson', '--target', 'target.yaml']
    const { code, stdout } = await run(args, server, folder)
    expect(stdout).toContain(`left     ${id}`)
    expect(stdout).toContain('0 chats deleted or already gone, 1 left')
    expect(code).toBe(1)
    await server.close()
  })

  test('asks every endpoint for what the others did not delete, also if one is down', async () => {
    const key = 'tok_of_both'
    const servers = [await startChatServer({ key }), await startChatServer({ key })] as const
    const ids = servers.map((server, at) => server.add(tagged(`Known${at}`)))
    const down = await startChatServer()
    await down.close()
    const { folder } = journal(
      servers[0],
      ids.map((id, at) => ({
        ...{ event: 'created', kind: 'chat', name: tagged(`Known${at}`), scenario: 's', id },
      })),
    )
    const urls = [down, ...servers].map(({ url }) => url)
    const profile = `baseUrls: [${urls.join(', ')}]\nlimits: { settleMs: 50 }\n`
    writeFileSync(join(folder, 'target.yaml'), profile)
    const args = ['cleanup', 'j.ndjson', '--target', 'target.yaml']
    const { code, stdout, stderr } = await run(args, servers[0], folder)
    expect(stderr).toContain(`chatgen: ${down.url}`)
    expect(stdout).toContain('2 chats deleted or already gone')
    expect(code).toBe(0)
    expect(servers.map((server) => server.chats.size)).toEqual([0, 0])
    for (const server of servers) await server.close()
  })

  test('does not touch what lacks the tag of the run', async () => {
    const server = await startChatServer()
    const id = server.add('My own chat')
    const { folder } = journal(server, [
      { event: 'created', kind: 'chat', name: 'My own chat', scenario: 's', id },
    ])
    const { code, stdout } = await run(['cleanup', 'j.ndjson'], server, folder)
    expect(stdout).toContain('does not carry the tag chatgen-5eed')
    expect(code).toBe(1)
    expect(server.chats.size).toBe(1)
    await server.close()
  })

  test('ends with 3 where nothing listens, and where the key is refused', async () => {
    const server = await startChatServer()
    const { folder } = journal(server, [
      { event: 'create', kind: 'chat', name: tagged('Lost1'), scenario: 's' },
    ])
    const refused = await chatgen(
      ['cleanup', 'j.ndjson'],
      { CHATGEN_API_KEY: 'sk-wrong-key' },
      folder,
    )
    expect(refused.stderr).toContain('refuses the key')
    expect(refused.code).toBe(3)
    const unreachable = await chatgen(['cleanup', 'j.ndjson', 'http://127.0.0.1:1'], {}, folder)
    expect(unreachable.stderr).toContain('nothing listens there')
    expect(unreachable.code).toBe(3)
    await server.close()
  })

  test('finds all that a killed run has left behind', { timeout: 60_000 }, async () => {
    const { server, key, folder, file } = await endedInTheMiddle('SIGKILL')
    expect(openEntries(readJournal(file)).length).toBeGreaterThan(0)

    const { code, stdout } = await chatgen(['cleanup', file], { CHATGEN_API_KEY: key }, folder)
    expect(stdout).toContain('deleted or already gone')
    expect(code).toBe(0)
    const headers = { authorization: `Bearer ${key}` }
    const left = await fetch(`${server.url}/api/v3/chat?limit=100`, { headers })
    expect(await left.json()).toMatchObject({ result: [] })
    expect(readFileSync(file, 'utf8')).not.toContain(key)
    await server.close()
  })
})

/** Cleaning up after Ctrl-C has two seconds. */
const starvable = { retry: 2 }

test('a run that is interrupted cleans up by itself', starvable, async () => {
  const { server, key, file, code } = await endedInTheMiddle('SIGINT')
  // The document shows no way to delete a file.
  const open = openEntries(readJournal(file)).filter(({ kind }) => kind === 'chat')
  expect(open).toEqual([])
  const headers = { authorization: `Bearer ${key}` }
  const left = await fetch(`${server.url}/api/v3/chat?limit=100`, { headers })
  expect(await left.json()).toMatchObject({ result: [] })
  expect(code).toBe(130)
  await server.close()
})

test('an id that leads elsewhere is not sent', async () => {
  const server = await startChatServer()
  const name = 'Tavoru7316 chatgen-5eed'
  const ids = ['..', '.', '', '../../v2/message', '%2e%2e']
  const { file, folder } = journal(
    server,
    ids.map((id) => ({ event: 'created', kind: 'chat', name, scenario: 'a', id })),
  )
  const { stdout, code } = await run(['cleanup', file], server, folder)
  expect(stdout.match(/its id cannot be part of a path/g)).toHaveLength(3)
  expect(stdout).toContain('2 chats deleted or already gone, 3 left')
  expect(code).toBe(1)
  await server.close()
})

/** A check of a server of its own that a signal ends once five chats are made. */
async function endedInTheMiddle(signal: 'SIGKILL' | 'SIGINT') {
  const server = await startReferenceServer()
  const [key = ''] = server.keys
  const folder = emptyFolder()
  const file = join(folder, 'chatgen-results', 'journal.ndjson')
  const only = ['--profile', 'v3', '--only', 'V3-HIST-*', '--only', 'V3-AUTH-*']
  const check = start(['check', server.url, ...only], { CHATGEN_API_KEY: key }, folder)
  while (!existsSync(file) || createdSoFar(file) < 5) await sleep(5)
  check.child.kill(signal)
  const { code } = await check.ended
  return { server, key, folder, file, code }
}

function createdSoFar(file: string): number {
  return readFileSync(file, 'utf8').includes('\n') ? createdEntries(readJournal(file)).length : 0
}

function journal(server: ChatServer, entries: readonly object[]) {
  const folder = emptyFolder()
  const file = join(folder, 'j.ndjson')
  const head = headLine({ tag: 'chatgen-5eed', kit: '0.1.0', baseUrl: server.url }, String)
  // The last line of a killed run.
  const cut = '{"event":"cre'
  writeFileSync(file, head + entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') + cut)
  return { file, folder }
}

function run(args: readonly string[], server: ChatServer, folder: string) {
  return chatgen(args, { CHATGEN_API_KEY: server.key }, folder)
}
