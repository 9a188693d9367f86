import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Start } from '../foreign/front.ts'

/** Third-party servers with a compatible surface, and known facts about them: servers.yaml. */
const file = new URL('servers.yaml', import.meta.url)
const ids = z.array(z.string()).default([])
const server = z.strictObject({
  name: z.string(),
  version: z.string(),
  npm: z.boolean().default(false),
  packages: z.array(z.string()),
  about: z.string(),
  model: z.string(),
  behind: z.string().optional(),
  command: z.array(z.string()),
  files: z.record(z.string(), z.unknown()).default({}),
  env: z.record(z.string(), z.string()).default({}),
  violated: ids,
  warned: ids,
  sometimes: ids,
})
export type ForeignServer = z.output<typeof server>

export const { servers, notRun } = z
  .object({ servers: z.array(server), notRun: z.record(z.string(), z.string()) })
  .parse(parse(readFileSync(file, 'utf8')))

/** Startup time: engines load a model, Python programs their libraries. */
const patienceMs = 90_000

/** Fills in the placeholders of a server. */
export function startOf(
  { command, files, env }: ForeignServer,
  place: Readonly<Record<'bin' | 'run' | 'port' | 'key' | 'upstream', string>>,
): Start {
  const scripts = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
  const values: Readonly<Record<string, string>> = { ...place, scripts, node: process.execPath }
  const fill = (text: string) =>
    text.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => values[name] ?? whole)
  return {
    command: command.map(fill),
    files: Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, fill(JSON.stringify(content))]),
    ),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    patienceMs,
  }
}
