import { formOf, wordIn } from './form.ts'
import { type Call, Refusal, readJson, sendJson } from './http.ts'
import { lookUp, type Shelf } from './knowledge-base.ts'

/**
 * Below either prefix of the knowledge bases; undefined where nothing is there. The document shows
 * none of these paths, so they are unlike those of anybody else.
 */
export function knowledgeRoute(call: Call, shelf: Shelf): (() => void | Promise<void>) | undefined {
  const path = /^\/api\/(?:v3\/)?knowledge(\/.*)$/.exec(call.url.pathname)?.[1]
  if (path === undefined) return undefined
  const method = call.request.method
  if (method === 'POST' && path === '/catalogue') return () => catalogue(call, shelf)
  if (method === 'POST' && path === '/ask') return () => ask(call, shelf)
  const [, code] = /^\/([\w-]+)\/papers\/\w+$/.exec(path) ?? []
  return method === 'PUT' && code === shelf.code ? () => addPaper(call, shelf) : undefined
}

async function catalogue(call: Call, { code, papers }: Shelf): Promise<void> {
  const { kind } = await readJson(call)
  if (kind !== 'shelves') throw new Refusal(422, 'a catalogue of what?')
  const asked_at = new Date().toISOString()
  sendJson(call, 203, { asked_at, shelves: [{ code, fond: 'The yard', papers: papers.length }] })
}

async function ask(call: Call, shelf: Shelf): Promise<void> {
  const { shelf: code, words } = await readJson(call)
  if (code !== shelf.code) throw new Refusal(404, 'there is no such shelf')
  if (typeof words !== 'string') throw new Refusal(422, 'what is asked?')
  sendJson(call, 200, { answer: { passages: lookUp(shelf, words) }, took_ms: Math.random() })
}

async function addPaper(call: Call, { papers }: Shelf): Promise<void> {
  const form = await formOf(call)
  const paper = form.get('paper')
  if (paper === null || typeof paper === 'string') throw new Refusal(422, 'where is the paper?')
  papers.push({ title: wordIn(form, 'title') ?? paper.name, text: await paper.text() })
  call.response.writeHead(202).end()
}
