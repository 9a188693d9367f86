/** The reference page at /docs: one page without scripts or external resources. */
import type { JsonObject } from '../../contract/json.ts'
import type { Route } from '../http/call.ts'
import { STATUS_CODES } from '../http/errors.ts'
import { examplesOf, openApiDocument, operationId, surface, surfaces } from './document.ts'

export function referencePage(routes: readonly Route[]): string {
  const { info, paths } = openApiDocument(routes) as unknown as Documented
  const sections = Object.entries(surfaces).map(([tag, title]) => {
    const own = routes.filter((route) => surface(route) === tag)
    const details = own.map((route) => operation(route, operationIn(paths, route)))
    return `<section><h2>${escaped(title)}</h2>${details.join('')}</section>`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(info.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main><h1>${escaped(info.title)}</h1><p>${escaped(info.description)}
<a href="/openapi.json">OpenAPI 3.1 document</a></p>
<p>Requests below <code>/api</code> need the header <code>Authorization: Bearer KEY</code>.</p>
${sections.join('\n')}</main></body></html>`
}

interface Documented {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly description: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description?: string
    readonly schema: JsonObject
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonObject }>>
  }
  readonly responses: Readonly<Record<string, unknown>>
}

function operationIn(paths: Documented['paths'], { path, method }: Route): Operation | undefined {
  return paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
}

function operation(route: Route, documented: Operation | undefined): string {
  const { method, path, summary } = route
  const { request, answer, stream } = examplesOf(route)
  const statuses = Object.keys(documented?.responses ?? {}).map((status) =>
    `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
  )
  const parts = [
    `<p>${escaped(documented?.description ?? '')}</p>`,
    table(documented?.parameters ?? []),
    ...Object.entries(documented?.requestBody?.content ?? {}).map(([type, { schema }]) =>
      block(`Schema of the body, ${type}`, text(schema)),
    ),
    request === undefined ? '' : block('Example request', curl(route, request)),
    answer === undefined ? '' : block('Example response', text(answer)),
    stream === undefined ? '' : block('Example stream', stream),
    `<p>Responses: ${escaped(statuses.join(', '))}</p>`,
  ]
  return `<details id="${operationId(route)}"><summary><b>${method}</b> <code>${escaped(path)}</code> ${escaped(summary)}</summary>${parts.join('')}</details>`
}

function table(parameters: Operation['parameters']): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const need = required ? 'required' : 'optional'
    const cells = [name, `${place}, ${need}`, description ?? JSON.stringify(schema)]
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}

function curl({ method, path, headers }: Route, body: unknown): string {
  const own = Object.keys(headers).map((name) => `  -H "${name}: $(uuidgen)" \\\n`)
  return `curl -N -X ${method} "$URL${path}" \\\n  -H "Authorization: Bearer $CHATGEN_API_KEY" \\\n${own.join('')}  --json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`
}

function block(title: string, content: string): string {
  return `<details><summary>${escaped(title)}</summary><pre tabindex="0">${escaped(content)}</pre></details>`
}

function text(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

function escaped(plain: string): string {
  return plain.replace(/[&<"]/g, (character) => entities[character] ?? character)
}

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}
details{border-bottom:1px solid #8886;padding:.4rem 0}details details{border:0;padding-left:1rem}
summary{cursor:pointer;overflow-wrap:anywhere}pre{overflow:auto;max-height:24rem;font-size:.85rem}
table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;vertical-align:top;overflow-wrap:anywhere}`
