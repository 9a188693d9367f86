import { once } from 'node:events'
import type { ReferenceServerOptions } from '../../../reference-server/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { AddCommand } from '../command.ts'
import { flag, portNumber, positiveInteger } from '../flags.ts'

interface ServeFlags {
  readonly port: number
  readonly host: string
  readonly key?: string
  readonly seed?: number
  readonly pace?: string
}

const examples = `
Examples:
  $ chatgen serve
  $ chatgen serve --port 4010 --key test-key
  $ chatgen serve --pace ttft=200ms,gap=20ms,jitter=0.2`

/** `chatgen serve`: the reference server, until it is interrupted. */
export const serveCommand: AddCommand = (program, io) => {
  program
    .command('serve')
    .description('run the reference server with its deterministic fake model')
    .addOption(flag('--port <n>', 'port; 0 takes any free one').argParser(portNumber).default(4010))
    .addOption(flag('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(flag('--key <key>', 'a throw-away key; without it one is made and printed'))
    .addOption(flag('--seed <n>', 'decides all text and jitter').argParser(positiveInteger))
    .addOption(
      flag(
        '--pace <pace>',
        'how fast the model speaks, for example ttft=200ms,gap=20ms,jitter=0.2',
      ),
    )
    .addHelpText('after', examples)
    .action(async ({ port, host, key, seed, pace }: ServeFlags) => {
      const server = await listen({
        port,
        host,
        ...(key === undefined ? {} : { keys: [key] }),
        ...(seed === undefined ? {} : { seed }),
        ...(pace === undefined ? {} : { pace: await readPace(pace) }),
      })
      io.out(`Listening on ${server.url}`)
      io.out(key === undefined ? `Key: ${server.keys[0]}` : 'Key: as given')
      if (!io.signal.aborted) await once(io.signal, 'abort')
      io.out('Stopping: running answers may finish')
      await server.close()
    })
}

async function listen(options: ReferenceServerOptions) {
  const { startReferenceServer } = await import('../../../reference-server/index.ts')
  try {
    return await startReferenceServer(options)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`the server cannot listen: ${reason}`])
  }
}

async function readPace(text: string) {
  const { PaceSyntaxError, parsePace } = await import('../../../reference-server/index.ts')
  try {
    return parsePace(text)
  } catch (error) {
    if (error instanceof PaceSyntaxError) throw new ConfigurationError([`--pace: ${error.message}`])
    throw error
  }
}
