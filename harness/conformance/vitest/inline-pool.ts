import { EventEmitter } from 'node:events'
import type { PoolRunnerInitializer, PoolWorker } from 'vitest/node'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'

/**
 * A pool of vitest whose one worker is this very thread and outlives a run: the suites are loaded
 * and compiled once, however many targets they judge.
 */
export function inlinePool(): PoolRunnerInitializer {
  const toWorker = channel()
  const toMain = channel()
  let own: readonly Listener[] = []

  function startWorker(): void {
    init({
      post: toMain.send,
      on: (listener) => toWorker.on('message', listener),
      off: (listener) => toWorker.off('message', listener),
      runTests: (state, traces) => runBaseTests('run', state, traces),
      collectTests: (state, traces) => runBaseTests('collect', state, traces),
      setup: setupEnvironment,
    })
    own = toWorker.listeners()
  }

  const worker: PoolWorker = {
    name: 'inline',
    on: toMain.on,
    off: toMain.off,
    send: toWorker.send,
    deserialize: (data) => data,
    async start() {
      if (own.length === 0) startWorker()
    },
    async stop() {
      toMain.keep([])
      // Each run opens a channel of its own beside the worker's.
      toWorker.keep(own)
    },
  }
  return { name: 'inline', createPoolWorker: () => worker }
}

type Listener = (...args: unknown[]) => void

/** Delivers copies, later, as between two threads: vitest counts on both. */
function channel() {
  const emitter = new EventEmitter()
  return {
    send(message: unknown): void {
      const copy = structuredClone(message)
      queueMicrotask(() => emitter.emit('message', copy))
    },
    on: (event: string, listener: Listener) => void emitter.on(event, listener),
    off: (event: string, listener: Listener) => void emitter.off(event, listener),
    listeners: () => emitter.listeners('message') as Listener[],
    keep(listeners: readonly Listener[]): void {
      emitter.removeAllListeners()
      for (const listener of listeners) emitter.on('message', listener)
    },
  }
}
