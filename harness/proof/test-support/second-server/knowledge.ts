import { type Call, Refusal, readForm, sendJson } from './http.ts'
import { findIn } from './model.ts'
import type { KnowledgeBase } from './state.ts'

export function listBases(call: Call): void {
  const bases = [...call.state.bases.values()].map(({ id, title }) => ({ kb: id, title }))
  sendJson(call, 200, { bases })
}

export async function addDocument(call: Call): Promise<void> {
  const base = baseOf(call)
  const { file } = await readForm(call)
  if (file === undefined) throw new Refusal(422, 'a file part is wanted')
  const id = `${base.id}-d${base.documents.length}`
  if (call.rules.storesUpload(call)) base.documents.push({ id, text: file.bytes.toString('utf8') })
  sendJson(call, 202, { document: id })
}

export function searchBase(call: Call): void {
  const base = baseOf(call)
  const bases = call.rules.searched(base, [...call.state.bases.values()])
  const about = call.query.get('about') ?? ''
  const hits = findIn(
    bases.flatMap(({ documents }) => documents),
    about,
  )
  sendJson(call, 200, { hits: hits.map((excerpt) => ({ excerpt })) })
}

function baseOf({ state, ids }: Call): KnowledgeBase {
  const base = state.bases.get(ids[0] ?? '')
  if (base === undefined) throw new Refusal(404, 'no such base')
  return base
}
