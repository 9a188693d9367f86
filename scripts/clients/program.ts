import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A request of a client. SDKs have their own path: the models, or a completion for a body. */
export interface Call {
  readonly method: string
  readonly path: string
  /** Idempotency-Key. */
  readonly key?: string
  readonly body?: Readonly<Record<string, unknown>>
  /** Sends form data in place of a body. */
  readonly form?: true
}

/** A real HTTP client in a process of its own. */
export interface ClientProgram {
  /** Resolves with the text of the response, or of an error. */
  send(call: Call): Promise<string>
  /** Resolves with the version of the client. */
  close(): Promise<string>
}

const ofPython = fileURLToPath(new URL('./call.py', import.meta.url))
const ofNode = fileURLToPath(new URL('./call.mjs', import.meta.url))
/** An interpreter that has requests, httpx, aiohttp and openai. */
export const python = process.env['PYTHON'] ?? 'python3'
export const pythonClients = ['python-requests', 'httpx', 'aiohttp', 'openai-python']
export const nodeClients = ['fetch', 'openai-node', 'ai', 'langchain']

/** @param name a client of Python or Node, `chromium`, or `curl`, which has a process for each request */
export function openClient(name: string, url: string, key: string): ClientProgram {
  if (name === 'curl') {
    return {
      send: (call) => curl(argumentsOf(call, url, key)),
      close: () => curl(['--version']),
    }
  }
  const [command, file] = pythonClients.includes(name)
    ? [python, ofPython]
    : [process.execPath, ofNode]
  const child = spawn(command, [file, name, url, key], { stdio: ['pipe', 'pipe', 'ignore'] })
  const failure = new Promise<never>((_, reject) => child.once('error', reject))
  failure.catch(() => {})
  child.stdin.on('error', () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  async function next(): Promise<string> {
    const { value, done } = await Promise.race([lines.next(), failure])
    if (done === true) throw new Error(`${name} has ended`)
    return JSON.parse(value)
  }
  return {
    send(call) {
      child.stdin.write(`${JSON.stringify(call)}\n`)
      return next()
    },
    close() {
      child.stdin.end()
      return next()
    },
  }
}

function argumentsOf(
  { method, path, key, body, form }: Call,
  url: string,
  token: string,
): string[] {
  const headers = [
    `Authorization: Bearer ${token}`,
    ...(body === undefined ? [] : ['Content-Type: application/json']),
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
  ]
  return [
    ...['-sS', '-X', method, `${url}${path}`],
    ...headers.flatMap((header) => ['-H', header]),
    ...(body === undefined ? [] : ['-d', JSON.stringify(body)]),
    ...(form ? ['-F', 'name=n', '-F', 'file=text;filename=a.txt;type=text/plain'] : []),
  ]
}

async function curl(args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('curl', args)).stdout
}
