import { readBody } from '../../../conformance/test-support/listen.ts'
import { type Call, Refusal } from './http.ts'

/** The parts of a multipart body. */
export async function formOf({ request }: Call): Promise<FormData> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) throw new Refusal(415, 'a form is wanted')
  const body = new Uint8Array(await readBody(request))
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch {
    throw new Refusal(400, 'this is no form')
  }
}

/** The text of a part that is no file. */
export function wordIn(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  return typeof value === 'string' ? value : undefined
}
