import { formOf, wordIn } from './form.ts'
import { type Call, Refusal, readJson, sendJson } from './http.ts'
import { type KnowledgeBase, lookUp } from './knowledge-base.ts'

/**
 * Route below either prefix of the knowledge bases; undefined where nothing is there. The document shows
 * none of these paths, so they are unlike those of anybody else.
 */
export function knowledgeRoute(
  call: Call,
  knowledgeBase: KnowledgeBase,
): (() => void | Promise<void>) | undefined {
  const path = /^\/api\/(?:v3\/)?knowledge(\/.*)$/.exec(call.url.pathname)?.[1]
  if (path === undefined) return undefined
  const method = call.request.method
  if (method === 'POST' && path === '/catalogue') return () => catalogue(call, knowledgeBase)
  if (method === 'POST' && path === '/ask') return () => ask(call, knowledgeBase)
  const [, code] = /^\/([\w-]+)\/papers\/\w+$/.exec(path) ?? []
  return method === 'PUT' && code === knowledgeBase.code
    ? () => addPaper(call, knowledgeBase)
    : undefined
}

async function catalogue(call: Call, { code, papers }: KnowledgeBase): Promise<void> {
  const { kind } = await readJson(call)
  if (kind !== 'shelves') throw new Refusal(422, 'a catalogue of what?')
  const asked_at = new Date().toISOString()
  sendJson(call, 203, { asked_at, shelves: [{ code, fond: 'The yard', papers: papers.length }] })
}

async function ask(call: Call, knowledgeBase: KnowledgeBase): Promise<void> {
  const { shelf: code, words } = await readJson(call)
  if (code !== knowledgeBase.code) throw new Refusal(404, 'there is no such shelf')
  if (typeof words !== 'string') throw new Refusal(422, 'what is asked?')
  sendJson(call, 200, {
    answer: { passages: lookUp(knowledgeBase, words) },
    took_ms: Math.random(),
  })
}

async function addPaper(call: Call, { papers }: KnowledgeBase): Promise<void> {
  const form = await formOf(call)
  const paper = form.get('paper')
  if (paper === null || typeof paper === 'string') throw new Refusal(422, 'where is the paper?')
  papers.push({ title: wordIn(form, 'title') ?? paper.name, text: await paper.text() })
  call.response.writeHead(202).end()
}
