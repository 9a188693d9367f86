import type { ReferenceServer } from '../../../reference-server/index.ts'

export interface BannerOptions {
  /** Keys were given, and are not printed. */
  readonly keysGiven: boolean
  readonly faults: readonly string[]
  readonly dialects: readonly string[]
  readonly origins: readonly string[]
  /** Source of the answers: the fake model, or a file. */
  readonly answers: string
  /** Store as given by --store, without a password. */
  readonly store: string
  /** URL of the control port, if there is one. */
  readonly control?: string | undefined
}

/** The first lines of a running server, beginning with `Listening on URL`. */
export function bannerText(
  { url, keys, models }: Pick<ReferenceServer, 'url' | 'keys' | 'models'>,
  { keysGiven, faults, dialects, origins, answers, store, control }: BannerOptions,
): string {
  const [key = ''] = keys
  const users = keys.length === 1 ? '' : ` (${keys.length} keys, each is a user)`
  const rows = [
    ['Reference', `${url}/docs`],
    ['Models', models.map(modelText).join(', ')],
    ['Answers', answers],
    ['Faults', faults.length === 0 ? 'none' : faults.join(', ')],
    ...(dialects.length === 0 ? [] : [['Dialects', dialects.join(', ')]]),
    ...(origins.length === 0 ? [] : [['Browsers', `pages of ${origins.join(', ')}`]]),
    ...(store === 'memory' ? [] : [['Store', store]]),
    ...(control === undefined ? [] : [['Control', control]]),
    ['API key', keysGiven ? `as given by --key${users}` : key],
  ]
  return [
    `Listening on ${url}`,
    ...rows.map(([name, text]) => `${`${name}:`.padEnd(11)}${text}`),
    '',
    ...(keysGiven ? ['Try it, with the key in CHATGEN_API_KEY:'] : ['Try it:']),
    curlCommand(url, keysGiven ? '$CHATGEN_API_KEY' : key),
  ].join('\n')
}

function modelText({ id, aliases }: ReferenceServer['models'][number]): string {
  return aliases.length === 0 ? id : `${id} (${aliases.join(', ')})`
}

/** A command that can be pasted, on lines that fit a terminal. */
function curlCommand(url: string, key: string): string {
  const body = { model: 'SVC-Main', messages: [{ role: 'user', content: 'Hello!' }], stream: true }
  return [
    `curl -N ${url}/api/openai/chat/completions`,
    `-H "Authorization: Bearer ${key}"`,
    "-H 'Content-Type: application/json'",
    `--data '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
}
