import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { readJournal } from '../../conformance/cleanup/journal.ts'
import { type ChatServer, startChatServer } from '../../conformance/test-support/chat-server.ts'
import { chatgen, chatsOn, emptyFolder, expectEnd, start } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { createdIn, journalOf } from '../test-support/journals.ts'

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const tagged = (nonce: string) => `${nonce} chatgen-5eed`

describe('chatgen cleanup', () => {
  test('deletes what a journal leaves open, and nothing else, line by line', async () => {
    const server = await chatServer()
    server.add(tagged('Lost1'))
    server.add('Somebody else made this')
    const { file, folder } = journal(server, [
      created(tagged('Known1'), server.add(tagged('Known1'))),
      { ...open, name: tagged('Lost1') },
      { ...open, name: tagged('Never1') },
      { ...open, kind: 'attachment', name: 'a.txt' },
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
    expectEnd(await run(['cleanup', file], server, folder), 0, { out: 'no chats to delete' })
    expect(server.requests.length).toBe(before)
  })

  test('--dry-run sends nothing', async () => {
    const server = await chatServer()
    const id = server.add(tagged('Known1'))
    const { folder } = journal(server, [created(tagged('Known1'), id)])
    const ended = await run(['cleanup', 'j.ndjson', '--dry-run'], server, folder)
    expectEnd(ended, 0, { out: `would delete  ${id}` })
    expect(server.requests).toEqual([])
  })

  test('ends with 1 if something could not be deleted', async () => {
    const server = await chatServer({ deletes: () => ({ done: false, status: 500 }) })
    const id = server.add(tagged('Hard1'))
    const { folder } = journal(server, [created(tagged('Hard1'), id)])
    const out = [`left     ${id}`, '0 chats deleted or already gone, 1 left']
    expectEnd(await run(settlingAt(folder, server), server, folder), 1, { out })
  })

  test('asks every endpoint for what the others did not delete, also if one is down', async () => {
    const key = 'tok_of_both'
    const servers = [await chatServer({ key }), await chatServer({ key })] as const
    const down = await startChatServer()
    await down.close()
    const entries = servers.map((server, at) =>
      created(tagged(`Known${at}`), server.add(tagged(`Known${at}`))),
    )
    const { folder } = journal(servers[0], entries)
    const ended = await run(settlingAt(folder, down, ...servers), servers[0], folder)
    expectEnd(ended, 0, { out: '2 chats deleted or already gone', err: `chatgen: ${down.url}` })
    expect(servers.map((server) => server.chats.size)).toEqual([0, 0])
  })

  test('does not touch what lacks the tag of the run, nor sends an id that leads elsewhere', async () => {
    const server = await chatServer()
    const ids = ['..', '.', '', '../../v2/message', '%2e%2e']
    const { folder } = journal(server, [
      created('My own chat', server.add('My own chat')),
      ...ids.map((id) => created(tagged('Tavoru7316'), id)),
    ])
    const ended = await run(['cleanup', 'j.ndjson'], server, folder)
    const left = '2 chats deleted or already gone, 4 left'
    expectEnd(ended, 1, { out: ['does not carry the tag chatgen-5eed', left] })
    expect(ended.stdout.match(/its id cannot be part of a path/g)).toHaveLength(3)
    expect(server.chats.size).toBe(1)
  })

  test('ends with 3 if nothing listens, and if the key is refused', async () => {
    const server = await chatServer()
    const { folder } = journal(server, [{ ...open, name: tagged('Lost1') }])
    const wrong = { CHATGEN_API_KEY: 'sk-wrong-key' }
    const refused = await inProcess(['cleanup', 'j.ndjson'], wrong, folder)
    expectEnd(refused, 3, { err: 'refuses the key' })
    const unreachable = await inProcess(['cleanup', 'j.ndjson', 'http://127.0.0.1:1'], {}, folder)
    expectEnd(unreachable, 3, { err: 'nothing listens there' })
  })

  test('finds all that a killed run has left behind', { timeout: 60_000 }, async () => {
    const { server, key, folder, file } = await killedInTheMiddle()
    expect(readJournal(file).open.length).toBeGreaterThan(0)

    const ended = await chatgen(['cleanup', file], { CHATGEN_API_KEY: key }, folder)
    expectEnd(ended, 0, { out: 'deleted or already gone' })
    expect(await chatsOn(server.url, key)).toEqual([])
    expect(readFileSync(file, 'utf8')).not.toContain(key)
  })
})

/** A check of a separate server, killed once it has five chats. */
async function killedInTheMiddle() {
  const server = await startReferenceServer()
  onTestFinished(() => server.close())
  const [key = ''] = server.keys
  const folder = emptyFolder()
  const file = join(folder, 'chatgen-results', 'journal.ndjson')
  // They upload nothing: the document has no route to delete a file.
  const only = ['--profile', 'v3', '--only', 'V3-HIST-*', '--only', 'V3-CHAT-*']
  const check = start(['check', server.url, ...only], { CHATGEN_API_KEY: key }, folder)
  while (createdIn(file) < 5) await sleep(5)
  check.child.kill('SIGKILL')
  await check.ended
  return { server, key, folder, file }
}

const open = { event: 'create', kind: 'chat', scenario: 's' }

function created(name: string, id: string): object {
  return { ...open, event: 'created', name, id }
}

async function chatServer(options: Parameters<typeof startChatServer>[0] = {}) {
  const server = await startChatServer(options)
  onTestFinished(() => server.close())
  return server
}

function journal(server: ChatServer, entries: readonly object[]) {
  const folder = emptyFolder()
  const file = join(folder, 'j.ndjson')
  // The last line of a killed run.
  const cut = '{"event":"cre'
  writeFileSync(file, journalOf(server.url, entries) + cut)
  return { file, folder }
}

/** Arguments of a cleanup of these endpoints, by a profile that waits a moment only. */
function settlingAt(folder: string, ...servers: readonly Pick<ChatServer, 'url'>[]) {
  const urls = servers.map(({ url }) => url).join(', ')
  writeFileSync(join(folder, 'target.yaml'), `baseUrls: [${urls}]\nlimits: { settleMs: 50 }\n`)
  return ['cleanup', 'j.ndjson', '--target', 'target.yaml']
}

function run(args: readonly string[], server: ChatServer, folder: string) {
  return inProcess(args, { CHATGEN_API_KEY: server.key }, folder)
}
