import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addContainerFlags, type ContainerFlags, containerOf } from './container-flags.ts'

const environment = { MODEL: 'small', TOKEN: 'sk-0123456789' }

function parsed(args: readonly string[], env: NodeJS.ProcessEnv = {}): ContainerFlags {
  const names = Object.keys(env)
  Object.assign(process.env, env)
  try {
    const command = addContainerFlags(
      new Command().exitOverride().configureOutput({ writeErr() {} }),
    )
    return command.parse(args, { from: 'user' }).opts()
  } finally {
    for (const name of names) delete process.env[name]
  }
}

const container = (args: readonly string[], env?: NodeJS.ProcessEnv) =>
  containerOf(parsed(args, env), environment)

test('an image with its port, environment and path of readiness', () => {
  const image = ['--image', 'chat:1.4', '--port', '8080', '--ready', '/healthz']
  const env = ['--env', 'LIST=a,b=c', '--env', 'EMPTY=', '--env', 'MODEL']
  expect(container([...image, ...env, '--ready-timeout', '90s'])).toEqual({
    from: { kind: 'image', image: 'chat:1.4' },
    port: 8080,
    env: { LIST: 'a,b=c', EMPTY: '', MODEL: 'small' },
    ready: '/healthz',
    readyMs: 90_000,
  })
})

test('a service of a Compose file', () => {
  expect(container(['--compose', 'compose.yaml', '--service', 'chat', '--port', '80'])).toEqual({
    from: { kind: 'compose', file: 'compose.yaml', service: 'chat' },
    port: 80,
    env: {},
    ready: null,
    readyMs: 120_000,
  })
})

test('the same by variables, one line for each of the environment', () => {
  const env = {
    CHATGEN_IMAGE: 'chat:1.4',
    CHATGEN_CONTAINER_PORT: '8080',
    CHATGEN_ENV: 'LIST=a,b\nTOKEN\n',
  }
  expect(container([], env)).toMatchObject({
    from: { kind: 'image', image: 'chat:1.4' },
    port: 8080,
    env: { LIST: 'a,b', TOKEN: 'sk-0123456789' },
  })
})

test('no container without an image or a file', () => {
  expect(container([])).toBeUndefined()
})
