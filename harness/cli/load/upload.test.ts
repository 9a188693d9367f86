import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { listenOnLoopback } from '../../client/test-support/listen-on-loopback.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { uploadReport, uploadUrl } from './results.ts'

test('a report goes to its presigned URL by PUT; a refusal does not show the signature', async () => {
  const puts: string[] = []
  const server = createServer(async (request, response) => {
    puts.push(`${request.method} ${request.url} ${await text(request)}`)
    response.writeHead(request.url?.startsWith('/ok') ? 200 : 403).end()
  })
  const { port, close } = await listenOnLoopback(server)
  await uploadReport(new URL(`http://127.0.0.1:${port}/ok?signature=s3cret`), '{"a":1}')
  expect(puts).toEqual(['PUT /ok?signature=s3cret {"a":1}'])
  const refused = uploadReport(new URL(`http://127.0.0.1:${port}/no?signature=s3cret`), '{}')
  await expect(refused).rejects.toThrow(
    `the report could not be uploaded to http://127.0.0.1:${port}/no: status 403`,
  )
  await close()
})

test('a file has a URL for each shard', () => {
  const file = join(emptyFolder(), 'urls.txt')
  writeFileSync(file, 'http://store/0?a\n\nhttp://store/1?b\n')
  expect(uploadUrl(file, { index: 1, of: 2 }).href).toBe('http://store/1?b')
  expect(uploadUrl('https://store/x', undefined).href).toBe('https://store/x')
  expect(() => uploadUrl(file, { index: 2, of: 3 })).toThrow('has no URL for shard 2')
  expect(() => uploadUrl('ftp://store/x', undefined)).toThrow('has no URL')
})
